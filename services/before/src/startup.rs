//! Waiting for the database.

use std::io;
use std::sync::Arc;

use shared::config::Database;
use shared::error::Error as SharedError;
use shared::middleware::sentry::Tracker;
use shared::retry::Retry;
use shared::schema::{self, SchemaError};
use shared::work::threads;

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
    match try_schema(config) {
        Err(Trouble::Schema(edited @ SchemaError::Edited { .. })) => Err(io::Error::other(edited)),
        _ => Ok(()),
    }
}

/// Tries until the database is there and its schema is right, and says what is
/// in the way. The service serves meanwhile; `/ready` says that it is not.
pub(crate) fn watch(config: Database, tracker: &Tracker, stop: Arc<Stop>) -> io::Result<()> {
    threads::spawn("startup", tracker.job_hub("startup"), move || {
        let mut retry = Retry::new();
        while let Err(trouble) = try_schema(&config) {
            let trouble = trouble.to_string();
            if retry.is_news(&trouble) {
                tracing::warn!("not ready, trying again: {} at {}", trouble, config.url);
            }
            if stop.wait(retry.delay()) {
                return Ok(());
            }
        }
        tracing::info!("ready: the database is reachable and the schema is right");
        Ok(())
    })
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
fn try_schema(config: &Database) -> Result<(), Trouble> {
    let away = |error: Error| Trouble::Database(error.into_inner());
    let mut client = db::connect(config, "before startup").map_err(|error| away(error.into()))?;
    let applied = store::schema::applied(&mut client).map_err(away)?;
    schema::check(&applied).map_err(Trouble::Schema)
}
