//! More connections than threads.

use std::time::Duration;

use shared::testing::http::{Connection, Request};
use shared::testing::service::App;
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
