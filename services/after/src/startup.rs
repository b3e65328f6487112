//! Waiting for the database.

use std::io;

use shared::config::Database;
use shared::error::Error as SharedError;
use shared::middleware::sentry::Tracker;
use shared::retry::Retry;
use shared::schema::{self, SchemaError};
use shared::work::tasks;
use tokio::time::timeout;

use crate::db;
use crate::error::Error;
use crate::server::Stop;
use crate::store;

/// Refuses to start on a schema whose migrations were edited after they had
/// been applied. A database that is not there yet, or does not answer within
/// `DB_ACQUIRE_TIMEOUT_MS`, is waited for later.
///
/// # Errors
/// Names the migration.
pub fn refuse_edited_schema(config: &Database) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let asked = async { timeout(config.acquire_timeout, try_schema(config)).await };
    match runtime.block_on(asked) {
        Ok(Err(Trouble::Schema(edited @ SchemaError::Edited { .. }))) => {
            Err(io::Error::other(edited))
        }
        _ => Ok(()),
    }
}

/// Tries until the database is there and its schema is right, and says what is
/// in the way. The service serves meanwhile; `/ready` says that it is not.
pub(crate) fn watch(config: Database, tracker: &Tracker, stop: Stop) {
    tasks::spawn("startup", tracker.job_hub("startup"), async move {
        let mut retry = Retry::new();
        while let Err(trouble) = try_schema(&config).await {
            let trouble = trouble.to_string();
            if retry.is_news(&trouble) {
                tracing::warn!("not ready, trying again: {} at {}", trouble, config.url);
            }
            if timeout(retry.delay(), stop.heard()).await.is_ok() {
                return Ok(());
            }
        }
        tracing::info!("ready: the database is reachable and the schema is right");
        Ok(())
    });
}

/// Why the service is not ready.
#[derive(Debug)]
enum Trouble {
    Database(SharedError),
    Schema(SchemaError),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Database(error) => f.write_str(&error.chain()),
            Self::Schema(error) => error.fmt(f),
        }
    }
}

/// Looks once, over a connection of its own: the pool would only say that it
/// has waited in vain, not for what.
async fn try_schema(config: &Database) -> Result<(), Trouble> {
    let away = |error: Error| Trouble::Database(error.into_inner());
    let mut client = db::connect(config, "after startup")
        .await
        .map_err(|error| away(error.into()))?;
    let applied = store::schema::applied(&mut client).await.map_err(away)?;
    schema::check(&applied).map_err(Trouble::Schema)
}
