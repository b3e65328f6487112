//! Connections to the database, kept by r2d2.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use postgres::{Client, NoTls, Statement};
use r2d2::{ManageConnection, PooledConnection};
use shared::config::{Database, DatabaseUrl, Host};
use shared::error::{Error as SharedError, Unavailable};
use shared::metrics::{Metrics, Sample};
use shared::middleware::{blocking, panic};

use crate::error::Error;

/// How long a connection may have been idle and still be lent out without
/// asking the server. Under load connections change hands within microseconds
/// and are not asked; after a pause, a round trip goes unnoticed.
const FRESH: Duration = Duration::from_millis(10);

/// The pool.
pub(crate) struct Pool {
    inner: r2d2::Pool<Manager>,
    acquire_timeout: Duration,
    metrics: Arc<Metrics>,
}

impl Pool {
    /// Sets the pool up; connections are opened when they are asked for.
    pub(crate) fn new(config: &Database, metrics: Arc<Metrics>) -> Self {
        let inner = r2d2::Pool::builder()
            .max_size(u32::try_from(config.pool).expect("the configuration has a limit"))
            .min_idle(Some(0))
            .connection_timeout(config.acquire_timeout)
            .error_handler(Box::new(r2d2::NopErrorHandler))
            .build_unchecked(Manager {
                config: config.clone(),
            });
        Self {
            inner,
            acquire_timeout: config.acquire_timeout,
            metrics,
        }
    }

    /// Lends a connection. While there is none, this thread sleeps, for as long
    /// as a connection or the request may take.
    pub(crate) fn get(&self) -> Result<PooledConnection<Manager>, Error> {
        let waited = self.metrics.pool_wait.start_timer();
        let limit = blocking::at_most(self.acquire_timeout)?;
        let connection = self.inner.get_timeout(limit)?;
        waited.observe_duration();
        Ok(connection)
    }

    /// The pool's figures at this moment.
    pub(crate) fn sample(&self) -> Sample {
        let state = self.inner.state();
        Sample {
            pool_size: state.connections as usize,
            pool_in_use: (state.connections - state.idle_connections) as usize,
            pool_limit: self.inner.max_size() as usize,
            tasks: 0,
        }
    }
}

/// A connection with the statements that were prepared on it.
pub(crate) struct Connection {
    pub(crate) client: Client,
    statements: HashMap<&'static str, Statement>,
    used: Instant,
}

impl Connection {
    /// The statement, prepared the first time that this connection needs it.
    /// Not all at once when it is opened: a statement that cannot be prepared,
    /// since its table is locked or broken, must not take the others along.
    pub(crate) fn prepared(&mut self, sql: &'static str) -> Result<Statement, postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

/// Opens connections and tells good ones from bad ones.
pub(crate) struct Manager {
    config: Database,
}

impl ManageConnection for Manager {
    type Connection = Connection;
    type Error = SharedError;

    /// A panic is caught here: the driver has one for a system without file
    /// handles, and r2d2 would count the connection as being opened for ever.
    fn connect(&self) -> Result<Connection, SharedError> {
        let client = panic::catch(|| connect(&self.config, "before"))?
            .map_err(|error| Error::from(error).into_inner())?;
        Ok(Connection {
            client,
            statements: HashMap::new(),
            used: Instant::now(),
        })
    }

    /// Asked before a connection is lent. The driver reads its socket only while
    /// it waits for an answer, so it does not know that the server has said
    /// farewell in the meantime: one that was idle has to be asked itself.
    fn is_valid(&self, connection: &mut Connection) -> Result<(), SharedError> {
        if connection.used.elapsed() < FRESH {
            return Ok(());
        }
        let asked = connection.client.is_valid(self.config.acquire_timeout);
        asked.map_err(|error| SharedError::Unavailable(Unavailable::Database(error.into())))
    }

    /// Asked when a connection comes back. It cannot come back inside a
    /// transaction: dropping a `Transaction` rolls it back first.
    fn has_broken(&self, connection: &mut Connection) -> bool {
        connection.used = Instant::now();
        connection.client.is_closed()
    }
}

/// Opens a connection.
pub(crate) fn connect(config: &Database, name: &str) -> Result<Client, postgres::Error> {
    let mut options = options(&config.url);
    options
        .application_name(name)
        .connect_timeout(config.acquire_timeout)
        // A wire that is dead ends a read in the end: the driver has no limit of
        // its own.
        .keepalives_idle(Duration::from_secs(10))
        .keepalives_interval(Duration::from_secs(5))
        .keepalives_retries(3)
        .tcp_user_timeout(config.acquire_timeout + config.statement_timeout)
        // Postgres itself ends what nobody waits for any more.
        .options(&format!(
            "-c statement_timeout={0} -c lock_timeout={0} -c idle_in_transaction_session_timeout={0}",
            config.statement_timeout.as_millis()
        ))
        .connect(NoTls)
}

fn options(url: &DatabaseUrl) -> postgres::Config {
    let mut options = postgres::Config::new();
    options.port(url.port()).user(url.user()).dbname(url.name());
    match url.host() {
        Host::Tcp(host) => options.host(host),
        Host::Unix(folder) => options.host_path(folder),
    };
    if let Some(password) = url.password() {
        options.password(password);
    }
    options
}
