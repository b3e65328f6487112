//! What was migrated.

use postgres::Client;
use postgres::error::SqlState;
use shared::schema::Applied;

use crate::error::Error;

/// The migrations that were applied; none if there is no schema at all. Over a
/// bare connection and not prepared, since it is asked rarely.
pub(crate) fn applied(db: &mut Client) -> Result<Vec<Applied>, Error> {
    let sql = include_str!("../../../../shared/sql/applied_migrations.sql");
    let rows = match db.query(sql, &[]) {
        Ok(rows) => rows,
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => return Ok(Vec::new()),
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
