//! Everything is bounded.

use std::time::{Duration, Instant};

use crate::testing::database::Database;
use crate::testing::http::{Connection, Request, Response, chunked, get};
use crate::testing::process::{Process, message};
use crate::testing::service::{App, ORDER, Settings, Subject, place};
use crate::testing::wait::{wait_for, wait_until};

const MEGABYTES: usize = 3_000_000;

/// Time that a busy machine may take on top of a limit.
const MARGIN: Duration = Duration::from_secs(3);

fn assert_too_large(answer: &Response) {
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(answer.json()["detail"], "the limit is 65536 bytes");
}

pub fn a_body_of_three_megabytes_is_answered_413<S: Subject>() {
    let app = App::<S>::start();
    let body = vec![b'x'; MEGABYTES];
    for _ in 0..20 {
        assert_too_large(&app.send(&place(1, "large", "").body(&body)));
    }
}

pub fn a_body_in_chunks_of_three_megabytes_is_answered_413<S: Subject>() {
    let app = App::<S>::start();
    let body = vec![b'x'; MEGABYTES];
    for _ in 0..20 {
        assert_too_large(&app.send(&place(1, "large", "").chunks(&body, 10_000)));
    }
}

pub fn a_client_that_waits_for_permission_gets_413_at_once<S: Subject>() {
    let app = App::<S>::start();
    let request = place(1, "large", "")
        .body(vec![b'x'; MEGABYTES])
        .header("Expect", "100-continue");
    let mut connection = Connection::open(app.addr());
    connection.send(request.head());
    let answer = connection.receive().expect("an answer before the body");
    assert_too_large(&answer);
    assert!(answer.interim.is_empty(), "{:?}", answer.interim);
    assert!(answer.closes());
}

/// Half a head, and none at all.
pub fn a_head_that_does_not_come_is_not_waited_for<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("HEADER_TIMEOUT_MS", 300));
    for half in ["", "GET", "GET /ping HTTP/1.1\r\nHost: x\r\n"] {
        let mut connection = Connection::open(app.addr());
        connection.send(half);
        let took = connection.wait_for_close();
        assert!(took < Duration::from_millis(300) + MARGIN, "{took:?}");
    }
    // Half of a second head on a connection that was in use.
    let mut connection = Connection::open(app.addr());
    connection.get("/ping").expect(200);
    connection.send("GET /ping HTTP/1.1\r\n");
    let took = connection.wait_for_close();
    assert!(took < Duration::from_millis(300) + MARGIN, "{took:?}");
    app.ping().expect(200);
}

pub fn a_head_that_trickles_is_not_waited_for<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("HEADER_TIMEOUT_MS", 500));
    let mut slow: Vec<_> = (0..20).map(|_| Connection::open(app.addr())).collect();
    let started = Instant::now();
    while !slow.is_empty() {
        slow.retain_mut(|connection| {
            connection.try_send("x").is_ok() && !connection.closes_within(Duration::from_millis(3))
        });
        app.ping().expect(200);
        assert!(started.elapsed() < Duration::from_millis(500) + MARGIN);
    }
}

pub fn an_idle_connection_is_closed<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("KEEP_ALIVE_MS", 300));
    let mut connection = Connection::open(app.addr());
    connection.get("/ping").expect(200);
    connection.get("/ping").expect(200);
    let took = connection.wait_for_close();
    assert!(took > Duration::from_millis(200), "{took:?}");
    assert!(took < Duration::from_millis(300) + MARGIN, "{took:?}");
}

pub fn a_body_that_does_not_come_is_answered_408<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("REQUEST_TIMEOUT_MS", 300));
    let request = place(1, "slow", ORDER);
    for sent in [request.head(), [request.head(), b"{".to_vec()].concat()] {
        let mut connection = Connection::open(app.addr());
        connection.send(sent);
        let answer = connection.receive().expect("an answer").expect(408);
        assert!(answer.closes());
        connection.wait_for_close();
    }
    assert_eq!(app.database().orders(), 120_000);
}

