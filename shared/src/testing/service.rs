//! A running service, so that one suite can be run against both.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use super::catcher::Catcher;
use super::database::Database;
use super::http::{Request, Response, send};
use super::wait::{wait_until, wait_within};
use crate::config::{Config, Service};
use crate::server::Stopped;

/// One of the two services, as its tests hand it to the suites.
pub trait Subject: Sized + Send + Sync + 'static {
    /// Which one it is.
    const SERVICE: Service;
    /// Where its program was built.
    const BINARY: &'static str;

    /// Starts it; returns when it listens.
    ///
    /// # Errors
    /// If it cannot listen.
    fn start(config: Config) -> io::Result<Self>;

    /// Where it listens.
    fn addr(&self) -> SocketAddr;

    /// Stops it, gracefully.
    fn stop(self) -> Stopped;
}

/// The variables of a service. Kept as text, since the real program takes the
/// same ones.
#[derive(Clone, Debug)]
pub struct Settings(BTreeMap<&'static str, String>);

impl Settings {
    /// What tests want if they do not care: a free port and few sessions. The
    /// limits are the defaults, which are long enough for a busy machine.
    pub fn of(database: &Database) -> Self {
        Self(BTreeMap::new())
            .set("DATABASE_URL", database.url())
            .set("LISTEN", "127.0.0.1:0")
            .set("DB_POOL", 4)
    }

    /// No variable at all.
    pub fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Sets a variable.
    #[must_use]
    pub fn set(mut self, name: &'static str, value: impl Display) -> Self {
        self.0.insert(name, value.to_string());
        self
    }

    /// Serves `/sleep` and `/fail` as well.
    #[must_use]
    pub fn with_experiments(self) -> Self {
        self.set("EXPERIMENTS", "on")
    }

    /// Reports errors to a catcher.
    #[must_use]
    pub fn reporting_to(self, catcher: &Catcher) -> Self {
        self.set("SENTRY_DSN", catcher.dsn())
    }

    /// All variables.
    pub fn variables(&self) -> &BTreeMap<&'static str, String> {
        &self.0
    }

    /// The configuration that they make.
    ///
    /// # Panics
    /// If there is a mistake in them.
    pub fn config(&self, service: Service) -> Config {
        Config::read(service, |name| self.0.get(name).cloned())
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A service and its database, with a method for each route. Both go with it.
pub struct App<S: Subject> {
    running: Option<S>,
    addr: SocketAddr,
    database: Database,
}

impl<S: Subject> App<S> {
    /// A ready service on seed data.
    pub fn start() -> Self {
        Self::with(|settings| settings)
    }

    /// A ready service on seed data, with settings of its own.
    pub fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        let database = Database::fresh();
        let settings = change(Settings::of(&database));
        let app = Self::on(database, &settings);
        wait_until("the service is ready", || app.ready().status == 200);
        app
    }

    /// A service that may not be ready, on a database that may be anything.
    ///
    /// # Panics
    /// If it does not start.
    pub fn on(database: Database, settings: &Settings) -> Self {
        let running = S::start(settings.config(S::SERVICE))
            .unwrap_or_else(|error| panic!("the service does not start: {error}"));
        Self {
            addr: running.addr(),
            running: Some(running),
            database,
        }
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Its database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Stops the service; the database stays.
    ///
    /// # Panics
    /// If it was stopped before.
    pub fn stop(&mut self) -> Stopped {
        self.running.take().expect("it is stopped once").stop()
    }

    /// Any request, on a connection of its own.
    pub fn send(&self, request: &Request) -> Response {
        send(self.addr, request)
    }

    fn get(&self, target: &str) -> Response {
        self.send(&Request::get(target))
    }

    /// `GET /ping`
    pub fn ping(&self) -> Response {
        self.get("/ping")
    }

    /// `GET /ready`
    pub fn ready(&self) -> Response {
        self.get("/ready")
    }

    /// `GET /markets`
    pub fn markets(&self) -> Response {
        self.get("/markets")
    }

    /// `GET /markets/{id}/book`
    pub fn book(&self, market: i64) -> Response {
        self.get(&format!("/markets/{market}/book"))
    }

    /// `POST /markets/{id}/orders`
    pub fn place(&self, market: i64, key: &str, order: &str) -> Response {
        self.send(&place(market, key, order))
    }

    /// `GET /orders/{id}`
    pub fn order(&self, id: i64) -> Response {
        self.get(&format!("/orders/{id}"))
    }

    /// `DELETE /orders/{id}`
    pub fn cancel(&self, id: i64) -> Response {
        self.send(&Request::new("DELETE", format!("/orders/{id}")))
    }

    /// `GET /sleep`
    pub fn sleep(&self, ms: u32) -> Response {
        self.get(&format!("/sleep?ms={ms}"))
    }

    /// `POST /fail`
    pub fn fail(&self, kind: &str) -> Response {
        self.send(&Request::post(format!("/fail?kind={kind}")))
    }

    /// The value of one figure of `GET /metrics`.
    ///
    /// # Panics
    /// If there is no such figure.
    pub fn metric(&self, name: &str) -> f64 {
        self.get("/metrics").expect(200).figure(name)
    }

    /// Whether so many connections of the pool can be used at the same moment:
    /// so many requests wait for one lock, and get their answers.
    pub fn lends_at_once(&self, count: u32) -> bool {
        let lock = self.database.lock("orders");
        thread::scope(|scope| {
            let askers: Vec<_> = (0..count)
                .map(|_| scope.spawn(|| self.book(1).status))
                .collect();
            let mut all_wait = false;
            wait_until("each has a connection, or some got none", || {
                all_wait = self.database.waiting_for_locks() == i64::from(count);
                all_wait || askers.iter().any(ScopedJoinHandle::is_finished)
            });
            drop(lock);
            let statuses = askers.into_iter().map(ScopedJoinHandle::join);
            // Each has to be waited for.
            let answered = statuses.filter(|status| matches!(status, Ok(200))).count();
            all_wait && answered == count as usize
        })
    }

    /// Checks that nothing is left of what went wrong: within two seconds all
    /// connections of the pool can be used again and have come back, and no
    /// request is left behind.
    ///
    /// # Panics
    /// If not.
    pub fn is_whole_again(&self, pool: u32) {
        let soon = Duration::from_secs(2);
        wait_within(soon, "the whole pool can be used", || {
            self.lends_at_once(pool)
        });
        wait_within(soon, "all connections have come back", || {
            self.metric("db_pool_connections_in_use") < 0.5
        });
        wait_within(soon, "no request is in flight", || {
            // But for the one that asks.
            self.metric("http_requests_in_flight") < 1.5
        });
        assert_eq!(self.database.idle_in_transaction(), 0);
    }

    /// Waits until so many requests are being served.
    pub fn wait_in_flight(&self, count: u32) {
        wait_until("the requests are in flight", || {
            // The request that asks is one of them.
            self.metric("http_requests_in_flight") >= f64::from(count + 1)
        });
    }
}

impl<S: Subject> Drop for App<S> {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }
}

/// A request that places an order.
pub fn place(market: i64, key: &str, order: &str) -> Request {
    Request::new("POST", format!("/markets/{market}/orders"))
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", key)
        .body(order)
}

/// An order on the first contract of the first market that crosses no other.
pub const ORDER: &str = r#"{"contract":1,"side":"buy","price_bp":700,"quantity":3}"#;
