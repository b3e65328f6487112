//! What was migrated.

use shared::schema::Applied;

use crate::db::Connection;
use crate::error::Error;

/// The SQLSTATE of a table that does not exist.
const UNDEFINED_TABLE: &str = "42P01";

/// The migrations that were applied; none if there is no schema at all.
pub(crate) async fn applied(db: &mut Connection) -> Result<Vec<Applied>, Error> {
    let rows = sqlx::query_file_as!(Applied, "../../shared/sql/applied_migrations.sql");
    match db.work.run(rows.fetch_all(&mut db.sqlx)).await {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => {
            Ok(Vec::new())
        }
        rows => Ok(rows?),
    }
}
