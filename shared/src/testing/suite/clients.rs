//! Clients of all sorts on their connections.

use std::net::TcpStream;
use std::time::Duration;

use crate::testing::http::{Connection, Request};
use crate::testing::service::{App, ORDER, Subject, place};
use crate::testing::wait::wait_until;

pub fn requests_on_one_connection_are_answered_in_their_order<S: Subject>() {
    let app = App::<S>::start();
    let mut connection = Connection::open(app.addr());
    let requests = (1..=50).map(|id| Request::get(format!("/orders/{id}")).bytes());
    connection.send(requests.collect::<Vec<_>>().concat());
    for id in 1..=50 {
        let order = connection.receive().expect("all are answered").expect(200);
        assert_eq!(order.json()["id"], id);
    }
}

/// Answers pile up in the sockets until no more can be written.
pub fn a_client_that_reads_nothing_is_let_go<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("REQUEST_TIMEOUT_MS", 500));
    let mut connection = Connection::open(app.addr());
    let request = Request::get("/docs/swagger-ui-bundle.js")
        .bytes()
        .repeat(50);
    // Fails if the service has closed the connection already.
    let _ = connection.try_send(request);
    wait_until("the connection is closed", || {
        // The one that asks is the other one.
        app.metric("http_connections") < 1.5
    });
    app.ping().expect(200);
}

pub fn more_idle_connections_than_workers_starve_nobody<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("WORKERS", 2));
    let mut idle: Vec<_> = (0..12)
        .map(|_| {
            let mut connection = Connection::open(app.addr());
            connection.get("/ping").expect(200);
            connection
        })
        .collect();
    let mut fresh = Connection::open(app.addr()).patience(Duration::from_secs(2));
    fresh.get("/ping").expect(200);
    let mut fresh = Connection::open(app.addr()).patience(Duration::from_secs(2));
    fresh.get("/orders/1").expect(200);
    // Those that are still open can be used still.
    for connection in &mut idle {
        if !connection.closes_within(Duration::from_millis(1)) {
            connection.get("/ping").expect(200);
        }
    }
}

/// As browsers open them ahead of need, and slow senders keep them.
pub fn silent_connections_and_half_heads_starve_nobody<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("WORKERS", 2));
    let silent: Vec<_> = (0..6).map(|_| Connection::open(app.addr())).collect();
    let mut fresh = Connection::open(app.addr()).patience(Duration::from_secs(2));
    fresh.get("/ping").expect(200);
    let halves: Vec<_> = (0..6)
        .map(|_| {
            let mut half = Connection::open(app.addr());
            half.send("GET /ping HT");
            half
        })
        .collect();
    let mut fresh = Connection::open(app.addr()).patience(Duration::from_secs(6));
    fresh.get("/ping").expect(200);
    drop((silent, halves));
}

pub fn a_thousand_unread_bodies_never_become_requests<S: Subject>() {
    let app = App::<S>::start();
    let body = "GET /evil HTTP/1.1\r\n\r\n".repeat(460);
    let bodies = [
        Request::new("POST", "/ping").body(&body),
        Request::new("POST", "/nope").body(&body),
        Request::new("POST", "/ping").chunks(&body, 3000),
        Request::new("POST", "/markets/1/orders").body(&body),
    ];
    let mut connection = Connection::open(app.addr());
    for round in 0..1000 {
        let answer = connection.ask(&bodies[round % bodies.len()]);
        assert!([400, 404, 405].contains(&answer.status), "{answer:?}");
        if answer.closes() {
            connection = Connection::open(app.addr());
        }
        let ping = connection.get("/ping");
        assert_eq!((ping.status, ping.text()), (200, "pong"), "round {round}");
    }
}

pub fn a_connection_that_is_reset_harms_nobody<S: Subject>() {
    let app = App::<S>::start();
    for request in [
        Vec::new(),
        b"GET /pi".to_vec(),
        Request::get("/markets").bytes(),
        place(1, "reset", ORDER).head(),
    ] {
        for _ in 0..20 {
            let stream = TcpStream::connect(app.addr()).expect("the service listens");
            let stream = socket2::Socket::from(stream);
            stream
                .set_linger(Some(Duration::ZERO))
                .expect("a socket can be reset");
            // What cannot be sent any more is not needed either.
            let _ = stream.send(&request);
        }
    }
    app.ping().expect(200);
    wait_until("the connections are forgotten", || {
        app.metric("http_connections") < 1.5
    });
}

pub fn a_connection_counts_as_served_with_its_first_answer<S: Subject>() {
    let app = App::<S>::start();
    let mut asker = Connection::open(app.addr());
    let mut figure = |name: &str| -> u64 { asker.get("/metrics").expect(200).figure(name) };
    // Who has ended, or asks again, has been counted.
    wait_until("it is alone", || figure("http_connections") == 1);
    let before = figure("http_connections_served_total");
    let silent = Connection::open(app.addr());
    let mut half_sent = Connection::open(app.addr());
    half_sent.send("GET /ping HT");
    wait_until("both are there", || figure("http_connections") == 3);
    drop((silent, half_sent));
    wait_until("both have ended", || figure("http_connections") == 1);
    assert_eq!(figure("http_connections_served_total"), before);
    let mut kept = Connection::open(app.addr());
    kept.get("/ping").expect(200);
    kept.get("/nope").expect(404);
    drop(kept);
    let closing = Request::get("/ping").header("Connection", "close");
    app.send(&closing).expect(200);
    wait_until("both have ended", || figure("http_connections") == 1);
    assert_eq!(figure("http_connections_served_total"), before + 2);
}
