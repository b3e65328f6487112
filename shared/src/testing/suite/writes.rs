//! Writes: once, whole, or not at all.

use std::net::TcpStream;
use std::thread;

use super::at_once;
use crate::server::Stopped;
use crate::testing::catcher::Catcher;
use crate::testing::http::Connection;
use crate::testing::service::{App, ORDER, Subject, place};
use crate::testing::wait::wait_until;

const SEEDED: i64 = 120_000;

pub fn one_key_sixteen_times_at_once_is_one_order<S: Subject>() {
    let app = App::<S>::start();
    for round in 1..=5 {
        let key = format!("round-{round}");
        let answers = at_once(16, |_| app.place(1, &key, ORDER));
        for answer in &answers {
            assert_eq!(answer.status, 201, "{answer:?}");
            assert_eq!(answer.body, answers[0].body);
            assert_eq!(answer.header("location"), answers[0].header("location"));
        }
        assert_eq!(app.database().orders(), SEEDED + round);
    }
}

pub fn sixteen_keys_at_once_are_sixteen_orders<S: Subject>() {
    let app = App::<S>::start();
    at_once(16, |n| app.place(1, &format!("key-{n}"), ORDER).expect(201));
    assert_eq!(app.database().orders(), SEEDED + 16);
}

/// What a client has asked for and was read is done, whether it waits or not:
/// a thread does not notice, and a task is shielded.
pub fn a_write_is_finished_though_its_client_left<S: Subject>() {
    let app = App::<S>::start();
    let mut session = app.database().connect();
    session
        .batch_execute("BEGIN; LOCK TABLE orders IN SHARE MODE")
        .expect("nobody writes to the table");
    for n in 0..3 {
        let mut connection = Connection::open(app.addr());
        connection.send(place(1, &format!("left-{n}"), ORDER).bytes());
        wait_until("the write waits for the lock", || {
            app.database().waiting_for_locks() > n
        });
    }
    session
        .batch_execute("COMMIT")
        .expect("the lock can be given up");
    wait_until("all orders are there", || {
        app.database().orders() == SEEDED + 3
    });
    for n in 0..3 {
        app.place(1, &format!("left-{n}"), ORDER).expect(201);
    }
    assert_eq!(app.database().orders(), SEEDED + 3);
    assert_eq!(app.database().idle_in_transaction(), 0);
}

/// Nobody is left to answer to, but what was begun is part of what is in flight.
pub fn a_stop_waits_for_a_write_whose_client_left<S: Subject>() {
    let mut app = App::<S>::start();
    let mut session = app.database().connect();
    session
        .batch_execute("BEGIN; LOCK TABLE orders IN SHARE MODE")
        .expect("nobody writes to the table");
    let mut connection = Connection::open(app.addr());
    connection.send(place(1, "left", ORDER).bytes());
    wait_until("the write waits for the lock", || {
        app.database().waiting_for_locks() > 0
    });
    drop(connection);
    let addr = app.addr();
    let stopped = thread::scope(|scope| {
        let release = scope.spawn(move || {
            // A stop that does not wait for the write has nothing else to do.
            wait_until("it stops", || TcpStream::connect(addr).is_err());
            session.batch_execute("COMMIT")
        });
        let stopped = app.stop();
        release
            .join()
            .expect("it does not panic")
            .expect("the lock can be given up");
        stopped
    });
    assert_eq!(stopped, Stopped::Drained);
    assert_eq!(app.database().orders(), SEEDED + 1);
}

/// The order is stored, and then its key cannot be.
pub fn a_failure_between_two_statements_leaves_nothing<S: Subject>() {
    let catcher = Catcher::start();
    let app = App::<S>::with(|settings| settings.reporting_to(&catcher));
    app.place(1, "before", ORDER).expect(201);
    app.database()
        .execute("ALTER TABLE idempotency_keys RENAME TO broken");
    thread::scope(|scope| {
        for n in 0..50 {
            let app = &app;
            scope.spawn(move || app.place(1, &format!("key-{n}"), ORDER).expect(500));
        }
    });
    app.is_whole_again(4);
    assert_eq!(app.database().orders(), SEEDED + 1);
    for event in catcher.wait_for(50) {
        assert_eq!(
            event["transaction"], "POST /markets/{id}/orders",
            "{event:#}"
        );
    }
    app.database()
        .execute("ALTER TABLE broken RENAME TO idempotency_keys");
    at_once(8, |n| app.place(1, &format!("key-{n}"), ORDER).expect(201));
    assert_eq!(app.database().orders(), SEEDED + 9);
}
