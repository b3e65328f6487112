//! The threads, and the line before them.
//!
//! How this side sheds load: up to `WORKERS` requests are served at once, by a
//! thread each, most of them asleep. As long as there are no more connections
//! than threads can well be awake, each keeps its thread, also while it waits for
//! its client. With more of them, whoever waits for a client is parked, which
//! holds no thread, and comes back into the line with its next bytes.
//!
//! When the line is so long that somebody would stand in it for longer than three
//! quarters of what a request may wait for a database connection, a doorman
//! answers: at once, and with 503 where that takes something that has to be waited
//! for. New connections over `MAX_CONNECTIONS` in all are refused.

use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, eventfd};
use shared::admission::Admission;
use shared::config::{Config, Limits};
use shared::middleware::panic;
use shared::server::Stopped;

use super::connection::Connection;
use super::line::{Line, Place, Waiting};
use super::lookout::Relief;
use super::parking::{Parked, Parking};
use super::stop::Stop;
use crate::app::App;
use crate::crew;

/// How long a thread without work stays.
const SPARE: Duration = Duration::from_secs(30);

/// The stack of a thread: the deepest handler uses a small part of it, and
/// memory that is not touched is not used.
pub(super) const STACK: usize = 1 << 20;

/// How many threads for each core are awake at once when it is crowded. More
/// would only take the processor from each other, and from whoever has waited
/// longest.
const AWAKE: usize = 2;

/// The threads that serve connections.
pub(super) struct Workers {
    pub(super) app: App,
    pub(super) limits: Limits,
    pub(super) stop: Arc<Stop>,
    pub(super) parking: Parking,
    pub(super) relief: Relief,
    most: usize,
    most_awake: usize,
    /// How long somebody may stand in line.
    pub(super) patience: Duration,
    admission: Arc<Admission>,
    pub(super) line: Mutex<Line>,
    /// Told when there is somebody to serve, or nobody on the lookout.
    pub(super) work: Condvar,
    /// Told when somebody stands at the door.
    pub(super) door: Condvar,
    /// Told when a connection has ended, or none will come any more.
    ended: Condvar,
    /// Whether there are more connections than keep a thread, to be read without
    /// the lock.
    is_crowded: AtomicBool,
    /// The same as a handle, which sleeping threads wait for beside their socket:
    /// readable while it is crowded.
    crowd: OwnedFd,
    /// How many threads sleep in a handler.
    pub(super) asleep: AtomicUsize,
    /// Itself, for the threads that it starts.
    pub(super) me: std::sync::Weak<Self>,
}

impl Workers {
    pub(super) fn new(app: App, config: &Config, stop: Arc<Stop>) -> io::Result<Arc<Self>> {
        let crowd = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        let (parking, relief) = (Parking::new()?, Relief::new()?);
        Ok(Arc::new_cyclic(|me| Self {
            app,
            limits: config.limits,
            stop,
            parking,
            relief,
            most: config.workers,
            most_awake: AWAKE * thread::available_parallelism().map_or(1, usize::from),
            patience: config.database.acquire_timeout,
            // It lets in for half of what it is told: for three quarters of the
            // patience, so that hardly anybody who is let in comes too late.
            admission: Arc::new(Admission::new(config.database.acquire_timeout * 3 / 2)),
            line: Mutex::default(),
            work: Condvar::new(),
            door: Condvar::new(),
            ended: Condvar::new(),
            is_crowded: AtomicBool::new(false),
            crowd,
            asleep: AtomicUsize::new(0),
            me: me.clone(),
        }))
    }

