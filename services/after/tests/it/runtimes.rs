//! The three ways to spread tasks over threads: each has to pass what depends
//! on it.

use std::io::ErrorKind;

use shared::config::{Runtime, Service};
use shared::server::Stopped;
use shared::testing::catcher::Catcher;
use shared::testing::http::{Connection, Request};
use shared::testing::service::{App, ORDER, Settings, Subject as _};
use shared::testing::wait::wait_until;

use crate::After;

const ALL: [Runtime; 3] = [
    Runtime::MultiThread,
    Runtime::CurrentThread,
    Runtime::PerCore,
];

fn start(change: impl Fn(Settings) -> Settings) -> impl Iterator<Item = (Runtime, App<After>)> {
    ALL.into_iter().map(move |runtime| {
        let app = App::with(|settings| change(settings).set("RUNTIME", runtime).set("WORKERS", 2));
        (runtime, app)
    })
}

#[test]
fn each_runtime_serves_writes_and_stops() {
    for (runtime, mut app) in start(|settings| settings) {
        // Several, so that each listener of per-core gets some.
        for n in 0..20 {
            app.book(1).expect(200);
            app.place(1, &format!("key-{n}"), ORDER).expect(201);
        }
        let mut idle = Connection::open(app.addr());
        idle.get("/ping").expect(200);
        assert_eq!(app.stop(), Stopped::Drained, "{runtime}");
        idle.wait_for_close();
        assert_eq!(app.database().orders(), 120_020, "{runtime}");
    }
}

#[test]
fn each_runtime_shares_out_the_pool() {
    for (runtime, app) in start(|settings| settings.set("DB_POOL", 4)) {
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| app.book(1).expect(200));
            }
        });
        let sessions = app.database().sessions("after");
        assert!((1..=4).contains(&sessions), "{runtime}: {sessions}");
        let limit = app.metric("db_pool_connections_max");
        assert!((limit - 4.0).abs() < 0.5, "{runtime}: {limit}");
    }
}

#[test]
fn on_each_runtime_each_failure_carries_its_own_request() {
    for runtime in ALL {
        let catcher = Catcher::start();
        let app = App::<After>::with(|settings| {
            settings
                .with_experiments()
                .reporting_to(&catcher)
                .set("RUNTIME", runtime)
                .set("WORKERS", 1)
        });
        std::thread::scope(|scope| {
            for n in 0..30 {
                let app = &app;
                let kind = ["error", "panic", "background"][n % 3];
                let request = Request::post(format!("/fail?kind={kind}&n={n}"))
                    .header("X-Request-Id", format!("r-{n}"));
                scope.spawn(move || app.send(&request));
            }
        });
        let mut seen = [false; 30];
        for event in catcher.wait_for(30) {
            let id = event["tags"]["request_id"].as_str().unwrap_or_default();
            let n: usize = id
                .strip_prefix("r-")
                .and_then(|n| n.parse().ok())
                .unwrap_or_else(|| panic!("{runtime}: {event:#}"));
            let query = event["request"]["query_string"].as_str();
            assert!(
                query.is_some_and(|query| query.ends_with(&format!("&n={n}"))),
                "{runtime}: {event:#}"
            );
            assert!(
                !std::mem::replace(&mut seen[n], true),
                "{runtime}: r-{n} twice"
            );
        }
    }
}

#[test]
fn two_processes_with_a_runtime_per_core_do_not_share_a_port_by_chance() {
    let app: App<After> =
        App::with(|settings| settings.set("RUNTIME", Runtime::PerCore).set("WORKERS", 2));
    let settings = Settings::of(app.database())
        .set("RUNTIME", Runtime::PerCore)
        .set("WORKERS", 2)
        .set("LISTEN", app.addr());
    let error = After::start(settings.config(Service::After)).err();
    assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::AddrInUse));
}

#[test]
fn each_runtime_shares_its_port_with_a_process_that_says_so_too() {
    for (runtime, mut app) in start(|settings| settings.set("REUSE_PORT", "on")) {
        let settings = Settings::of(app.database())
            .set("RUNTIME", runtime)
            .set("WORKERS", 2)
            .set("REUSE_PORT", "on")
            .set("LISTEN", app.addr())
            .set("DB_POOL", 3);
        let other = After::start(settings.config(Service::After)).expect("the port is shared");
        for pool in [4.0, 3.0] {
            wait_until("both get connections", || {
                let limit = app.metric("db_pool_connections_max");
                (limit - pool).abs() < 0.5
            });
        }
        assert_eq!(other.stop(), Stopped::Drained, "{runtime}");
        for _ in 0..20 {
            app.book(1).expect(200);
        }
        assert_eq!(app.stop(), Stopped::Drained, "{runtime}");
    }
}
