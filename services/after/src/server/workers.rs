//! The runtimes.

use std::future::pending;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shared::config::{Config, Runtime};
use shared::metrics::Metrics;
use shared::middleware::sentry::Tracker;
use shared::server::Stopped;
use tokio::sync::Semaphore;

use super::accept::Acceptor;
use super::stop::Stop;
use crate::app::app;
use crate::cleaner;
use crate::pool::Pools;
use crate::startup;

/// How long the end of a runtime waits for closures that block.
const LAST_BLOCKING: Duration = Duration::from_secs(1);

/// The threads on which the runtimes run.
pub(super) struct Workers(Vec<JoinHandle<Stopped>>);

impl Workers {
    /// Starts a runtime for each listener.
    pub(super) fn start(
        config: Config,
        listeners: Vec<TcpListener>,
        tracker: &Tracker,
        stop: &Stop,
    ) -> io::Result<Self> {
        let config = Arc::new(config);
        let metrics = Arc::new(Metrics::new());
        let pools = Pools::default();
        let room = Arc::new(Semaphore::new(config.limits.max_connections));
        let shares = shares(config.database.pool, listeners.len());
        let mut threads = Vec::with_capacity(listeners.len());
        for (at, (listener, pool)) in listeners.into_iter().zip(shares).enumerate() {
            let runtime = runtime(&config)?;
            let (config, metrics, room) = (config.clone(), metrics.clone(), room.clone());
            let (tracker, stop, pools) = (tracker.clone(), stop.clone(), pools.clone());
            let serve = async move {
                if at == 0 {
                    startup::watch(config.database.clone(), &tracker, stop.clone());
                    let database = config.database.clone();
                    cleaner::run(config.cleaning, database, tracker.clone(), stop.clone());
                }
                let service = app(&config, pool, &pools, metrics.clone(), tracker);
                let acceptor = Acceptor {
                    service,
                    metrics,
                    limits: config.limits,
                    room,
                    reuse_port: config.reuse_port,
                    stop,
                };
                match tokio::net::TcpListener::from_std(listener) {
                    Ok(listener) => acceptor.run(listener).await,
                    Err(error) => {
                        tracing::error!("cannot accept: {error}");
                        pending().await
                    }
                }
            };
            threads.push(thread::Builder::new().name(format!("runtime-{at}")).spawn(
                move || {
                    let stopped = runtime.block_on(serve);
                    runtime.shutdown_timeout(LAST_BLOCKING);
                    stopped
                },
            )?);
        }
        Ok(Self(threads))
    }

    /// Waits until all have stopped.
    pub(super) fn drain(self) -> Stopped {
        let mut stopped = Stopped::Drained;
        for thread in self.0 {
            match thread.join() {
                Ok(other) => stopped = stopped.and(other),
                Err(_) => tracing::error!("a runtime had panicked"),
            }
        }
        stopped
    }
}

/// Built by hand, so that a measured run can name what it ran on.
fn runtime(config: &Config) -> io::Result<tokio::runtime::Runtime> {
    let mut builder = match config.runtime {
        Runtime::MultiThread => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(config.workers).thread_name("worker");
            builder
        }
        Runtime::CurrentThread | Runtime::PerCore => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build()
}

/// The shares of the pool, as equal as can be. The configuration sees to it
/// that there is one for everybody.
fn shares(pool: usize, parts: usize) -> impl Iterator<Item = usize> {
    (0..parts).map(move |part| pool / parts + usize::from(part < pool % parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_pool_is_shared_out() {
        assert_eq!(shares(8, 1).collect::<Vec<_>>(), [8]);
        assert_eq!(shares(8, 3).collect::<Vec<_>>(), [3, 3, 2]);
    }
}
