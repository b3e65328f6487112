//! Forgetting idempotency keys that no client sends any more.

use std::io;
use std::sync::Arc;

use shared::config::{Cleaning, Database};
use shared::middleware::sentry::Tracker;
use shared::work::threads;

use crate::db;
use crate::error::Error;
use crate::server::Stop;
use crate::store;

/// Cleans now and then, until the stop. A round that fails is one log line and
/// one event, and the next round is tried all the same.
pub(crate) fn run(
    cleaning: Cleaning,
    database: Database,
    tracker: Tracker,
    stop: Arc<Stop>,
) -> io::Result<()> {
    threads::spawn("cleaner", None, move || {
        while !stop.wait(cleaning.every) {
            let round = || clean(cleaning, &database).map_err(Error::into_inner);
            threads::round("cleaner", tracker.job_hub("cleaner"), round);
        }
        Ok(())
    })
}

/// One round, over a connection of its own: it takes none from the requests.
fn clean(cleaning: Cleaning, database: &Database) -> Result<(), Error> {
    let mut db = db::connect(database, "before cleaner")?;
    while store::order::forget_keys(&mut db, cleaning.keep)? > 0 {}
    Ok(())
}
