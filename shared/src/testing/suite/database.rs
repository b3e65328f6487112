//! The database: slow, gone, and back.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::at_once;
use crate::testing::database::Database;
use crate::testing::http::{Connection, Response};
use crate::testing::relay::Relay;
use crate::testing::service::{App, ORDER, Settings, Subject};
use crate::testing::wait::{wait_until, wait_within};

pub fn a_table_that_is_locked_costs_the_statement_limit_and_no_more<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("DB_STATEMENT_TIMEOUT_MS", 200));
    let session = app.database().lock("orders");
    let started = Instant::now();
    let answer = app.book(1).expect(503);
    let took = started.elapsed();
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(took < Duration::from_secs(2), "it took {took:?}");
    drop(session);
    wait_until("the book is there again", || app.book(1).status == 200);
}

pub fn an_empty_pool_is_503_in_time_and_the_rest_lives<S: Subject>() {
    let app = App::<S>::with(|settings| {
        settings
            .set("DB_POOL", 2)
            .set("DB_ACQUIRE_TIMEOUT_MS", 300)
            .set("DB_STATEMENT_TIMEOUT_MS", 3000)
    });
    let session = app.database().lock("orders");
    let addr = app.addr();
    let answers = at_once(11, |number| {
        let started = Instant::now();
        if number == 0 {
            // While the others wait.
            app.wait_in_flight(3);
            for _ in 0..50 {
                let started = Instant::now();
                app.ping().expect(200);
                assert!(started.elapsed() < Duration::from_millis(500));
            }
            return None;
        }
        let answer = Connection::open(addr).get("/markets/1/book");
        Some((answer.status, started.elapsed()))
    });
    // Two have a connection and wait for the lock, eight wait for a connection.
    let mut took: Vec<_> = answers.into_iter().flatten().collect();
    took.sort_by_key(|(_, took)| *took);
    assert!(took.iter().all(|(status, _)| *status == 503), "{took:?}");
    let surplus = took[7].1;
    assert!(surplus < Duration::from_millis(1500), "{took:?}");
    drop(session);
    wait_within(Duration::from_secs(1), "the book is there again", || {
        app.book(1).status == 200
    });
    let size = app.metric("db_pool_connections");
    assert!((1.0..=2.0).contains(&size), "{size} connections");
}

pub fn a_full_pool_is_no_reason_to_take_the_service_away<S: Subject>() {
    const POOL: u32 = 2;
    const WAITING: u32 = 20;
    let app = App::<S>::with(|settings| {
        settings
            .set("DB_POOL", POOL)
            .set("DB_ACQUIRE_TIMEOUT_MS", 9000)
            .set("DB_STATEMENT_TIMEOUT_MS", 9000)
    });
    let lock = app.database().lock("orders");
    thread::scope(|scope| {
        let asking: Vec<_> = (0..WAITING).map(|_| scope.spawn(|| app.book(1))).collect();
        wait_until("all connections are in use", || {
            app.database().waiting_for_locks() == i64::from(POOL)
        });
        app.wait_in_flight(WAITING);
        // Two probes at once may wait for each other, and for nobody else.
        at_once(2, |_| {
            for _ in 0..10 {
                let started = Instant::now();
                app.ready().expect(200);
                app.ping().expect(200);
                assert!(started.elapsed() < Duration::from_secs(1));
            }
        });
        assert_eq!(app.database().waiting_for_locks(), i64::from(POOL));
        let size = app.metric("db_pool_connections");
        assert!((size - f64::from(POOL)).abs() < 0.5, "{size} connections");
        drop(lock);
        for answer in asking {
            answer.join().expect("all are answered").expect(200);
        }
    });
}

