//! Connections to the database, kept by deadpool.
//!
//! Not by sqlx's own pool, which asks the server at each return of a
//! connection whether it lives: a round trip more for each request, with no
//! option against it and no limit when the wire is dead. What that
//! protects against is covered here: a connection whose use was cut is mended
//! before anybody else gets it, or closed, and one that was idle is asked.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deadpool::managed::{self, Metrics as Facts, Object, QueueMode, RecycleError, RecycleResult};
use shared::admission::Admission;
use shared::config::Database;
use shared::metrics::{Metrics, Sample};
use shared::work::tasks;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::db::{self, Connection};
use crate::error::Error;

/// How long a connection may have been idle and still be lent out without
/// asking the server. Under load connections change hands within microseconds
/// and are not asked; after a pause, a round trip goes unnoticed.
const FRESH: Duration = Duration::from_millis(10);

/// How long a connection lives: what a session of Postgres gathers in memory
/// goes with it, and a database that has moved is found. (r2d2's default, which
/// `before` has.)
const LIFETIME: Duration = Duration::from_mins(30);

/// The pool of one runtime.
pub(crate) struct Pool {
    inner: managed::Pool<Manager>,
    all: Pools,
    acquire_timeout: Duration,
    admission: Admission,
    metrics: Option<Arc<Metrics>>,
}

impl Pool {
    /// Sets the pool of the requests up; connections are opened when they are
    /// asked for.
    pub(crate) fn new(config: &Database, most: usize, all: &Pools, metrics: Arc<Metrics>) -> Self {
        Self::named("after", config, most, all, Some(metrics))
    }

    /// One connection for `/ready`, which is in nobody's figures. It must not
    /// stand in line with the requests: that all connections are in use is no
    /// reason to take the service away.
    pub(crate) fn for_readiness(config: &Database) -> Self {
        Self::named("after ready", config, 1, &Pools::default(), None)
    }

    fn named(
        name: &'static str,
        config: &Database,
        most: usize,
        all: &Pools,
        metrics: Option<Arc<Metrics>>,
    ) -> Self {
        let inner = managed::Pool::builder(Manager {
            name,
            config: config.clone(),
            suspect: Mutex::new(Instant::now()),
        })
        .max_size(most)
        // The one that was used last is the most likely to be fresh.
        .queue_mode(QueueMode::Lifo)
        .build()
        .expect("it has no time limits of its own, which would need a runtime");
        all.add(inner.clone());
        Self {
            inner,
            all: all.clone(),
            acquire_timeout: config.acquire_timeout,
            admission: Admission::new(config.acquire_timeout),
            metrics,
        }
    }

    /// Lends a connection. While there is none, this task waits, for as long as
    /// a connection may take, and the thread serves others. Who would have to
    /// wait too long is refused at once.
    pub(crate) async fn get(&self) -> Result<Lent, Error> {
        let waiting = self.admission.enter()?;
        let metrics = self.metrics.as_ref();
        let waited = metrics.map(|metrics| metrics.pool_wait.start_timer());
        let object = timeout(self.acquire_timeout, self.inner.get())
            .await
            .map_err(Error::no_connection)??;
        waiting.got_one();
        drop(waited);
        Ok(Lent {
            object: Some(object),
            mending: self.acquire_timeout,
        })
    }

    /// The figures of all pools at this moment.
    pub(crate) fn sample(&self) -> Sample {
        self.all.sample()
    }
}

/// A connection of the pool, until it is dropped.
pub(crate) struct Lent {
    object: Option<Object<Manager>>,
    mending: Duration,
}

const LENT: &str = "it is there until it is dropped";

impl Deref for Lent {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.object.as_ref().expect(LENT)
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Connection {
        self.object.as_mut().expect(LENT)
    }
}

/// Gives the connection back: at once, or if its use was cut when it is mended.
impl Drop for Lent {
    fn drop(&mut self) {
        self.rest();
        if self.work.is_cut() {
            let (object, limit) = (self.object.take().expect(LENT), self.mending);
            tasks::spawn("mend a connection", None, async move {
                mend(object, limit).await;
                Ok(())
            });
        }
    }
}

async fn mend(mut connection: Object<Manager>, limit: Duration) {
    if !connection.mend(limit).await {
        // Closing the socket is all that can be done: the server notices, and
        // ends what it does for nobody.
        drop(Object::take(connection));
    }
}

/// Opens connections and tells good ones from bad ones.
struct Manager {
    name: &'static str,
    config: Database,
    /// Connections that were last used before have probably died with one that
    /// did not answer. A std mutex, held for a comparison and never across an
    /// `.await`.
    suspect: Mutex<Instant>,
}

impl Manager {
    fn suspect(&self) -> MutexGuard<'_, Instant> {
        self.suspect.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<Connection, sqlx::Error> {
        db::connect(&self.config, self.name).await
    }

    /// Asked before a connection is lent: one that was idle has to be asked
    /// itself, for half of the time that there is, so that the other half is
    /// left for opening a new one.
    async fn recycle(
        &self,
        connection: &mut Connection,
        facts: &Facts,
    ) -> RecycleResult<sqlx::Error> {
        let idle = connection.idle();
        if idle < FRESH {
            return Ok(());
        }
        if facts.age() > LIFETIME {
            return Err(RecycleError::message("it has lived long enough"));
        }
        let used = Instant::now().checked_sub(idle);
        if used.is_none_or(|used| used < *self.suspect()) {
            return Err(RecycleError::message("others of its age are dead"));
        }
        if !connection.is_alive(self.config.acquire_timeout / 2).await {
            *self.suspect() = Instant::now();
            return Err(RecycleError::message("it does not answer"));
        }
        Ok(())
    }
}

/// The pools of all runtimes: there are several with `RUNTIME=per-core`, and
/// `/metrics`, which only one of them answers, speaks for all.
#[derive(Clone, Default)]
pub struct Pools(Arc<Mutex<Vec<PoolOfRuntime>>>);

type PoolOfRuntime = (managed::Pool<Manager>, Handle);

impl Pools {
    /// A std mutex, which blocks: it is held for a few instructions and never
    /// across an `.await`.
    fn lock(&self) -> MutexGuard<'_, Vec<PoolOfRuntime>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, pool: managed::Pool<Manager>) {
        self.lock().push((pool, Handle::current()));
    }

    fn sample(&self) -> Sample {
        let mut sample = Sample::default();
        for (pool, runtime) in &*self.lock() {
            let status = pool.status();
            sample.pool_size += status.size;
            sample.pool_in_use += status.size - status.available;
            sample.pool_limit += status.max_size;
            sample.tasks += runtime.metrics().num_alive_tasks();
        }
        sample
    }
}
