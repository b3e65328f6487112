//! Accepting connections, whatever happens to them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use shared::config::{Config, Limits, Runtime};
use shared::metrics::Metrics;
use shared::retry::Retry;
use shared::server::{Stopped, last_call, overload};
use shared::work::tasks;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::TaskTracker;

use super::connection;
use super::stop::Stop;
use crate::app::Service;

/// How many connections wait in the kernel for being accepted.
const BACKLOG: i32 = 4096;

/// How long to leave connections there when the system has no file handles or
/// no memory left.
const BREATHER: Duration = Duration::from_millis(50);

/// Listens: once, or once for each runtime of `RUNTIME=per-core`; alone, or with
/// `REUSE_PORT` beside other processes. The kernel then shares the connections
/// between all of them.
pub(super) fn bind(config: &Config) -> io::Result<Vec<std::net::TcpListener>> {
    let count = if config.runtime == Runtime::PerCore {
        config.workers
    } else {
        1
    };
    let mut addr = config.listen;
    let mut listeners = Vec::with_capacity(count);
    if count > 1 && !config.reuse_port {
        // The port is shared among these, and not with another process that
        // shares it by chance: alone, it must be free.
        drop(listen(addr, false)?);
    }
    for _ in 0..count {
        let listener = listen(addr, count > 1 || config.reuse_port)?;
        // With port 0 the first one finds a port for all.
        addr = listener.local_addr()?;
        listeners.push(listener);
    }
    Ok(listeners)
}

fn listen(addr: SocketAddr, shared: bool) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // A port on which connections of a former process linger is free.
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(shared)?;
    socket.set_nonblocking(true)?;
    socket
        .bind(&addr.into())
        .and_then(|()| socket.listen(BACKLOG))
        .map_err(|error| io::Error::new(error.kind(), format!("LISTEN {addr}: {error}")))?;
    Ok(socket.into())
}

/// What serving a connection takes.
#[derive(Clone)]
pub(super) struct Acceptor {
    pub(super) service: Service,
    pub(super) metrics: Arc<Metrics>,
    pub(super) limits: Limits,
    /// How many more connections may be open; shared by all runtimes.
    ///
    /// How this side sheds load: each connection is a task at once, up to
    /// `MAX_CONNECTIONS`; over it, new ones are refused with 503. What the tasks
    /// wait for has limits of its own, the pool above all: who would wait there
    /// for too long is refused at once ([`shared::admission`]), and whoever has
    /// waited for `DB_ACQUIRE_TIMEOUT_MS` then.
    pub(super) room: Arc<Semaphore>,
    /// Whether other processes listen on the same port.
    pub(super) reuse_port: bool,
    pub(super) stop: Stop,
}

impl Acceptor {
    /// Accepts until asked to stop, then waits for what is in flight, for the
    /// grace time at most.
    pub(super) async fn run(self, listener: TcpListener) -> Stopped {
        let connections = TaskTracker::new();
        while let Some(stream) = self.next(&listener).await {
            self.take(stream, &connections);
        }
        self.take_last(&listener, &connections).await;
        drop(listener);
        connections.close();
        let done = async {
            connections.wait().await;
            tasks::shielded_done().await;
        };
        match timeout(self.limits.shutdown_grace, done).await {
            Ok(()) => Stopped::Drained,
            Err(_) => Stopped::GaveUp {
                connections: connections.len(),
            },
        }
    }

    /// Those that the kernel has accepted for us already are served, too.
    async fn take_last(&self, listener: &TcpListener, connections: &TaskTracker) {
        let until = Instant::now() + last_call(listener, self.reuse_port);
        // As many as wait there, and as many whose handshake has begun.
        for _ in 0..2 * BACKLOG {
            match timeout_at(until, listener.accept()).await {
                Ok(Ok((stream, _))) => self.take(stream, connections),
                Ok(Err(error)) if is_exhaustion(&error) => {
                    if until <= Instant::now() {
                        return;
                    }
                    tokio::time::sleep(BREATHER).await;
                }
                Ok(Err(error)) => tracing::debug!("a connection was lost: {error}"),
                Err(_) => return,
            }
        }
    }

    /// Serves a connection in a task of its own, if there is room.
    fn take(&self, stream: TcpStream, connections: &TaskTracker) {
        let Ok(room) = self.room.clone().try_acquire_owned() else {
            self.metrics.connections_refused.inc();
            return refuse(&stream);
        };
        self.metrics.connections_accepted.inc();
        let acceptor = self.clone();
        connections.spawn(async move {
            acceptor.metrics.connections.inc();
            connection::serve(stream, &acceptor).await;
            acceptor.metrics.connections.dec();
            drop(room);
        });
    }

    /// The next connection; none when asked to stop.
    async fn next(&self, listener: &TcpListener) -> Option<TcpStream> {
        let mut log = Retry::new();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.stop.heard() => return None,
            };
            match accepted {
                Ok((stream, _)) => return Some(stream),
                Err(error) if is_exhaustion(&error) => {
                    if log.is_news(&error.to_string()) {
                        tracing::warn!("cannot accept at this moment: {error}");
                    }
                    tokio::time::sleep(BREATHER).await;
                }
                // The connection itself went wrong before it was accepted; the
                // next one may be fine.
                Err(error) => tracing::debug!("a connection was lost: {error}"),
            }
        }
    }
}

/// Whether the system has run out of something.
fn is_exhaustion(error: &io::Error) -> bool {
    let exhausted = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| exhausted.contains(&errno))
}

/// Answers 503 without a task. Reads what has been sent already, since the
/// kernel would reset a connection that is closed with unread bytes.
fn refuse(stream: &TcpStream) {
    // A client that is gone, or slow, gets no second try.
    if stream.try_write(&overload()).is_ok() {
        let _ = rustix::net::shutdown(stream, rustix::net::Shutdown::Write);
        let mut sent = [0; 4096];
        while stream.try_read(&mut sent).is_ok_and(|read| read > 0) {}
    }
}
