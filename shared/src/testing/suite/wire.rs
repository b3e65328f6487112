//! The wire to the database: slow, and dead.
//!
//! A dead wire is the worst of all: nothing is refused and nothing is closed, so
//! whoever waits without a limit of his own waits for ever.

use std::time::{Duration, Instant};

use super::at_once;
use crate::server::Stopped;
use crate::testing::catcher::Catcher;
use crate::testing::database::Database;
use crate::testing::http::{Connection, Request, Response, get, send};
use crate::testing::load::{self, Load, Outcome};
use crate::testing::process::{Process, message};
use crate::testing::relay::Relay;
use crate::testing::service::{App, ORDER, Settings, Subject, place};
use crate::testing::wait::{wait_until, wait_within};

const POOL: u32 = 4;
const ACQUIRE: Duration = Duration::from_millis(500);
const STATEMENT: Duration = Duration::from_millis(800);
/// What a busy machine may take on top of a limit.
const MARGIN: Duration = Duration::from_millis(1200);

/// What touches no database, however busy the machine.
const PROMPT: Duration = Duration::from_millis(500);

/// Settings for a database at the other end of a wire.
fn over(relay: &Relay, database: &Database) -> Settings {
    Settings::of(database)
        .set("DATABASE_URL", database.url_over(relay.addr()))
        .set("DB_POOL", POOL)
        .set("DB_ACQUIRE_TIMEOUT_MS", ACQUIRE.as_millis())
        .set("DB_STATEMENT_TIMEOUT_MS", STATEMENT.as_millis())
        .set("REQUEST_TIMEOUT_MS", 4000)
}

/// A service whose pool is at its full size, and its wire.
fn warm<S: Subject>(change: impl FnOnce(Settings) -> Settings) -> (App<S>, Relay) {
    let database = Database::fresh();
    let relay = Relay::to(&database);
    let settings = change(over(&relay, &database));
    let app = App::<S>::on(database, &settings);
    wait_until("the service is ready", || app.ready().status == 200);
    wait_until("the pool is at its full size", || app.lends_at_once(POOL));
    (app, relay)
}

/// A client that waits for so long only, and leaves.
fn impatient<S: Subject>(app: &App<S>, request: &Request, patience: Duration) {
    let mut connection = Connection::open(app.addr()).patience(patience);
    connection.send(request.bytes());
    if connection.receive().is_err() {
        connection.reset();
    }
}

/// Clients leave while the `BEGIN` of their order is on the wire, and while all
/// that follows it is. Nobody after them may be handed a connection that is
/// still inside of their transaction.
fn clients_leave_on_a_slow_wire<S: Subject>(rounds: usize) {
    let catcher = Catcher::start();
    let (app, relay) = warm::<S>(|settings| {
        settings
            .set("DB_ACQUIRE_TIMEOUT_MS", 1500)
            .set("DB_STATEMENT_TIMEOUT_MS", 5000)
            .reporting_to(&catcher)
    });
    for round in 0..rounds {
        relay.delay(Duration::from_millis(50));
        // No more at once than there are connections: each is on the wire when
        // its client leaves, from before the first answer to after the last.
        for step in 0..7 {
            at_once(POOL as usize, |client| {
                let n = step * POOL as usize + client;
                let request = match n % 7 {
                    0 => Request::new("DELETE", format!("/orders/{}", n + 1)),
                    1 => Request::get("/markets/1/book"),
                    _ => place(1, &format!("left-{round}-{n}"), ORDER),
                };
                impatient(&app, &request, Duration::from_millis(10 + 20 * n as u64));
            });
            // Looked at each time: the next order would end it, and hide it.
            wait_within(Duration::from_secs(2), "no transaction is open", || {
                app.database().idle_in_transaction() == 0
            });
        }
        relay.delay(Duration::ZERO);
        at_once(10, |client| {
            for n in 0..5 {
                // One that finds all connections busy still is asked to wait.
                let key = format!("after-{round}-{client}-{n}");
                let mut placed = None;
                wait_until("an order is taken", || {
                    let answer = app.place(1, &key, ORDER);
                    assert!([201, 503].contains(&answer.status), "{answer:?}");
                    placed = (answer.status == 201).then_some(answer);
                    placed.is_some()
                });
                let id = placed.expect("it was waited for").json()["id"].as_i64();
                // Seen by another session than the service's.
                let seen: i64 = app.database().query_one(&format!(
                    "SELECT count(*) FROM orders WHERE id = {}",
                    id.expect("an order has an id")
                ));
                assert_eq!(seen, 1, "{key} was acknowledged");
                app.book(1).expect(200);
            }
        });
    }
    app.is_whole_again(POOL);
    load::stored(app.database());
    assert_eq!(catcher.posted(), 0, "{:#?}", catcher.events());
}

pub fn clients_that_leave_on_a_slow_wire_leave_clean_connections<S: Subject>() {
    clients_leave_on_a_slow_wire::<S>(1);
}

pub fn long_clients_that_leave_on_a_slow_wire_leave_clean_connections<S: Subject>() {
    clients_leave_on_a_slow_wire::<S>(15);
}

/// Asks for all sorts of things at once; says what came and after how long.
fn ask_for_all_sorts<S: Subject>(app: &App<S>, name: &str) -> Vec<(Response, Duration)> {
    at_once(3 * POOL as usize, |n| {
        let started = Instant::now();
        let answer = match n % 6 {
            0 => app.place(1, &format!("{name}-{n}"), ORDER),
            1 => app.cancel(1),
            2 => app.ready(),
            3 => app.order(7),
            4 => app.markets(),
            _ => app.book(1),
        };
        (answer, started.elapsed())
    })
}

