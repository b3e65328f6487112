//! What was migrated.

use shared::schema::Applied;
use tokio_postgres::error::SqlState;

use crate::db::{Client, Failure};
use crate::error::Error;

/// The migrations that were applied; none if there is no schema at all.
pub(crate) fn applied(db: &mut Client) -> Result<Vec<Applied>, Error> {
    let sql = include_str!("../../../../shared/sql/applied_migrations.sql");
    let sql = db.prepared(sql);
    let rows = match sql.and_then(|sql| db.query(&sql, &[])) {
        Ok(rows) => rows,
        Err(Failure::Postgres(error)) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error.into()),
    };
    Ok(rows
        .iter()
        .map(|row| Applied {
            version: row.get(0),
            checksum: row.get(1),
        })
        .collect())
}
