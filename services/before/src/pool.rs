//! Connections to the database, kept by r2d2.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use r2d2::{ManageConnection, PooledConnection};
use shared::admission::Admission;
use shared::config::Database;
use shared::error::{Error as SharedError, Unavailable};
use shared::metrics::{Metrics, Sample};
use shared::middleware::blocking;

use crate::crew;
use crate::db::{self, Client};
use crate::error::Error;

/// How long a connection may have been idle and still be lent out without
/// asking the server. Under load connections change hands within microseconds
/// and are not asked; after a pause, a round trip goes unnoticed.
const FRESH: Duration = Duration::from_millis(10);

/// The pool.
pub(crate) struct Pool {
    inner: r2d2::Pool<Manager>,
    acquire_timeout: Duration,
    admission: Admission,
    metrics: Option<Arc<Metrics>>,
}

impl Pool {
    /// Sets the pool of the requests up; connections are opened when they are
    /// asked for.
    pub(crate) fn new(config: &Database, metrics: Arc<Metrics>) -> Self {
        Self::named("before", config, config.pool, Some(metrics))
    }

    /// One connection for `/ready`, which is in nobody's figures. It must not
    /// stand in line with the requests: that all connections are in use is no
    /// reason to take the service away.
    pub(crate) fn for_readiness(config: &Database) -> Self {
        Self::named("before ready", config, 1, None)
    }

    fn named(
        name: &'static str,
        config: &Database,
        most: usize,
        metrics: Option<Arc<Metrics>>,
    ) -> Self {
        let inner = r2d2::Pool::builder()
            .max_size(u32::try_from(most).expect("the configuration has a limit"))
            .min_idle(Some(0))
            .connection_timeout(config.acquire_timeout)
            .error_handler(Box::new(r2d2::NopErrorHandler))
            .build_unchecked(Manager {
                name,
                config: config.clone(),
                suspect: Mutex::new(Instant::now()),
            });
        Self {
            inner,
            acquire_timeout: config.acquire_timeout,
            admission: Admission::new(config.acquire_timeout),
            metrics,
        }
    }

    /// Lends a connection. While there is none, this thread sleeps, for as long
    /// as a connection or the request may take. Who would have to wait too long
    /// is refused at once.
    pub(crate) fn get(&self) -> Result<PooledConnection<Manager>, Error> {
        let waiting = self.admission.enter()?;
        let metrics = self.metrics.as_ref();
        let waited = metrics.map(|metrics| metrics.pool_wait.start_timer());
        let limit = blocking::at_most(self.acquire_timeout)?;
        // Not even if one is free: its statement may have to wait.
        if self.is_shared() && !crew::may_wait() {
            return Err(SharedError::Unavailable(Unavailable::Line).into());
        }
        let connection = crew::asleep(|| self.inner.get_timeout(limit))?;
        waiting.got_one();
        drop(waited);
        Ok(connection)
    }

    /// Whether it is the requests' pool.
    fn is_shared(&self) -> bool {
        self.metrics.is_some()
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

/// A connection of the pool.
pub(crate) struct Connection {
    pub(crate) client: Client,
    used: Instant,
}

/// Opens connections and tells good ones from bad ones.
pub(crate) struct Manager {
    name: &'static str,
    config: Database,
    /// Connections that were last used before have probably died with one that
    /// did not answer. A std mutex, held for a comparison.
    suspect: Mutex<Instant>,
}

impl Manager {
    fn suspect(&self) -> MutexGuard<'_, Instant> {
        self.suspect.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ManageConnection for Manager {
    type Connection = Connection;
    type Error = SharedError;

    fn connect(&self) -> Result<Connection, SharedError> {
        let client = db::connect(&self.config, self.name)
            .map_err(|error| Error::from(error).into_inner())?;
        Ok(Connection {
            client,
            used: Instant::now(),
        })
    }

    /// Asked before a connection is lent: one that was idle has to be asked
    /// itself, for half of the time that there is, so that the other half is
    /// left for opening a new one.
    fn is_valid(&self, connection: &mut Connection) -> Result<(), SharedError> {
        if connection.used.elapsed() < FRESH {
            return Ok(());
        }
        if connection.used < *self.suspect() {
            return Err(dead("others of its age are dead"));
        }
        let limit = self.config.acquire_timeout / 2;
        let has_time = blocking::at_most(limit).is_ok_and(|left| left == limit);
        connection.client.is_alive(limit).map_err(|_| {
            // Not if the request itself had no more time for it.
            if has_time {
                *self.suspect() = Instant::now();
            }
            dead("it does not answer")
        })
    }

    /// Asked when a connection comes back. It cannot come back inside a
    /// transaction: dropping a `Transaction` rolls it back first.
    fn has_broken(&self, connection: &mut Connection) -> bool {
        connection.used = Instant::now();
        connection.client.is_broken()
    }
}

fn dead(why: &'static str) -> SharedError {
    SharedError::Unavailable(Unavailable::Database(why.into()))
}
