//! The database: slow, gone, and back.

use std::time::{Duration, Instant};

use super::at_once;
use crate::testing::database::Database;
use crate::testing::http::Connection;
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