/// The wire is slow, so that two connections give 100 answers a second at the
/// most, on an idle machine. Some keep a line standing from which that can be
/// seen; then come many more than can be served in time.
pub fn who_comes_to_a_line_that_is_too_long_is_refused_at_once<S: Subject>() {
    const POOL: u32 = 2;
    const STEADY: usize = 20;
    const BURST: usize = 120;
    const LIMIT: Duration = Duration::from_secs(2);
    let database = Database::fresh();
    let relay = Relay::to(&database);
    let settings = Settings::of(&database)
        .set("DATABASE_URL", database.url_over(relay.addr()))
        .set("DB_POOL", POOL)
        .set("DB_ACQUIRE_TIMEOUT_MS", LIMIT.as_millis());
    let app = App::<S>::on(database, &settings);
    wait_until("the pool is at its full size", || app.lends_at_once(POOL));
    relay.delay(Duration::from_millis(10));
    let (done, served) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut burst = thread::scope(|scope| {
        for _ in 0..STEADY {
            scope.spawn(|| {
                let mut connection = Connection::open(app.addr());
                while !done.load(Ordering::Relaxed) {
                    let answer = connection.get("/markets/1/book");
                    if answer.status == 200 {
                        served.fetch_add(1, Ordering::Relaxed);
                    } else {
                        assert_refused(&answer);
                    }
                }
            });
        }
        let started = Instant::now();
        wait_until("the line is known", || {
            started.elapsed() > LIMIT && served.load(Ordering::Relaxed) > STEADY
        });
        let burst = at_once(BURST, |_| {
            let mut connection = Connection::open(app.addr());
            let started = Instant::now();
            let answer = connection.get("/markets/1/book");
            (answer, started.elapsed())
        });
        done.store(true, Ordering::Relaxed);
        burst
    });
    burst.sort_by_key(|(_, took)| *took);
    let refused = burst.iter().filter(|(answer, _)| answer.status != 200);
    let refused: Vec<_> = refused
        .map(|(answer, took)| {
            assert_refused(answer);
            *took
        })
        .collect();
    let took: Vec<_> = burst.iter().map(|(answer, t)| (answer.status, t)).collect();
    assert!(refused.len() > BURST / 8, "{took:?}");
    // Long before those who are let in have waited for their turn.
    assert!(refused[refused.len() / 2] < LIMIT / 4, "{took:?}");
    relay.delay(Duration::ZERO);
    app.is_whole_again(POOL);
    at_once(STEADY, |_| app.book(1).expect(200));
}

fn assert_refused(answer: &Response) {
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.header("retry-after"), Some("1"));
}

pub fn sessions_that_the_server_ended_are_never_lent<S: Subject>() {
    let app = App::<S>::start();
    // One that uses all connections of the pool at once.
    at_once(8, |_| app.book(1).expect(200));
    for _ in 0..3 {
        app.database().end_sessions();
        wait_until("the sessions are ended", || {
            app.database().sessions(S::SERVICE.name()) == 0
        });
        for _ in 0..10 {
            app.book(1).expect(200);
        }
    }
}

fn a_database_goes_away_and_comes_back<S: Subject>(rounds: usize, gap: Duration) {
    const POOL: u32 = 4;
    const ACQUIRE: Duration = Duration::from_millis(300);
    let database = Database::fresh();
    let relay = Relay::to(&database);
    let settings = Settings::of(&database)
        .set("DATABASE_URL", database.url_over(relay.addr()))
        .set("DB_POOL", POOL)
        .set("DB_ACQUIRE_TIMEOUT_MS", ACQUIRE.as_millis());
    let app = App::<S>::on(database, &settings);
    for _ in 0..rounds {
        wait_until("the pool is at its full size", || app.lends_at_once(POOL));
        relay.cut();
        let gone = Instant::now();
        loop {
            for (answer, took) in at_once(10, |n| {
                let started = Instant::now();
                let answer = match n % 2 {
                    0 => app.book(1),
                    _ => app.place(1, &format!("away-{n}"), ORDER),
                };
                (answer, started.elapsed())
            }) {
                let answer = answer.expect(503);
                assert_eq!(answer.header("retry-after"), Some("1"));
                assert!(took < ACQUIRE + Duration::from_secs(1), "it took {took:?}");
            }
            app.ready().expect(503);
            let started = Instant::now();
            app.ping().expect(200);
            assert!(started.elapsed() < Duration::from_millis(500));
            if gone.elapsed() > gap {
                break;
            }
        }
        relay.mend();
        wait_within(Duration::from_secs(2), "the first 200", || {
            app.book(1).status == 200
        });
        app.is_whole_again(POOL);
    }
    assert_eq!(app.database().placed(), 0);
    wait_until("the service is ready", || app.ready().status == 200);
}

pub fn a_database_that_comes_back_is_used_again<S: Subject>() {
    a_database_goes_away_and_comes_back::<S>(2, Duration::from_millis(700));
}

pub fn long_a_database_that_comes_back_after_half_a_minute_is_used_again<S: Subject>() {
    a_database_goes_away_and_comes_back::<S>(1, Duration::from_secs(30));
}

pub fn a_password_that_is_wrong_is_not_shown<S: Subject>() {
    let database = Database::fresh();
    database.execute(
        "DO $$ BEGIN CREATE ROLE t2t_nobody NOLOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
    );
    let url = database.url().replacen("postgres://", "", 1);
    let (_, place) = url.rsplit_once('@').expect("the address names a user");
    let settings = Settings::of(&database)
        .set(
            "DATABASE_URL",
            format!("postgres://t2t_nobody:hunter2@{place}"),
        )
        .set("DB_ACQUIRE_TIMEOUT_MS", 300);
    let app = App::<S>::on(database, &settings);
    for answer in [app.ready(), app.book(1)] {
        let answer = answer.expect(503);
        for inside in [
            "hunter2",
            "t2t_nobody",
            "password",
            "127.0.0.1",
            "localhost",
        ] {
            assert!(!answer.text().contains(inside), "{answer:?}");
        }
    }
}
