//! The threads, and the line before them.
//!
//! How this side sheds load: up to `WORKERS` connections are served at once. As
//! long as there are no more connections than that, each keeps its thread, asleep
//! while it waits for its client. With more of them, whoever waits for a client
//! is parked, which holds no thread, and comes back into the line with its next
//! bytes. Who stands in line for longer than a request may wait for a database
//! connection is refused with 503, and so are new ones over `MAX_CONNECTIONS` in
//! all.

use std::collections::VecDeque;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, eventfd};
use shared::config::{Config, Limits};
use shared::middleware::panic;
use shared::server::Stopped;

use super::connection::Connection;
use super::parking::Parking;
use super::stop::Stop;
use crate::app::App;

/// How long a thread without work stays.
const SPARE: Duration = Duration::from_secs(30);

/// The stack of a thread: the deepest handler uses a small part of it, and
/// memory that is not touched is not used.
const STACK: usize = 1 << 20;

/// The threads that serve connections.
pub(super) struct Workers {
    pub(super) app: App,
    pub(super) limits: Limits,
    pub(super) stop: Arc<Stop>,
    pub(super) parking: Parking,
    most: usize,
    /// How long somebody may stand in line.
    patience: Duration,
    line: Mutex<Line>,
    /// Told when there is somebody to serve.
    work: Condvar,
    /// Told when a connection has ended, or none will come any more.
    ended: Condvar,
    /// Whether there are more connections than threads, to be read without the
    /// lock.
    is_crowded: AtomicBool,
    /// The same as a handle, which sleeping threads wait for beside their socket:
    /// readable while it is crowded.
    crowd: OwnedFd,
    /// Itself, for the threads that it starts.
    me: std::sync::Weak<Self>,
}

/// What the lock protects. A std mutex: it is held for a few instructions, once
/// or twice a connection, or a request of a parked one, and never while waiting
/// for anything.
#[derive(Default)]
struct Line {
    queue: VecDeque<(Instant, Waiting)>,
    threads: usize,
    /// Threads that wait for somebody to serve.
    spare: usize,
    /// Connections in the queue, parked, and with a thread.
    open: usize,
    closed: bool,
}

/// Who stands in line.
enum Waiting {
    New(TcpStream),
    Parked(Connection),
}

impl Workers {
    pub(super) fn new(
        app: App,
        config: &Config,
        listener: &TcpListener,
        stop: Arc<Stop>,
    ) -> io::Result<Arc<Self>> {
        let crowd = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        let parking = Parking::new(listener, &stop)?;
        Ok(Arc::new_cyclic(|me| Self {
            app,
            limits: config.limits,
            stop,
            parking,
            most: config.workers,
            patience: config.database.acquire_timeout,
            line: Mutex::default(),
            work: Condvar::new(),
            ended: Condvar::new(),
            is_crowded: AtomicBool::new(false),
            crowd,
            me: me.clone(),
        }))
    }

    /// The lock; a panic elsewhere cannot leave plain counters half-changed.
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a connection into the line. Gives it back if there are too many.
    pub(super) fn submit(&self, stream: TcpStream) -> Result<(), TcpStream> {
        let metrics = &self.app.metrics;
        let mut line = self.line();
        if line.open >= self.limits.max_connections || !self.has_thread(&mut line) {
            drop(line);
            metrics.connections_refused.inc();
            return Err(stream);
        }
        line.open += 1;
        self.see_crowd(&line);
        metrics.connections_accepted.inc();
        metrics.connections.inc();
        self.enqueue(line, Waiting::New(stream));
        Ok(())
    }

    /// Whether there are connections at all.
    pub(super) fn has_connections(&self) -> bool {
        self.line().open > 0
    }

    /// Puts parked connections into the line again.
    pub(super) fn resume(&self, parked: Vec<Connection>) {
        for connection in parked {
            let mut line = self.line();
            self.has_thread(&mut line);
            self.enqueue(line, Waiting::Parked(connection));
        }
    }

    /// Sees to it that somebody comes.
    fn enqueue(&self, mut line: MutexGuard<'_, Line>, waiting: Waiting) {
        line.queue.push_back((Instant::now(), waiting));
        drop(line);
        self.work.notify_one();
    }

    /// Tells everyone when it gets crowded, and when it is no more.
    fn see_crowd(&self, line: &Line) {
        let is_crowded = line.open > self.most;
        if self.is_crowded.swap(is_crowded, Ordering::SeqCst) != is_crowded {
            // Neither can fail: the counter is at 0 or 1.
            let mut count = 1_u64.to_ne_bytes();
            let _ = if is_crowded {
                rustix::io::write(&self.crowd, &count)
            } else {
                rustix::io::read(&self.crowd, &mut count)
            };
        }
    }

