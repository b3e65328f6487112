//! The background job that forgets old idempotency keys.

use std::time::Duration;

use crate::testing::catcher::Catcher;
use crate::testing::service::{App, ORDER, Subject};
use crate::testing::wait::{wait_until, wait_within};

fn keys<S: Subject>(app: &App<S>) -> i64 {
    app.database()
        .query_one("SELECT count(*) FROM idempotency_keys")
}

pub fn old_keys_are_forgotten_and_young_ones_are_not<S: Subject>() {
    let app = App::<S>::with(|settings| {
        settings
            .set("CLEAN_EVERY_MS", 20)
            .set("IDEMPOTENCY_KEEP_MS", 3_600_000)
    });
    // More than one batch of them.
    app.database().execute(
        "INSERT INTO idempotency_keys (key, request_hash, order_id, created_at)
         SELECT 'old-' || n, sha256('x'), 1, now() - interval '2 hours'
         FROM generate_series(1, 2500) AS n",
    );
    app.place(1, "young", ORDER).expect(201);
    wait_until("only the young key is left", || keys(&app) == 1);
    let placed = app.database().placed();
    app.place(1, "young", ORDER).expect(201);
    assert_eq!(app.database().placed(), placed, "its key is known");
}

/// Not silence, and no end of it: a line and an event for each round, and the
/// next round is tried all the same.
pub fn a_cleaner_that_fails_is_told_each_round_and_goes_on<S: Subject>() {
    let catcher = Catcher::start();
    let app = App::<S>::with(|settings| {
        settings
            .reporting_to(&catcher)
            .set("CLEAN_EVERY_MS", 100)
            .set("IDEMPOTENCY_KEEP_MS", 1)
    });
    let database = app.database();
    database.execute("ALTER TABLE idempotency_keys RENAME TO broken");
    let events = catcher.wait_for(2);
    for event in &events {
        assert_eq!(event["transaction"], "cleaner", "{event:#}");
        assert_eq!(event["tags"]["service"], S::SERVICE.name(), "{event:#}");
    }
    database.execute("ALTER TABLE broken RENAME TO idempotency_keys");
    app.place(1, "soon-forgotten", ORDER).expect(201);
    wait_within(Duration::from_secs(10), "it cleans again", || {
        keys(&app) == 0
    });
}
