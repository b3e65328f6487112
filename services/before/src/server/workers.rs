//! The threads, and the line before them.
//!
//! How this side sheds load: up to `WORKERS` connections are served at once.
//! More wait in line, in the order in which they came. While somebody waits, a
//! connection keeps its thread only for a short turn and then closes with an
//! answer, and one that stays idle gives its thread up. Over `MAX_CONNECTIONS`
//! in all, new ones are refused with 503.

use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, eventfd};
use shared::config::{Config, Limits};
use shared::middleware::panic;
use shared::server::Stopped;

use super::connection;
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
    most: usize,
    line: Mutex<Line>,
    changed: Condvar,
    /// How many connections have to wait, to be read without the lock.
    waiting: AtomicUsize,
    /// A semaphore that threads with an idle connection wait for, beside their
    /// socket: each unit asks one of them to give its thread up.
    pressure: OwnedFd,
    /// Itself, for the threads that it starts.
    me: std::sync::Weak<Self>,
}

/// What the lock protects. A std mutex: it is held for a few instructions, once
/// or twice a connection, and never while waiting for anything.
#[derive(Default)]
struct Line {
    queue: VecDeque<TcpStream>,
    threads: usize,
    /// Threads that wait for a connection.
    spare: usize,
    /// Connections in the queue and with a thread.
    open: usize,
    closed: bool,
}

impl Workers {
    pub(super) fn new(app: App, config: &Config, stop: Arc<Stop>) -> io::Result<Arc<Self>> {
        let flags = EventfdFlags::SEMAPHORE | EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC;
        let pressure = eventfd(0, flags)?;
        Ok(Arc::new_cyclic(|me| Self {
            app,
            limits: config.limits,
            stop,
            most: config.workers,
            line: Mutex::default(),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
            pressure,
            me: me.clone(),
        }))
    }

    /// The lock; a panic elsewhere cannot leave plain counters half-changed.
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a connection into the line, and sees to it that somebody comes.
    /// Gives it back if there are too many.
    pub(super) fn submit(&self, stream: TcpStream) -> Result<(), TcpStream> {
        let metrics = &self.app.metrics;
        let mut line = self.line();
        if line.open >= self.limits.max_connections || !self.has_thread(&mut line) {
            drop(line);
            metrics.connections_refused.inc();
            return Err(stream);
        }
        line.open += 1;
        line.queue.push_back(stream);
        self.publish(&line);
        drop(line);
        metrics.connections_accepted.inc();
        metrics.connections.inc();
        self.changed.notify_one();
        if self.somebody_waits() {
            self.relieve();
        }
        Ok(())
    }

    /// Says how many connections have to wait: those without a thread at hand.
    fn publish(&self, line: &Line) {
        let waiting = line.queue.len().saturating_sub(line.spare);
        self.waiting.store(waiting, Ordering::SeqCst);
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

    /// Asks one idle connection to give its thread up.
    pub(super) fn relieve(&self) {
        // Can only fail when the counter is full, and then all are asked.
        let _ = rustix::io::write(&self.pressure, &1_u64.to_ne_bytes());
    }

    /// The handle that becomes readable when somebody is asked.
    pub(super) fn pressure(&self) -> &OwnedFd {
        &self.pressure
    }

    /// Whether this thread is the one that is asked: takes one unit, and looks
    /// whether somebody still waits.
    pub(super) fn is_asked_to_yield(&self) -> bool {
        let mut unit = [0; 8];
        rustix::io::read(&self.pressure, &mut unit).is_ok() && self.somebody_waits()
    }

    /// Whether connections wait for a thread.
    pub(super) fn somebody_waits(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// What a thread does: one connection after the other.
    fn work(&self) {
        while let Some(stream) = self.next() {
            // The handlers' own panics are caught closer to them.
            let _ = panic::catch(|| connection::serve(stream, self));
            self.app.metrics.connections.dec();
            let mut line = self.line();
            line.open -= 1;
            line.spare += 1;
            self.publish(&line);
            drop(line);
            // Also those who wait for the end.
            self.changed.notify_all();
        }
    }

    /// The next connection in line; none if this thread is not needed any more.
    fn next(&self) -> Option<TcpStream> {
        let mut line = self.line();
        let until = Instant::now() + SPARE;
        loop {
            if let Some(stream) = line.queue.pop_front() {
                line.spare -= 1;
                self.publish(&line);
                return Some(stream);
            }
            let left = until.saturating_duration_since(Instant::now());
            if line.closed || left.is_zero() {
                line.spare -= 1;
                line.threads -= 1;
                return None;
            }
            line = self
                .changed
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
                self.changed.notify_all();
                return match line.open {
                    0 => Stopped::Drained,
                    connections => Stopped::GaveUp { connections },
                };
            }
            line = self
                .changed
                .wait_timeout(line, left)
                .map_or_else(|poisoned| poisoned.into_inner().0, |(line, _)| line);
        }
    }
}