    /// Starts a thread if one more connection needs one and there may be one
    /// more. False if there is none at all.
    fn has_thread(&self, line: &mut Line) -> bool {
        if line.queue.len() >= line.spare && line.threads < self.most {
            let Some(me) = self.me.upgrade() else {
                return false;
            };
            let started = thread::Builder::new()
                .name("worker".to_owned())
                .stack_size(STACK)
                .spawn(move || me.work());
            match started {
                Ok(_) => {
                    line.threads += 1;
                    // It is as good as waiting already.
                    line.spare += 1;
                }
                Err(error) => tracing::warn!("no thread to be had: {error}"),
            }
        }
        line.threads > 0
    }

    /// Refuses those who have stood in line for too long.
    pub(super) fn refuse_late(&self, refuse: impl Fn(&TcpStream)) {
        while let Some(waiting) = self.next_late() {
            self.app.metrics.connections_refused.inc();
            match waiting {
                Waiting::New(stream) => refuse(&stream),
                Waiting::Parked(connection) => refuse(connection.stream()),
            }
            self.end();
        }
    }

    /// The first in line, if it has waited too long and can be refused.
    fn next_late(&self) -> Option<Waiting> {
        let mut line = self.line();
        let (since, waiting) = line.queue.front()?;
        let refusable = match waiting {
            Waiting::New(_) => true,
            Waiting::Parked(connection) => connection.is_between_requests(),
        };
        if since.elapsed() < self.patience || !refusable {
            return None;
        }
        let (_, waiting) = line.queue.pop_front()?;
        Some(waiting)
    }

    /// The handle that is readable while it is crowded.
    pub(super) fn crowd(&self) -> &OwnedFd {
        &self.crowd
    }

    /// Whether there are more connections than threads.
    pub(super) fn is_crowded(&self) -> bool {
        self.is_crowded.load(Ordering::SeqCst)
    }

    /// What a thread does: one connection after the other.
    fn work(&self) {
        while let Some(waiting) = self.next() {
            // The handlers' own panics are caught closer to them.
            let served = panic::catch(|| self.serve(waiting)).unwrap_or_default();
            let parked = served.and_then(|connection| {
                let kept = self.parking.park(connection);
                kept.is_none().then_some(())
            });
            if parked.is_none() {
                self.end();
            }
            let mut line = self.line();
            line.spare += 1;
            let idle = parked.is_some() && line.queue.is_empty();
            drop(line);
            if self.stop.is_rung() {
                // It may have been parked behind the acceptor's back.
                self.resume(self.parking.leave());
            } else if idle {
                // Not only the acceptor looks: among many threads that want the
                // processor, it may have to wait long for its turn.
                self.resume(self.parking.news(Some(Duration::ZERO)).ready);
            }
        }
    }

    fn serve(&self, waiting: Waiting) -> Option<Connection> {
        let connection = match waiting {
            Waiting::New(stream) => Connection::new(stream, self)?,
            Waiting::Parked(connection) => connection,
        };
        connection.serve(self)
    }

    /// A connection has come to its end.
    fn end(&self) {
        self.app.metrics.connections.dec();
        let mut line = self.line();
        line.open -= 1;
        self.see_crowd(&line);
        let last = line.open == 0;
        drop(line);
        if last {
            self.ended.notify_all();
        }
    }

    /// The next in line; none if this thread is not needed any more.
    fn next(&self) -> Option<Waiting> {
        let mut line = self.line();
        let until = Instant::now() + SPARE;
        loop {
            if let Some((_, waiting)) = line.queue.pop_front() {
                line.spare -= 1;
                return Some(waiting);
            }
            let left = until.saturating_duration_since(Instant::now());
            if line.closed || left.is_zero() {
                line.spare -= 1;
                line.threads -= 1;
                return None;
            }
            line = self
                .work
                .wait_timeout(line, left)
                .map_or_else(|poisoned| poisoned.into_inner().0, |(line, _)| line);
        }
    }

    /// Waits until all connections are served, for so long at most, and lets
    /// the threads go.
    pub(super) fn drain(&self, grace: Duration) -> Stopped {
        let until = Instant::now() + grace;
        let mut line = self.line();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if line.open == 0 || left.is_zero() {
                line.closed = true;
                self.work.notify_all();
                return match line.open {
                    0 => Stopped::Drained,
                    connections => Stopped::GaveUp { connections },
                };
            }
            line = self
                .ended
                .wait_timeout(line, left)
                .map_or_else(|poisoned| poisoned.into_inner().0, |(line, _)| line);
        }
    }
}
