//! Crashes, of a service and of its database, while many orders are placed.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::testing::database::{Cluster, Database};
use crate::testing::http::{Connection, get};
use crate::testing::load::{self, Load, Outcome};
use crate::testing::port::Reserved;
use crate::testing::process::Process;
use crate::testing::service::{App, Settings, Subject};
use crate::testing::wait::{wait_until, wait_within};

const CLIENTS: usize = 200;
const POOL: u32 = 4;

/// An answer is a promise, and no answer is none: what was acknowledged is there
/// when the service comes back, and what was not can be asked for again.
fn the_service_is_killed<S: Subject>(rounds: usize) {
    let database = Database::fresh();
    let port = Reserved::any();
    let settings = Settings::of(&database)
        .set("LISTEN", port.addr())
        // All of them get their turn.
        .set("DB_ACQUIRE_TIMEOUT_MS", 5000);
    let start = || {
        let process = Process::start(S::BINARY, &settings);
        process.wait_for_line("ready: ");
        process
    };
    let mut outcomes = load::Outcomes::new();
    for round in 0..rounds {
        let process = start();
        let load = Load::start(&format!("kill-{round}"), process.addr(), CLIENTS);
        load.wait_for_placed(CLIENTS);
        process.signal(Signal::KILL);
        process.wait_for_exit();
        outcomes.extend(load.stop());
    }
    let unanswered = outcomes.values().filter(|one| **one == Outcome::Unanswered);
    assert!(unanswered.count() > 0, "nobody was in flight");
    let process = start();
    wait_until("no transaction of the dead is open", || {
        database.idle_in_transaction() == 0
    });
    load::settle(process.addr(), &database, &outcomes);
    assert_eq!(database.idle_in_transaction(), 0);
}

pub fn orders_outlive_a_kill_of_the_service<S: Subject>() {
    the_service_is_killed::<S>(1);
}

pub fn long_orders_outlive_ten_kills_of_the_service<S: Subject>() {
    the_service_is_killed::<S>(10);
}

fn the_database_is_killed<S: Subject>(rounds: usize) {
    let cluster = Cluster::start();
    let database = cluster.database();
    let settings = Settings::of(&database).set("DB_POOL", POOL);
    let app = App::<S>::on(database, &settings);
    wait_until("the service is ready", || app.ready().status == 200);
    let mut outcomes = load::Outcomes::new();
    for round in 0..rounds {
        let load = Load::start(&format!("crash-{round}"), app.addr(), CLIENTS);
        load.wait_for_placed(CLIENTS);
        cluster.kill();
        app.ping().expect(200);
        cluster.start_again();
        cluster.wait_until_it_answers();
        wait_within(Duration::from_secs(5), "the first 200", || {
            app.book(1).status == 200
        });
        load.wait_for_placed(CLIENTS);
        outcomes.extend(load.stop());
    }
    for (key, outcome) in &outcomes {
        // The service was there all the time, and knows what 503 is.
        let fine = matches!(outcome, Outcome::Placed(_) | Outcome::Refused(503));
        assert!(fine, "{key}: {outcome:?}");
    }
    load::settle(app.addr(), app.database(), &outcomes);
    app.is_whole_again(POOL);
}

pub fn orders_outlive_a_kill_of_the_database<S: Subject>() {
    the_database_is_killed::<S>(1);
}

pub fn long_orders_outlive_ten_kills_of_the_database<S: Subject>() {
    the_database_is_killed::<S>(10);
}

/// A pool that tries again and again without a pause takes a whole core.
fn nothing_spins_while_the_database_is_away<S: Subject>(gap: Duration) {
    let cluster = Cluster::start();
    let database = cluster.database();
    let process = Process::start(S::BINARY, &Settings::of(&database).set("DB_POOL", POOL));
    process.wait_for_line("ready: ");
    let load = Load::start("gap", process.addr(), 50);
    load.wait_for_placed(50);
    cluster.kill();
    wait_until("it is noticed", || {
        get(process.addr(), "/ready").status == 503
    });
    let mut idle = Connection::open(process.addr());
    idle.get("/ping").expect(200);
    let (started, before) = (Instant::now(), process.cpu_time());
    assert!(!idle.closes_within(gap), "it is kept open");
    let (took, used) = (started.elapsed(), process.cpu_time().saturating_sub(before));
    // Fifty clients ask once a second, and are told to come back.
    assert!(used < took.mul_f64(0.4), "{used:?} of {took:?}");
    cluster.start_again();
    cluster.wait_until_it_answers();
    wait_within(Duration::from_secs(5), "the first 200", || {
        get(process.addr(), "/markets/1/book").status == 200
    });
    load.wait_for_placed(50);
    load.stop();
    let told = process.log();
    let warnings = told.iter().filter(|line| line["level"] == "ERROR");
    assert_eq!(warnings.count(), 0, "a database that is away is no bug");
}

pub fn nothing_spins_while_the_killed_database_is_away<S: Subject>() {
    nothing_spins_while_the_database_is_away::<S>(Duration::from_millis(1500));
}

pub fn long_nothing_spins_while_the_killed_database_is_away<S: Subject>() {
    nothing_spins_while_the_database_is_away::<S>(Duration::from_secs(10));
}