fn assert_unavailable_in_time(answers: Vec<(Response, Duration)>) {
    for (answer, took) in answers {
        let answer = answer.expect(503);
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert!(took < ACQUIRE + STATEMENT + MARGIN, "it took {took:?}");
    }
}

pub fn a_dead_wire_is_503_in_time_and_the_rest_lives<S: Subject>() {
    let (app, relay) = warm::<S>(|settings| settings);
    for round in ["first", "second"] {
        relay.swallow();
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| ask_for_all_sorts(&app, round));
            while !asking.is_finished() {
                let started = Instant::now();
                app.ping().expect(200);
                assert!(started.elapsed() < PROMPT, "{:?}", started.elapsed());
            }
            assert_unavailable_in_time(asking.join().expect("they are answered"));
        });
        // Those that come later too, on connections that are opened for them.
        assert_unavailable_in_time(ask_for_all_sorts(&app, &format!("{round}-later")));
        relay.mend();
        app.is_whole_again(POOL);
    }
    assert_eq!(app.database().placed(), 0, "nothing came over the wire");
}

/// Nobody asks for anything while the wire is dead: what was open in the pool
/// looks as good as before.
pub fn a_wire_that_died_unseen_costs_one_limit<S: Subject>() {
    let (app, relay) = warm::<S>(|settings| settings);
    relay.swallow();
    relay.mend();
    let started = Instant::now();
    for answer in at_once(POOL as usize, |_| app.book(1)) {
        assert!([200, 503].contains(&answer.status), "{answer:?}");
    }
    let took = started.elapsed();
    assert!(took < ACQUIRE + STATEMENT + MARGIN, "it took {took:?}");
    app.is_whole_again(POOL);
}

/// The wire dies between any two statements, and between a `COMMIT` and its
/// answer.
pub fn orders_on_a_dying_wire_are_there_once<S: Subject>() {
    let (app, relay) = warm::<S>(|settings| settings.set("DB_ACQUIRE_TIMEOUT_MS", 1000));
    relay.delay(Duration::from_millis(5));
    let load = Load::start("dying", app.addr(), 12);
    for _ in 0..2 {
        load.wait_for_placed(20);
        relay.swallow();
        wait_until("it is noticed", || app.book(1).status == 503);
        relay.mend();
    }
    load.wait_for_placed(20);
    let outcomes = load.stop();
    for (key, outcome) in &outcomes {
        let fine = matches!(outcome, Outcome::Placed(_) | Outcome::Refused(503));
        assert!(fine, "{key}: {outcome:?}");
    }
    relay.delay(Duration::ZERO);
    wait_until("Postgres has ended what nobody goes on with", || {
        app.database().idle_in_transaction() == 0
    });
    load::settle(app.addr(), app.database(), &outcomes);
    app.is_whole_again(POOL);
}

pub fn a_wire_that_is_dead_at_the_start_is_waited_for<S: Subject>() {
    let database = Database::fresh();
    let relay = Relay::cut_to(&database);
    relay.swallow();
    let process = Process::start(S::BINARY, &over(&relay, &database));
    let addr = process.addr();
    get(addr, "/ping").expect(200);
    let started = Instant::now();
    let answer = get(addr, "/ready").expect(503);
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(started.elapsed() < ACQUIRE + STATEMENT + MARGIN);
    let line = process.wait_for_line("not ready");
    assert!(message(&line).contains(&relay.addr().to_string()), "{line}");
    relay.mend();
    wait_within(Duration::from_secs(2), "it is ready", || {
        get(addr, "/ready").status == 200
    });
    process.wait_for_line("ready: ");
}

pub fn a_stop_on_a_dead_wire_ends_in_time<S: Subject>() {
    let (mut app, relay) = warm::<S>(|settings| settings.set("SHUTDOWN_GRACE_MS", 4000));
    relay.swallow();
    let addr = app.addr();
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..2 * POOL)
            .map(|n| {
                scope.spawn(move || match n % 2 {
                    0 => get(addr, "/markets/1/book"),
                    _ => send(addr, &place(1, &format!("stop-{n}"), ORDER)),
                })
            })
            .collect();
        app.wait_in_flight(2 * POOL);
        let started = Instant::now();
        // What is in flight ends by its own limits, long before the grace time.
        assert_eq!(app.stop(), Stopped::Drained);
        let took = started.elapsed();
        assert!(took < ACQUIRE + STATEMENT + MARGIN, "it took {took:?}");
        for answer in asking {
            answer.join().expect("all are answered").expect(503);
        }
    });
}

/// The same for the program, while it still looks for its database.
pub fn a_signal_on_a_wire_that_was_dead_from_the_start_ends_the_program<S: Subject>() {
    let database = Database::fresh();
    let relay = Relay::cut_to(&database);
    relay.swallow();
    let process = Process::start(S::BINARY, &over(&relay, &database));
    get(process.addr(), "/ping").expect(200);
    let started = Instant::now();
    process.terminate();
    assert_eq!(process.wait_for_exit().code(), Some(0));
    let took = started.elapsed();
    assert!(took < ACQUIRE + STATEMENT + MARGIN, "it took {took:?}");
}
