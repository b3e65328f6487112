//! The server: an acceptor thread, and a thread for each connection.
//!
//! A thread drives hyper's HTTP/1 over its connection and sleeps in `poll(2)`
//! while it waits for the client; the handler itself blocks. At most `WORKERS`
//! connections have a thread. With more connections than threads can well be
//! awake, who waits for a client is parked without one, and stands in line when
//! something comes. `after` runs the same HTTP engine in tasks.
//!
//! | file | what it is |
//! | --- | --- |
//! | `accept` | takes connections from the kernel |
//! | `connection`, `io` | one connection, and its socket |
//! | `workers`, `line` | the threads, and the line before them: how load is shed |
//! | `door` | who answers those for whom the line is too long |
//! | `parking`, `lookout` | connections without a thread, and who waits for them |
//! | `stop` | the bell that asks everyone to stop |

mod accept;
mod connection;
mod door;
mod io;
mod line;
mod lookout;
mod parking;
mod stop;
mod workers;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shared::config::Config;
use shared::metrics::Metrics;
use shared::middleware::sentry::Tracker;
pub use shared::server::Stopped;

pub use self::stop::Stop;
use self::workers::Workers;
use crate::app::App;
use crate::cleaner;
use crate::startup;

/// How long a stop waits for Sentry events to be sent.
const FLUSH: Duration = Duration::from_secs(2);

/// A running server.
pub struct Server {
    addr: SocketAddr,
    stop: Arc<Stop>,
    acceptor: JoinHandle<()>,
    workers: Arc<Workers>,
    tracker: Tracker,
    grace: Duration,
}

impl Server {
    /// Starts to listen and to serve; returns when the address is bound. The
    /// database may come later.
    ///
    /// # Errors
    /// If the address cannot be bound, or the system has no thread to give.
    pub fn start(config: Config) -> std::io::Result<Self> {
        let listener = accept::bind(&config)?;
        let addr = listener.local_addr()?;
        let tracker = Tracker::start(config.sentry.as_ref(), config.service);
        let app = App::new(&config, Arc::new(Metrics::new()), tracker.clone());
        let stop = Arc::new(Stop::new()?);
        let workers = Workers::new(app, &config, stop.clone())?;
        tracing::info!(
            %addr,
            workers = config.workers,
            db_pool = config.database.pool,
            sentry = if tracker.is_on() { "on" } else { "off" },
            "listening"
        );
        startup::watch(config.database.clone(), &tracker, stop.clone())?;
        cleaner::run(
            config.cleaning,
            config.database,
            tracker.clone(),
            stop.clone(),
        )?;
        let acceptor = thread::Builder::new().name("acceptor".to_owned()).spawn({
            let (stop, workers) = (stop.clone(), workers.clone());
            move || accept::run(listener, config.reuse_port, &workers, &stop)
        })?;
        Ok(Self {
            addr,
            stop,
            acceptor,
            workers,
            tracker,
            grace: config.limits.shutdown_grace,
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
        let stopped = self.workers.drain(self.grace);
        if self.acceptor.join().is_err() {
            tracing::error!("the acceptor had panicked");
        }
        if !self.tracker.close(FLUSH) {
            tracing::warn!("not all Sentry events could be sent");
        }
        stopped
    }
}