pub fn a_body_that_trickles_is_answered_408<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("REQUEST_TIMEOUT_MS", 500));
    let mut connection = Connection::open(app.addr()).patience(Duration::from_millis(10));
    connection.send(place(1, "slow", "").chunks(" ", 1).head());
    let piece = chunked(b" ", 1);
    let piece = &piece[..piece.len() - 5];
    let started = Instant::now();
    loop {
        connection.send(piece);
        match connection.receive() {
            Ok(answer) => {
                answer.expect(408);
                return;
            }
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "{error}"),
        }
        assert!(started.elapsed() < Duration::from_millis(500) + MARGIN);
    }
}

pub fn a_request_that_takes_too_long_is_answered_503<S: Subject>() {
    let app = App::<S>::with(|settings| settings.with_experiments().set("REQUEST_TIMEOUT_MS", 300));
    let started = Instant::now();
    let answer = app.sleep(30_000).expect(503);
    let took = started.elapsed();
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(took < Duration::from_millis(300) + MARGIN, "{took:?}");
    app.sleep(1).expect(200);
}

pub fn a_head_without_end_is_refused<S: Subject>() {
    let app = App::<S>::start();
    for head in [
        Request::get("/ping").header("X-Long", "x".repeat(1_000_000)),
        (0..2000).fold(Request::get("/ping"), |request, number| {
            request.header(&format!("X-{number}"), "x")
        }),
        Request::get(format!("/{}", "x".repeat(100_000))),
    ] {
        let mut connection = Connection::open(app.addr());
        let _ = connection.try_send(head.bytes());
        // An answer may be lost when the service closes on unread bytes.
        if let Ok(answer) = connection.receive() {
            assert!([400, 414, 431].contains(&answer.status), "{answer:?}");
        }
        connection.wait_for_close();
    }
    app.ping().expect(200);
}

pub fn a_connection_too_many_is_answered_503<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("MAX_CONNECTIONS", 3));
    // Those of the start may not be forgotten yet.
    let mut open: Vec<_> = (0..3)
        .map(|_| wait_for("there is room", || connected(&app)))
        .collect();
    let mut refused = Connection::open(app.addr());
    let answer = refused.receive().expect("a refusal").expect(503);
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(answer.json()["status"], 503);
    assert!(answer.closes());
    refused.wait_for_close();
    for connection in &mut open {
        connection.get("/ping").expect(200);
    }
    open.pop();
    wait_for("there is room again", || connected(&app));
}

/// A connection on which a request is answered; none if it is refused.
fn connected<S: Subject>(app: &App<S>) -> Option<Connection> {
    let mut connection = Connection::open(app.addr());
    let _ = connection.try_send(Request::get("/ping").bytes());
    let answer = connection.receive().ok()?;
    (answer.status == 200).then_some(connection)
}

/// The real program, since its limits are the process's: no handles are left,
/// connections wait, and are served when there are handles again.
pub fn running_out_of_file_handles_ends_nothing<S: Subject>() {
    let database = Database::fresh();
    let process = Process::start(S::BINARY, &Settings::of(&database));
    process.wait_for_line("ready: ");
    let addr = process.addr();
    get(addr, "/orders/1").expect(200);
    process.limit_handles(40);
    let mut open: Vec<_> = (0..100).map(|_| Connection::open(addr)).collect();
    process.wait_for_line("cannot accept");
    open.truncate(0);
    wait_until("it accepts again", || {
        let mut connection = Connection::open(addr).patience(Duration::from_secs(1));
        let _ = connection.try_send(Request::get("/ping").bytes());
        connection
            .receive()
            .is_ok_and(|answer| answer.status == 200)
    });
    process.terminate();
    assert!(process.wait_for_exit().success());
    let said = process
        .log()
        .iter()
        .filter(|line| message(line).contains("cannot accept"))
        .count();
    assert!(said < 100, "{said} lines about handles");
}
