//! Forgetting idempotency keys that no client sends any more.

use shared::config::{Cleaning, Database};
use shared::error::Error as SharedError;
use shared::middleware::sentry::Tracker;
use shared::work::tasks;
use tokio::time::timeout;

use crate::db;
use crate::error::Error;
use crate::server::Stop;
use crate::store;

/// Cleans now and then, until the stop. A round that fails is one log line and
/// one event, and the next round is tried all the same.
pub(crate) fn run(cleaning: Cleaning, database: Database, tracker: Tracker, stop: Stop) {
    tasks::spawn("cleaner", None, async move {
        while timeout(cleaning.every, stop.heard()).await.is_err() {
            let round = async {
                let cleaned = clean(cleaning, &database).await;
                cleaned.map_err(Error::into_inner)
            };
            tasks::round("cleaner", tracker.job_hub("cleaner"), round).await;
        }
        Ok::<(), SharedError>(())
    });
}

/// One round, over a connection of its own: it takes none from the requests.
async fn clean(cleaning: Cleaning, database: &Database) -> Result<(), Error> {
    let mut db = db::connect(database, "after cleaner").await?;
    while store::order::forget_keys(&mut db, cleaning.keep).await? > 0 {}
    Ok(())
}
