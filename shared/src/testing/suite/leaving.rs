//! Clients that leave in the midst of their requests.

use std::time::{Duration, Instant};

use super::at_once;
use crate::testing::http::{Connection, Request};
use crate::testing::load;
use crate::testing::service::{App, ORDER, Settings, Subject, place};
use crate::testing::wait::wait_within;

const POOL: u32 = 4;

/// What a client asks for before it leaves: some of it, or all.
fn request(n: usize) -> Vec<u8> {
    let order = || place(1, &format!("left-{n}"), ORDER);
    match n % 6 {
        0 => Request::get("/markets/1/book").bytes(),
        1 | 2 => order().bytes(),
        3 => Request::get("/sleep?ms=20").bytes(),
        4 => Request::new("DELETE", format!("/orders/{}", n % 100 + 1)).bytes(),
        _ => [order().head(), ORDER.as_bytes()[..9].to_vec()].concat(),
    }
}

fn clients_leave<S: Subject>(count: usize) {
    const AT_ONCE: usize = 8;
    let app = App::<S>::with(|settings| settings.with_experiments().set("DB_POOL", POOL));
    at_once(AT_ONCE, |client| {
        for n in (client..count).step_by(AT_ONCE) {
            let mut connection = Connection::open(app.addr());
            connection.send(request(n));
            // At once, or somewhat later: whereever it is at that moment.
            if n / 12 % 3 > 0 && connection.closes_within(Duration::from_millis(1)) {
                continue;
            }
            // With a farewell or without one.
            if n / 6 % 2 == 0 {
                connection.reset();
            }
        }
    });
    app.ping().expect(200);
    app.is_whole_again(POOL);
    load::stored(app.database());
    // Nothing is in anybody's way, whatever became of those orders.
    at_once(AT_ONCE, |client| {
        for n in (client..count.min(100)).step_by(AT_ONCE) {
            app.place(1, &format!("left-{n}"), ORDER).expect(201);
        }
    });
    load::stored(app.database());
}

pub fn two_thousand_clients_that_leave_take_nothing_with_them<S: Subject>() {
    clients_leave::<S>(2000);
}

pub fn long_clients_that_leave_take_nothing_with_them<S: Subject>() {
    clients_leave::<S>(30_000);
}

/// Nobody waits for the answers any more, and the lock is held longer than any
/// statement may take.
pub fn statements_of_clients_that_left_end_by_their_limit<S: Subject>() {
    let app = App::<S>::with(|settings: Settings| {
        settings
            .set("DB_POOL", POOL)
            .set("DB_ACQUIRE_TIMEOUT_MS", 300)
            .set("DB_STATEMENT_TIMEOUT_MS", 700)
    });
    let lock = app.database().lock("orders");
    at_once(50, |n| {
        let mut connection = Connection::open(app.addr());
        if n % 2 == 0 {
            connection.send(Request::get("/markets/1/book").bytes());
        } else {
            connection.send(place(1, &format!("left-{n}"), ORDER).bytes());
        }
        assert!(!connection.closes_within(Duration::from_millis(100)));
    });
    let started = Instant::now();
    app.ping().expect(200);
    assert!(started.elapsed() < Duration::from_millis(500));
    let limit = Duration::from_millis(700 + 300 + 1500);
    wait_within(limit, "nobody waits for the lock any more", || {
        app.database().waiting_for_locks() == 0
    });
    drop(lock);
    wait_within(Duration::from_secs(1), "the book is there", || {
        app.book(1).status == 200
    });
    app.is_whole_again(POOL);
    assert_eq!(app.database().placed(), 0);
}
