//! The server: a runtime on threads of its own (several, with `RUNTIME=per-core`),
//! and a task for each connection.
//!
//! A task drives hyper's HTTP/1 over its connection; whenever it waits, for the
//! client or for the database, its thread serves others. At most
//! `MAX_CONNECTIONS` connections are open, and none waits in line. `before` runs
//! the same HTTP engine on threads.
//!
//! | file | what it is |
//! | --- | --- |
//! | `accept` | takes connections from the kernel: how load is shed |
//! | `connection`, `io` | one connection, and its socket |
//! | `workers` | the runtimes |
//! | `stop` | the bell that asks everyone to stop |

mod accept;
mod connection;
mod io;
mod stop;
mod workers;

use std::net::SocketAddr;
use std::time::Duration;

use shared::config::Config;
use shared::middleware::sentry::Tracker;
pub use shared::server::Stopped;

pub(crate) use self::stop::Stop;
use self::workers::Workers;

/// How long a stop waits for Sentry events to be sent.
const FLUSH: Duration = Duration::from_secs(2);

/// A running server.
pub struct Server {
    addr: SocketAddr,
    stop: Stop,
    workers: Workers,
    tracker: Tracker,
}

impl Server {
    /// Starts to listen and to serve; returns when the address is bound. The
    /// database may come later.
    ///
    /// # Errors
    /// If the address cannot be bound, or the system has no thread to give.
    pub fn start(config: Config) -> std::io::Result<Self> {
        let listeners = accept::bind(&config)?;
        let addr = listeners[0].local_addr()?;
        let tracker = Tracker::start(config.sentry.as_ref(), config.service);
        let stop = Stop::default();
        tracing::info!(
            %addr,
            workers = config.workers,
            runtime = %config.runtime,
            db_pool = config.database.pool,
            sentry = if tracker.is_on() { "on" } else { "off" },
            "listening"
        );
        let workers = Workers::start(config, listeners, &tracker, &stop)?;
        Ok(Self {
            addr,
            stop,
            workers,
            tracker,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Stops accepting, waits for what is in flight, but not longer than
    /// `SHUTDOWN_GRACE_MS`, and sends the last Sentry events.
    #[must_use]
    pub fn stop(self) -> Stopped {
        self.stop.ring();
        let stopped = self.workers.drain();
        if !self.tracker.close(FLUSH) {
            tracing::warn!("not all Sentry events could be sent");
        }
        stopped
    }
}