    /// The lock; a panic elsewhere cannot leave plain counters half-changed.
    pub(super) fn line(&self) -> MutexGuard<'_, Line> {
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
        self.put(&mut line, Waiting::New(stream));
        self.call_for_next(line);
        Ok(())
    }

    /// Tells who waits for the end that no more connections will come.
    pub(super) fn accepts_no_more(&self) {
        self.line().complete = true;
        self.ended.notify_all();
    }

    /// Whether there are connections that are still served.
    pub(super) fn has_connections(&self) -> bool {
        let line = self.line();
        line.open > 0 && !line.closed
    }

    /// Puts parked connections into the line again.
    pub(super) fn resume(&self, parked: Vec<Connection>) {
        if parked.is_empty() {
            return;
        }
        let mut line = self.line();
        for connection in parked {
            self.put(&mut line, Waiting::Parked(connection));
        }
        self.has_thread(&mut line);
        self.call_for_next(line);
    }

    /// Puts somebody into the line, or to the door if it is too long.
    pub(super) fn put(&self, line: &mut Line, waiting: Waiting) {
        // What is due, or half answered, only a worker can bring to its end.
        let admitted = if waiting.is_between_requests() && self.is_crowded() {
            match self.admission.enter_shared() {
                Ok(admitted) => Some(admitted),
                Err(_) if self.has_doorman(line) => {
                    line.door.push_back(waiting);
                    self.door.notify_one();
                    return;
                }
                Err(_) => None,
            }
        } else {
            None
        };
        line.queue.push_back(Place {
            since: Instant::now(),
            waiting,
            admitted,
        });
    }

    /// Sees to it that the next in line is served, if one more thread may be
    /// awake. Else whoever comes back from serving takes it.
    fn call_for_next(&self, line: MutexGuard<'_, Line>) {
        if !line.queue.is_empty() && self.has_room(&line) {
            self.wake_one(line);
        }
    }

    /// Tells everyone when it gets crowded, and when it is no more.
    fn see_crowd(&self, line: &Line) {
        let is_crowded = line.open > self.most.min(self.most_awake);
        if self.is_crowded.swap(is_crowded, Ordering::SeqCst) != is_crowded {
            // Neither can fail: the counter is at 0 or 1.
            let mut count = 1_u64.to_ne_bytes();
            let _ = if is_crowded {
                rustix::io::write(&self.crowd, &count)
            } else {
                rustix::io::read(&self.crowd, &mut count)
            };
            // Who found no room finds some now.
            self.work.notify_all();
            self.relief.call();
        }
    }

    /// Starts a thread if one more connection needs one and there may be one
    /// more. False if there is none at all.
    pub(super) fn has_thread(&self, line: &mut Line) -> bool {
        if line.queue.len() >= line.resting() && line.threads < self.most && self.has_room(line) {
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

    /// The handle that is readable while it is crowded.
    pub(super) fn crowd(&self) -> &OwnedFd {
        &self.crowd
    }

    /// Whether there are more connections than keep a thread.
    pub(super) fn is_crowded(&self) -> bool {
        self.is_crowded.load(Ordering::SeqCst)
    }

    /// What a thread does: one connection after the other.
    fn work(self: Arc<Self>) {
        crew::join(self.clone());
        let mut next = self.next(self.line());
        while let Some(waiting) = next {
            self.serve(waiting);
            let mut line = self.line();
            line.spare += 1;
            line.serving -= 1;
            next = self.next(line);
        }
    }

    /// Serves a connection until it ends, or is parked.
    pub(super) fn serve(&self, waiting: Waiting) {
        // The handlers' own panics are caught closer to them.
        let served = panic::catch(|| self.served(waiting)).unwrap_or_default();
        match served.map(|connection| self.parking.park(connection)) {
            Some(Parked::Yes) => {}
            Some(Parked::Ready(connection)) => self.resume(vec![connection]),
            Some(Parked::Never) | None => self.end(),
        }
    }

    fn served(&self, waiting: Waiting) -> Option<Connection> {
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

    /// Whether all who serve somebody sleep in a handler.
    pub(super) fn are_all_asleep(&self, line: &Line) -> bool {
        line.serving <= self.asleep.load(Ordering::SeqCst)
    }

    /// Whether one more thread may be awake.
    pub(super) fn has_room(&self, line: &Line) -> bool {
        let asleep = self.asleep.load(Ordering::SeqCst);
        !self.is_crowded() || line.serving < self.most_awake.saturating_add(asleep)
    }

    /// The next in line; none if this thread is not needed any more.
    fn next<'a>(&'a self, mut line: MutexGuard<'a, Line>) -> Option<Waiting> {
        let mut until = Instant::now() + SPARE;
        loop {
            if self.has_room(&line)
                && let Some(place) = line.queue.pop_front()
            {
                line.spare -= 1;
                line.serving += 1;
                if !line.queue.is_empty() {
                    self.has_thread(&mut line);
                }
                self.call_for_next(line);
                if let Some(admitted) = place.admitted {
                    admitted.got_one();
                }
                return Some(place.waiting);
            }
            let left = until.saturating_duration_since(Instant::now());
            if line.closed || left.is_zero() {
                line.spare -= 1;
                line.threads -= 1;
                return None;
            }
            if self.is_lookout_free(&line) {
                line = self.look_out(line);
                until = Instant::now() + SPARE;
                continue;
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
            if (line.open == 0 && line.complete) || left.is_zero() {
                line.closed = true;
                self.work.notify_all();
                self.door.notify_all();
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
