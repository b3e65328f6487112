//! Stopping, and starting again, while many orders are placed; and doing
//! nothing at all.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::testing::database::Database;
use crate::testing::http::{Connection, get};
use crate::testing::load::{self, Load, Outcome, Outcomes};
use crate::testing::port::Reserved;
use crate::testing::process::{Process, message};
use crate::testing::service::{Settings, Subject};

fn start<S: Subject>(database: &Database, listen: SocketAddr) -> Process {
    let process = Process::start(S::BINARY, &Settings::of(database).set("LISTEN", listen));
    process.wait_for_line("ready: ");
    process
}

/// Stops it, with success, and gives its log.
fn stop(process: &Process) -> Vec<Value> {
    let started = Instant::now();
    process.terminate();
    assert_eq!(process.wait_for_exit().code(), Some(0));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(4), "it took {took:?}");
    let log = process.log();
    let last = log.last().map(message).unwrap_or_default();
    assert!(last.contains("finished"), "{last}");
    log
}

/// Checks that each request that the service has seen was answered, and that the
/// answer has arrived. One that it has not seen may be refused.
fn assert_nobody_was_cut(outcomes: &Outcomes, log: &[Value], database: &Database) {
    let mut answered = BTreeMap::new();
    for line in log {
        let id = line["request_id"].as_str().unwrap_or_default();
        match message(line) {
            "answered" => {
                // Its client would have asked no second time.
                let before = answered.insert(id, &line["status"]);
                assert_eq!(before, None, "{id}: its first answer was cut");
            }
            text if text.contains("client left") => panic!("nobody has left: {line}"),
            _ => {}
        }
    }
    let stored = load::stored(database);
    for (key, outcome) in outcomes {
        match outcome {
            Outcome::Placed(_) => assert_eq!(answered.get(&**key), Some(&&Value::from(201))),
            Outcome::Refused(503) => {}
            Outcome::Refused(status) => panic!("{key}: {status}"),
            Outcome::Unanswered => {
                assert_eq!(answered.get(&**key), None, "{key}: its answer was cut");
                assert!(!stored.contains_key(key), "{key} was placed in silence");
            }
        }
    }
}

fn stops_under_load<S: Subject>(rounds: usize) {
    let database = Database::fresh();
    let port = Reserved::any();
    let load = Load::start("stop", port.addr(), 30);
    let mut log = Vec::new();
    for _ in 0..rounds {
        // Fails if the address is in use.
        let process = start::<S>(&database, port.addr());
        load.wait_for_placed(60);
        log.extend(stop(&process));
    }
    let process = start::<S>(&database, port.addr());
    load.wait_for_placed(60);
    let outcomes = load.stop();
    log.extend(stop(&process));
    assert_nobody_was_cut(&outcomes, &log, &database);
}

pub fn stops_under_load_cut_nobody_and_free_the_port<S: Subject>() {
    stops_under_load::<S>(2);
}

pub fn long_ten_stops_under_load_cut_nobody_and_free_the_port<S: Subject>() {
    stops_under_load::<S>(10);
}

fn idles<S: Subject>(time: Duration) {
    let database = Database::fresh();
    let process = Process::start(S::BINARY, &Settings::of(&database));
    process.wait_for_line("ready: ");
    let mut idle: Vec<_> = (0..20).map(|_| Connection::open(process.addr())).collect();
    for connection in &mut idle {
        connection.get("/orders/1").expect(200);
    }
    let before = process.cpu_time();
    assert!(!idle[0].closes_within(time), "it is kept open");
    let used = process.cpu_time().saturating_sub(before);
    assert!(used < time.mul_f64(0.03), "{used:?} of {time:?}");
    let started = Instant::now();
    process.terminate();
    assert_eq!(process.wait_for_exit().code(), Some(0));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(1), "it took {took:?}");
}

pub fn who_is_asked_for_nothing_does_nothing_and_stops_at_once<S: Subject>() {
    idles::<S>(Duration::from_secs(1));
}

pub fn long_who_is_asked_for_nothing_does_nothing_and_stops_at_once<S: Subject>() {
    idles::<S>(Duration::from_secs(30));
}

/// A request or a failure to start, and then the end at once.
fn last_lines<S: Subject>(rounds: usize) {
    let database = Database::fresh();
    let port = Reserved::any();
    for _ in 0..rounds {
        let process = start::<S>(&database, port.addr());
        get(process.addr(), "/ping").expect(200);
        process.terminate();
        assert_eq!(process.wait_for_exit().code(), Some(0));
        let log = process.log();
        let lines: Vec<_> = log.iter().map(message).collect();
        let answered = lines.iter().filter(|line| **line == "answered").count();
        assert_eq!(answered, 1, "{lines:?}");
        let last = lines.last().copied().unwrap_or_default();
        assert!(last.starts_with("stopped"), "{lines:?}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let addr = taken.local_addr().expect("it is bound");
    let settings = Settings::of(&database).set("LISTEN", addr);
    for _ in 0..rounds {
        let process = Process::start(S::BINARY, &settings);
        assert_eq!(process.wait_for_exit().code(), Some(1));
        let log = process.log();
        let last = log.last().map(message).unwrap_or_default();
        assert!(last.starts_with("cannot start"), "{log:?}");
    }
}

pub fn the_last_lines_are_written<S: Subject>() {
    last_lines::<S>(5);
}

pub fn long_the_last_lines_are_written_fifty_times<S: Subject>() {
    last_lines::<S>(50);
}
