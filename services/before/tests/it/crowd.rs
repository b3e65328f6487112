//! More connections than threads.

use std::thread;
use std::time::{Duration, Instant};

use shared::server::Stopped;
use shared::testing::database::Database;
use shared::testing::http::{Connection, Request};
use shared::testing::relay::Relay;
use shared::testing::service::{App, ORDER, Settings, place};
use shared::testing::wait::wait_until;

use crate::Before;

#[test]
fn nobody_is_closed_to_make_room_and_all_have_their_turns() {
    let app = App::<Before>::with(|settings| settings.set("WORKERS", 2));
    let mut crowd: Vec<_> = (0..20).map(|_| Connection::open(app.addr())).collect();
    for round in 1..=20 {
        for connection in &mut crowd {
            let order = connection.get(&format!("/orders/{round}")).expect(200);
            assert_eq!(order.json()["id"], round);
        }
    }
}

/// They come back when the crowd has gone, and keep their threads again.
#[test]
fn a_parked_connection_is_served_also_when_the_crowd_has_gone() {
    let app = App::<Before>::with(|settings| settings.set("WORKERS", 2));
    let mut first = Connection::open(app.addr());
    first.get("/ping").expect(200);
    let crowd: Vec<_> = (0..10)
        .map(|_| {
            let mut connection = Connection::open(app.addr());
            connection.get("/ping").expect(200);
            connection
        })
        .collect();
    drop(crowd);
    for _ in 0..3 {
        first.get("/ping").expect(200);
    }
}

#[test]
fn a_parked_connection_is_closed_when_it_has_been_idle_for_too_long() {
    let app = App::<Before>::with(|settings| settings.set("WORKERS", 1).set("KEEP_ALIVE_MS", 300));
    let mut idle: Vec<_> = (0..5).map(|_| Connection::open(app.addr())).collect();
    for connection in &mut idle {
        connection.get("/ping").expect(200);
    }
    for connection in &mut idle {
        connection.wait_for_close();
    }
}

/// The end comes with the last bytes, and nobody says so again.
#[test]
fn a_parked_client_that_leaves_with_half_a_request_is_noticed() {
    let app = App::<Before>::with(|settings| settings.set("WORKERS", 2));
    let mut crowd: Vec<_> = (0..20).map(|_| Connection::open(app.addr())).collect();
    for connection in &mut crowd {
        connection.get("/ping").expect(200);
    }
    let order = place(1, "a-key", ORDER).bytes();
    for mut connection in crowd {
        connection.send(&order[..order.len() - 5]);
    }
    wait_until("they are all gone", || app.metric("http_connections") < 1.5);
}

#[test]
fn who_stands_in_line_for_too_long_is_answered_at_the_door() {
    let app = App::<Before>::with(|settings| {
        settings.set("WORKERS", 1).set("DB_ACQUIRE_TIMEOUT_MS", 500)
    });
    let lock = app.database().lock("orders");
    let mut busy = Connection::open(app.addr());
    busy.send(Request::get("/markets/1/book").bytes());
    wait_until("the only thread is busy", || {
        app.database().waiting_for_locks() == 1
    });
    let mut late = Connection::open(app.addr()).patience(Duration::from_secs(4));
    late.get("/ping").expect(200);
    late.get("/ready").expect(200);
    let refused = late.get("/markets/2/book").expect(503);
    assert_eq!(refused.header("Retry-After"), Some("1"));
    // The connection lives, and its turn comes when the thread is free.
    drop(lock);
    busy.receive().expect("it is answered").expect(200);
    late.get("/markets/2/book").expect(200);
}

#[test]
fn half_sent_heads_of_a_crowd_do_not_hold_the_exit() {
    let mut app = App::<Before>::with(|settings| settings.set("WORKERS", 2));
    let addr = app.addr();
    let mut halves: Vec<_> = (0..60)
        .map(|_| {
            let mut half = Connection::open(addr);
            half.send("GET /ping HTT");
            half
        })
        .collect();
    let mut completed = halves.pop().expect("there are some");
    let started = Instant::now();
    thread::scope(|scope| {
        let stopping = scope.spawn(|| app.stop());
        wait_until("it accepts no more", || Connection::try_open(addr).is_err());
        completed.send("P/1.1\r\nHost: x\r\n\r\n");
        completed.receive().expect("it is answered").expect(200);
        let stopped = stopping.join().expect("it stops");
        assert_eq!(stopped, Stopped::Drained);
    });
    // Each has a second, and all have the same one.
    let took = started.elapsed();
    assert!(took < Duration::from_secs(5), "it took {took:?}");
}

/// An order whose body has just become complete is first in line: it cannot be
/// sent to the door, those behind it can.
#[test]
fn who_stands_behind_a_half_answered_request_is_answered_at_the_door() {
    let app = App::<Before>::with(|settings| {
        settings.set("WORKERS", 1).set("DB_ACQUIRE_TIMEOUT_MS", 500)
    });
    let request = place(1, "a-key", ORDER).bytes();
    let (first, rest) = request.split_at(request.len() - 5);
    let mut order = Connection::open(app.addr());
    order.send(first);
    let mut other = Connection::open(app.addr());
    other.get("/ping").expect(200);
    let lock = app.database().lock("orders");
    other.send(Request::get("/markets/1/book").bytes());
    wait_until("the only thread is busy", || {
        app.database().waiting_for_locks() == 1
    });
    order.send(rest);
    let mut late = Connection::open(app.addr()).patience(Duration::from_secs(4));
    late.get("/ping").expect(200);
    drop(lock);
    other.receive().expect("it is answered").expect(200);
    order.receive().expect("it is answered").expect(201);
}

/// The crowd goes while a doorman still answers, and what comes next on that
/// connection is a worker's again.
#[test]
fn a_doorman_keeps_nobody_when_the_crowd_has_gone() {
    let database = Database::fresh();
    let relay = Relay::to(&database);
    let settings = Settings::of(&database)
        .with_experiments()
        .set("DATABASE_URL", database.url_over(relay.addr()))
        .set("WORKERS", 1)
        .set("DB_ACQUIRE_TIMEOUT_MS", 500);
    let app = App::<Before>::on(database, &settings);
    wait_until("the service is ready", || app.ready().status == 200);
    let mut busy = Connection::open(app.addr());
    let mut other = Connection::open(app.addr());
    other.get("/ready").expect(200);
    busy.send(Request::get("/sleep?ms=900").bytes());
    relay.swallow();
    other.send(Request::get("/ready").bytes());
    busy.receive().expect("it is answered").expect(200);
    drop(busy);
    other.receive().expect("it is answered").expect(503);
    relay.mend();
    wait_until("the book is there", || {
        other.get("/markets/1/book").status == 200
    });
}
