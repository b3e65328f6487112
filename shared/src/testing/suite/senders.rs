//! Senders of too much, too slowly, against the real program: it has to stay
//! small as well.

use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use socket2::Socket;

use crate::testing::database::Database;
use crate::testing::http::{Connection, Request, Response};
use crate::testing::process::Process;
use crate::testing::service::{ORDER, Settings, Subject, place};
use crate::testing::wait::wait_until;

fn program<S: Subject>(
    change: impl FnOnce(Settings) -> Settings,
) -> (Process, SocketAddr, Database) {
    let database = Database::fresh();
    let settings = change(Settings::of(&database)).set("RUST_LOG", "warn,before=info,after=info");
    let process = Process::start(S::BINARY, &settings);
    process.wait_for_line("ready: ");
    let addr = process.addr();
    (process, addr, database)
}

/// Time that a busy machine may take on top of a limit.
const MARGIN: Duration = Duration::from_secs(3);

const LARGE: usize = 50_000_000;

/// Sends a large body, however the service takes it, and reads the answer.
fn send_large(addr: SocketAddr, request: &Request, body: &[u8]) -> Response {
    let mut connection = Connection::open(addr);
    connection.send(request.head());
    // Fails when the service has closed the connection after its answer.
    let _ = connection.try_send(body);
    connection.receive().expect("an answer").expect(413)
}

pub fn bodies_of_fifty_megabytes_are_refused_and_not_kept<S: Subject>() {
    let (process, addr, _database) = program::<S>(|settings| settings);
    let length = LARGE.to_string();
    let announced = place(1, "large", "")
        .without("Content-Length")
        .header("Content-Length", &length);
    let patient = announced.clone().header("Expect", "100-continue");
    let in_chunks = place(1, "large", "")
        .without("Content-Length")
        .header("Transfer-Encoding", "chunked");
    let plain = vec![b'x'; LARGE];
    let chunks = crate::testing::http::chunked(&plain, 1_000_000);
    Connection::open(addr).get("/markets/1/book").expect(200);
    let before = process.status("VmHWM");
    for _ in 0..2 {
        for (request, body) in [
            (&announced, &plain),
            (&patient, &plain),
            (&in_chunks, &chunks),
        ] {
            let answer = send_large(addr, request, body);
            assert!(answer.closes(), "{answer:?}");
            assert!(answer.interim.is_empty(), "{:?}", answer.interim);
            assert_eq!(answer.json()["detail"], "the limit is 65536 bytes");
        }
        Connection::open(addr).get("/ping").expect(200);
    }
    let grown = process.status("VmHWM") - before;
    assert!(grown < 16 * 1024, "it has grown by {grown} kB");
}

/// Three hundred clients that send a byte now and then, more than `before` has
/// threads, and everybody else beside them.
fn slow_heads<S: Subject>(limit: Duration) {
    const SLOW: usize = 300;
    let (process, addr, _database) =
        program::<S>(|settings| settings.set("HEADER_TIMEOUT_MS", limit.as_millis()));
    let head = place(1, "slow", ORDER).head();
    let mut slow: Vec<_> = (0..SLOW).map(|_| Connection::open(addr)).collect();
    let started = Instant::now();
    let mut slowest = Duration::ZERO;
    for byte in head {
        slow.retain_mut(|connection| {
            connection.try_send([byte]).is_ok() && !connection.is_closed()
        });
        if slow.is_empty() {
            break;
        }
        let asked = Instant::now();
        Connection::open(addr).get("/ping").expect(200);
        slowest = slowest.max(asked.elapsed());
        // A byte now and then.
        if let Some(first) = slow.first_mut() {
            first.closes_within(limit / 20);
        }
    }
    let took = started.elapsed();
    assert!(slow.is_empty(), "{} are still open", slow.len());
    assert!(took < limit + MARGIN, "it took {took:?}");
    assert!(slowest < Duration::from_millis(1500), "/ping: {slowest:?}");
    let threads = process.status("Threads");
    assert!(threads < 220, "{threads} threads");
    wait_until("the connections are forgotten", || {
        let page = Connection::open(addr).get("/metrics").expect(200);
        page.text().contains("\nhttp_connections 1\n")
    });
}

pub fn three_hundred_slow_heads_starve_nobody<S: Subject>() {
    slow_heads::<S>(Duration::from_secs(2));
}

pub fn long_three_hundred_slow_heads_starve_nobody<S: Subject>() {
    slow_heads::<S>(Duration::from_secs(10));
}

/// Whatever half of a request it is, the end comes, and it is an answer if there
/// was a head.
pub fn three_hundred_half_requests_come_to_an_end<S: Subject>() {
    let (_process, addr, database) = program::<S>(|settings| {
        settings
            .set("HEADER_TIMEOUT_MS", 700)
            .set("REQUEST_TIMEOUT_MS", 700)
    });
    let order = place(1, "half", ORDER);
    let chunked = place(1, "half", "").chunks(ORDER, 20);
    let halves = [
        (order.head()[..10].to_vec(), false),
        (order.head()[..order.head().len() - 2].to_vec(), false),
        (order.head(), true),
        ([order.head(), b"{\"contract\"".to_vec()].concat(), true),
        ([chunked.head(), b"14\r\n{\"con".to_vec()].concat(), true),
        ([chunked.head(), b"1".to_vec()].concat(), true),
    ];
    let mut open: Vec<_> = (0..300)
        .map(|n| {
            let (half, has_head) = &halves[n % halves.len()];
            let mut connection = Connection::open(addr);
            connection.send(half);
            (connection, *has_head)
        })
        .collect();
    let started = Instant::now();
    Connection::open(addr).get("/ping").expect(200);
    let took = started.elapsed();
    // On two hundred threads its turn comes when those before it have had theirs.
    assert!(
        took < Duration::from_millis(1400) + MARGIN,
        "/ping took {took:?}"
    );
    for (connection, has_head) in &mut open {
        // One that never got its turn on a thread is closed without an answer.
        if let Ok(answer) = connection.receive() {
            assert!(*has_head, "an answer to no request");
            answer.expect(408);
        }
        connection.wait_for_close();
    }
    let took = started.elapsed();
    assert!(
        took < Duration::from_millis(1400) + MARGIN,
        "it took {took:?}"
    );
    Connection::open(addr).get("/ping").expect(200);
    assert_eq!(database.placed(), 0);
}

/// The service is stopped while they come and go, so that they are gone before
/// it takes them from the kernel.
fn aborted_before_they_are_accepted<S: Subject>(rounds: usize) {
    let (process, addr, _database) = program::<S>(|settings| settings);
    for _ in 0..rounds {
        process.signal(Signal::STOP);
        for _ in 0..2000 {
            // When the kernel's line is full, it is full of those who left.
            let Ok(stream) = TcpStream::connect_timeout(&addr, Duration::from_millis(50)) else {
                break;
            };
            let _ = Socket::from(stream).set_linger(Some(Duration::ZERO));
        }
        process.signal(Signal::CONT);
        let mut connection = Connection::open(addr).patience(Duration::from_secs(5));
        connection.get("/ping").expect(200);
    }
    wait_until("they are forgotten", || {
        let page = Connection::open(addr).get("/metrics").expect(200);
        page.text().contains("\nhttp_connections 1\n")
    });
    process.terminate();
    assert!(process.wait_for_exit().success());
}

pub fn connections_that_end_before_they_are_accepted_end_nothing<S: Subject>() {
    aborted_before_they_are_accepted::<S>(2);
}

pub fn long_connections_that_end_before_they_are_accepted_end_nothing<S: Subject>() {
    aborted_before_they_are_accepted::<S>(20);
}
