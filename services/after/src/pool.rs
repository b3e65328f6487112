//! Connections to the database, kept by sqlx.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::config::{Database, DatabaseUrl, Host};
use shared::metrics::{Metrics, Sample};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions as _, PgPool, Postgres};
use tokio::runtime::Handle;

use crate::error::Error;

/// The pool of one runtime.
pub(crate) struct Pool {
    inner: PgPool,
    all: Pools,
    metrics: Arc<Metrics>,
}

impl Pool {
    /// Sets the pool up; connections are opened when they are asked for.
    pub(crate) fn new(config: &Database, most: usize, all: &Pools, metrics: Arc<Metrics>) -> Self {
        let inner = PgPoolOptions::new()
            .max_connections(u32::try_from(most).expect("the configuration has a limit"))
            .acquire_timeout(config.acquire_timeout)
            .connect_lazy_with(options(config, "after"));
        all.add(inner.clone());
        Self {
            inner,
            all: all.clone(),
            metrics,
        }
    }

    /// Lends a connection. While there is none, this task waits, for as long as
    /// a connection may take, and the thread serves others.
    pub(crate) async fn get(&self) -> Result<PoolConnection<Postgres>, Error> {
        let waited = self.metrics.pool_wait.start_timer();
        let connection = self.inner.acquire().await?;
        waited.observe_duration();
        Ok(connection)
    }

    /// The figures of all pools at this moment.
    pub(crate) fn sample(&self) -> Sample {
        self.all.sample()
    }
}

/// The pools of all runtimes: there are several with `RUNTIME=per-core`, and
/// `/metrics`, which only one of them answers, speaks for all.
#[derive(Clone, Default)]
pub struct Pools(Arc<Mutex<Vec<(PgPool, Handle)>>>);

impl Pools {
    /// A std mutex, which blocks: it is held for a few instructions and never
    /// across an `.await`.
    fn lock(&self) -> MutexGuard<'_, Vec<(PgPool, Handle)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, pool: PgPool) {
        self.lock().push((pool, Handle::current()));
    }

    fn sample(&self) -> Sample {
        let mut sample = Sample::default();
        for (pool, runtime) in &*self.lock() {
            let size = pool.size() as usize;
            sample.pool_size += size;
            sample.pool_in_use += size.saturating_sub(pool.num_idle());
            sample.pool_limit += pool.options().get_max_connections() as usize;
            sample.tasks += runtime.metrics().num_alive_tasks();
        }
        sample
    }
}

/// Opens a connection.
pub(crate) async fn connect(config: &Database, name: &str) -> Result<PgConnection, sqlx::Error> {
    let options = options(config, name);
    match tokio::time::timeout(config.acquire_timeout, options.connect()).await {
        Ok(connected) => connected,
        Err(_) => Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())),
    }
}

fn options(config: &Database, name: &str) -> PgConnectOptions {
    let limit = config.statement_timeout.as_millis().to_string();
    address(&config.url)
        .application_name(name)
        // Postgres itself ends what nobody waits for any more.
        .options([
            ("statement_timeout", &limit),
            ("lock_timeout", &limit),
            ("idle_in_transaction_session_timeout", &limit),
        ])
        // A line for each statement costs more than the statement.
        .disable_statement_logging()
}

fn address(url: &DatabaseUrl) -> PgConnectOptions {
    let options = PgConnectOptions::new_without_pgpass()
        .port(url.port())
        .username(url.user())
        .database(url.name())
        .ssl_mode(PgSslMode::Disable);
    let options = match url.password() {
        Some(password) => options.password(password),
        None => options,
    };
    match url.host() {
        Host::Tcp(host) => options.host(host),
        Host::Unix(folder) => options.socket(folder),
    }
}
