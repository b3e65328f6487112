//! A real Postgres database, private to a test: a copy of a template that is
//! migrated and seeded once, dropped at the end. Or, for those who kill the
//! server, one on a server of its own ([`Cluster`]).

mod cluster;
mod leftovers;
mod server;
mod template;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::types::{FromSqlOwned, Type};
use postgres::{Client, NoTls};
use url::Url;

pub use cluster::Cluster;
use leftovers::Run;

/// A database that lives as long as this value.
pub struct Database {
    name: String,
    url: Url,
    /// Whether it goes with a server of its own.
    on_cluster: bool,
    /// How many orders it began with.
    seeded: i64,
}

impl Database {
    /// A database with the schema and the seed data.
    pub fn fresh() -> Self {
        let run = Run::this();
        Self::create(run, template::name(run), template::ORDERS)
    }

    /// A database without anything in it.
    pub fn empty() -> Self {
        Self::create(Run::this(), "template0", 0)
    }

    fn create(run: &Run, template: &str, seeded: i64) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = run.database_name(NEXT.fetch_add(1, Ordering::Relaxed));
        server::execute(&format!("CREATE DATABASE {name} TEMPLATE {template}"));
        Self {
            url: server::url_of(&name),
            name,
            on_cluster: false,
            seeded,
        }
    }

    /// Its name on the server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its address, for `DATABASE_URL`.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Its address by way of a relay.
    pub fn url_over(&self, relay: SocketAddr) -> String {
        let mut url = self.url.clone();
        url.set_ip_host(relay.ip())
            .and_then(|()| url.set_port(Some(relay.port())))
            .expect("a postgres URL can have any host and port");
        url.set_query(None);
        url.into()
    }

    /// A session of its own, with the rights of a superuser.
    ///
    /// # Panics
    /// If the server does not let us in.
    pub fn connect(&self) -> Client {
        Client::connect(self.url(), NoTls)
            .unwrap_or_else(|error| panic!("no session on {}: {error:?}", self.name))
    }

    /// Runs statements.
    ///
    /// # Panics
    /// If one fails.
    pub fn execute(&self, sql: &str) {
        self.connect()
            .batch_execute(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    /// The one value of a query.
    ///
    /// # Panics
    /// If it fails or has another number of rows.
    pub fn query_one<T: FromSqlOwned>(&self, sql: &str) -> T {
        self.connect()
            .query_one(sql, &[])
            .unwrap_or_else(|error| panic!("{sql}: {error:?}"))
            .get(0)
    }

    /// How many orders there are.
    pub fn orders(&self) -> i64 {
        self.query_one("SELECT count(*) FROM orders")
    }

    /// How many orders were placed since it was made.
    pub fn placed(&self) -> i64 {
        self.orders() - self.seeded
    }

    /// How many sessions wait for a lock.
    pub fn waiting_for_locks(&self) -> i64 {
        self.count_sessions("wait_event_type = 'Lock'")
    }

    /// How many sessions are inside a transaction and do nothing.
    pub fn idle_in_transaction(&self) -> i64 {
        self.count_sessions("state LIKE 'idle in transaction%'")
    }

    fn count_sessions(&self, condition: &str) -> i64 {
        self.query_one(&format!(
            "SELECT count(*) FROM pg_stat_activity \
             WHERE datname = current_database() AND {condition}"
        ))
    }

    /// Locks a table as long as the session lives.
    ///
    /// # Panics
    /// If somebody holds it.
    pub fn lock(&self, table: &str) -> Client {
        let mut session = self.connect();
        session
            .batch_execute(&format!(
                "SET lock_timeout = 10000; BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"
            ))
            .unwrap_or_else(|error| panic!("{table} cannot be locked: {error:?}"));
        session
    }

    /// How many sessions the service with this `application_name` has open.
    ///
    /// # Panics
    /// If the query fails.
    pub fn sessions(&self, application: &str) -> i64 {
        const SQL: &str = "SELECT count(*) FROM pg_stat_activity \
                           WHERE datname = current_database() AND application_name = $1";
        self.connect()
            .query_typed(SQL, &[(&application, Type::TEXT)])
            .expect("pg_stat_activity can be read")[0]
            .get(0)
    }

    /// Ends all sessions but the caller's own.
    pub fn end_sessions(&self) {
        self.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !self.on_cluster {
            server::drop_database(&self.name);
        }
    }
}
