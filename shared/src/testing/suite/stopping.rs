//! Stopping: what is in flight is finished, and nothing else holds it up.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::server::Stopped;
use crate::testing::database::Database;
use crate::testing::http::{Connection, Request};
use crate::testing::process::{Process, message};
use crate::testing::service::{App, ORDER, Settings, Subject, place};
use crate::testing::wait::wait_until;

/// Well under the grace time, which is ten seconds if nothing else is said.
const SOON: Duration = Duration::from_secs(4);

/// Stops, and says how long it took.
fn stop<S: Subject>(app: &mut App<S>) -> (Stopped, Duration) {
    let started = Instant::now();
    (app.stop(), started.elapsed())
}

pub fn connections_that_ask_for_nothing_do_not_hold_the_exit<S: Subject>() {
    let mut app = App::<S>::start();
    let mut idle = Connection::open(app.addr());
    idle.get("/ping").expect(200);
    let mut half_sent = Connection::open(app.addr());
    half_sent.send("GET /ping HT");
    let mut half_sent_later = Connection::open(app.addr());
    half_sent_later.get("/ping").expect(200);
    half_sent_later.send("GET /pi");
    let mut silent = Connection::open(app.addr());
    // All of them have been accepted.
    wait_until("all are accepted", || app.metric("http_connections") > 4.5);
    let (stopped, took) = stop(&mut app);
    assert_eq!(stopped, Stopped::Drained);
    assert!(took < SOON, "it took {took:?}");
    for connection in [&mut idle, &mut half_sent, &mut half_sent_later, &mut silent] {
        connection.wait_for_close();
    }
}

pub fn a_request_in_flight_is_finished<S: Subject>() {
    let mut app = App::<S>::with(Settings::with_experiments);
    let mut connection = Connection::open(app.addr());
    connection.send(Request::get("/sleep?ms=700").bytes());
    app.wait_in_flight(1);
    let (stopped, took) = stop(&mut app);
    assert_eq!(stopped, Stopped::Drained);
    assert!(took < SOON, "it took {took:?}");
    let answer = connection.receive().expect("it is answered").expect(200);
    assert!(answer.closes(), "{answer:?}");
    connection.wait_for_close();
}

/// A client that has sent its head, and sends its body after the stop.
pub fn a_body_in_flight_is_finished<S: Subject>() {
    let mut app = App::<S>::start();
    let mut connection = Connection::open(app.addr());
    let request = place(1, "late", ORDER);
    connection.send(request.head());
    app.wait_in_flight(1);
    let addr = app.addr();
    let stopped = thread::scope(|scope| {
        let stopping = scope.spawn(|| app.stop());
        wait_until("the stop has begun", || Connection::try_open(addr).is_err());
        connection.send(ORDER);
        let answer = connection.receive().expect("it is answered").expect(201);
        assert!(answer.closes(), "{answer:?}");
        stopping.join().expect("the stop does not panic")
    });
    assert_eq!(stopped, Stopped::Drained);
    assert_eq!(app.database().orders(), 120_001);
}

/// Its request comes after the stop.
pub fn who_has_just_connected_is_still_served<S: Subject>() {
    let mut app = App::<S>::start();
    let addr = app.addr();
    let mut asker = Connection::open(addr);
    let mut fresh = [(); 5].map(|()| Connection::open(addr));
    wait_until("all are accepted", || {
        let page = asker.get("/metrics").expect(200);
        page.figure::<u64>("http_connections") == 6
    });
    let stopped = thread::scope(|scope| {
        let stopping = scope.spawn(|| app.stop());
        wait_until("it accepts no more", || Connection::try_open(addr).is_err());
        for connection in &mut fresh {
            let answer = connection.get("/ping").expect(200);
            assert!(answer.closes(), "{answer:?}");
            connection.wait_for_close();
        }
        stopping.join().expect("the stop does not panic")
    });
    assert_eq!(stopped, Stopped::Drained);
}

pub fn it_gives_up_after_the_grace_time_and_says_so<S: Subject>() {
    let mut app =
        App::<S>::with(|settings| settings.with_experiments().set("SHUTDOWN_GRACE_MS", 300));
    let mut connection = Connection::open(app.addr());
    connection.send(Request::get("/sleep?ms=9000").bytes());
    app.wait_in_flight(1);
    let (stopped, took) = stop(&mut app);
    assert_eq!(stopped, Stopped::GaveUp { connections: 1 });
    assert!(took >= Duration::from_millis(300), "it took {took:?}");
    assert!(took < SOON, "it took {took:?}");
}

pub fn nobody_is_accepted_after_the_stop<S: Subject>() {
    let mut app = App::<S>::start();
    app.stop();
    assert!(Connection::try_open(app.addr()).is_err());
}

pub fn it_starts_again_on_the_same_port_at_once<S: Subject>() {
    let app = App::<S>::start();
    let settings = Settings::of(app.database());
    let mut addr = settings.config(S::SERVICE).listen;
    for _ in 0..5 {
        let settings = settings.clone().set("LISTEN", addr);
        let running = S::start(settings.config(S::SERVICE)).expect("the port is free");
        addr = running.addr();
        // The service closes it first, so its side stays in TIME_WAIT.
        let mut connection = Connection::open(addr);
        connection.get("/ping").expect(200);
        running.stop();
        connection.wait_for_close();
    }
}

/// A program that is ready.
fn program<S: Subject>(database: &Database) -> Process {
    let settings = Settings::of(database).with_experiments();
    let process = Process::start(S::BINARY, &settings);
    process.wait_for_line("ready: ");
    process
}

fn a_signal_ends_the_program_with_success<S: Subject>(signal: Signal) {
    let database = Database::fresh();
    let process = program::<S>(&database);
    let mut connection = Connection::open(process.addr());
    connection.send(Request::get("/sleep?ms=300").bytes());
    let mut ping = Connection::open(process.addr());
    wait_until("the request is in flight", || {
        let page = ping.get("/metrics").expect(200);
        page.text().contains("http_requests_in_flight 2")
    });
    process.signal(signal);
    connection.receive().expect("it is answered").expect(200);
    assert_eq!(process.wait_for_exit().code(), Some(0));
    let line = process.wait_for_line("stopped");
    assert!(message(&line).contains("finished"), "{line}");
}

pub fn sigterm_ends_the_program_with_success<S: Subject>() {
    a_signal_ends_the_program_with_success::<S>(Signal::TERM);
}

pub fn sigint_ends_the_program_with_success<S: Subject>() {
    a_signal_ends_the_program_with_success::<S>(Signal::INT);
}

pub fn a_second_signal_ends_it_at_once<S: Subject>() {
    let database = Database::fresh();
    let process = program::<S>(&database);
    let mut connection = Connection::open(process.addr());
    connection.send(Request::get("/sleep?ms=9000").bytes());
    let mut ping = Connection::open(process.addr());
    wait_until("the request is in flight", || {
        let page = ping.get("/metrics").expect(200);
        page.text().contains("http_requests_in_flight 2")
    });
    process.terminate();
    process.wait_for_line("stopping");
    let started = Instant::now();
    process.terminate();
    let status = process.wait_for_exit();
    assert!(!status.success(), "{status}");
    assert!(started.elapsed() < SOON);
}
