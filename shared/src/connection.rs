//! The clock of one HTTP connection: what it is waiting for, and until when.
//! The same for both services: the one sleeps until the deadline in `poll(2)`,
//! the other in a timer of its runtime.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use prometheus::IntCounter;
use rustix::time::{ClockId, clock_gettime};

use crate::config::Limits;

/// How long a connection that is closed with an unread body is still drained
/// after the last byte that came. Closed at once, the kernel would reset it, and
/// the client would never see the answer that explains why (RFC 9112, section
/// 9.6).
const LINGER: Duration = Duration::from_secs(2);

/// How long what still comes prolongs that: it is drained for both at the most.
const LONGEST_LINGER: Duration = Duration::from_secs(10);

/// How long a client that is in the middle of a head may go on after a stop.
const LAST_HEAD: Duration = Duration::from_secs(1);

/// The longest that a tick of the system takes (at 100 a second).
const TICK: Duration = Duration::from_millis(10);

/// The system's monotonic clock as of its last tick, some milliseconds ago:
/// several times cheaper than [`Instant::now`], and it is asked a few times for
/// each request. The limits here are seconds. In nanoseconds, which fit into 64
/// bits for some centuries.
fn now() -> u64 {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(now.tv_nsec).unwrap_or_default();
    seconds * 1_000_000_000 + nanos
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Waiting for the first byte of the next request.
    Idle = 0,
    /// Waiting for the rest of a head.
    Head = 1,
    /// A request is being served; its own time limit counts.
    Busy = 2,
    /// An answer is being written.
    Writing = 3,
    /// Draining what the client still sends, before closing.
    Closing = 4,
    /// Waiting for the rest of a body, which has a deadline of its own.
    Body = 5,
    /// Accepted, and not a byte read yet.
    Fresh = 6,
}

impl Phase {
    fn of(number: u8) -> Self {
        match number {
            0 => Self::Idle,
            1 => Self::Head,
            2 => Self::Busy,
            3 => Self::Writing,
            4 => Self::Closing,
            5 => Self::Body,
            _ => Self::Fresh,
        }
    }
}

/// The clock itself. Only whoever has the connection changes it, so relaxed
/// atomics do; they are atomics only because a connection may move between
/// threads, as a task and when it was parked.
#[derive(Debug)]
pub struct ConnectionClock {
    phase: AtomicU8,
    /// When the phase began, in nanoseconds.
    since: AtomicU64,
    /// When the closing began.
    closing_since: AtomicU64,
    unread_body: AtomicBool,
    stopping: AtomicBool,
    /// Whether an answer was written.
    is_served: AtomicBool,
    served: IntCounter,
    header_timeout: Duration,
    keep_alive: Duration,
    write_timeout: Duration,
}

impl ConnectionClock {
    /// Starts with the accepting of a connection, which has to send a head, and
    /// is counted there when its first answer has been written.
    #[must_use]
    pub fn start(limits: &Limits, served: IntCounter) -> Self {
        Self {
            phase: AtomicU8::new(Phase::Fresh as u8),
            since: AtomicU64::new(now()),
            closing_since: AtomicU64::new(0),
            unread_body: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            is_served: AtomicBool::new(false),
            served,
            header_timeout: limits.header_timeout,
            keep_alive: limits.keep_alive,
            write_timeout: limits.request_timeout,
        }
    }

    /// What the connection is doing.
    #[must_use]
    pub fn phase(&self) -> Phase {
        Phase::of(self.phase.load(Ordering::Relaxed))
    }

    fn enter(&self, phase: Phase) {
        self.enter_at(phase, now());
    }

    fn enter_at(&self, phase: Phase, at: u64) {
        self.phase.store(phase as u8, Ordering::Relaxed);
        self.since.store(at, Ordering::Relaxed);
    }

    /// The server stops: an idle connection has no time left, and one in the
    /// middle of a head a second. What is being served is not touched.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        if let phase @ (Phase::Fresh | Phase::Head) = self.phase() {
            self.enter(phase);
        }
    }

    /// Bytes were read: the first of an idle connection begin a head.
    pub fn read(&self) {
        match self.phase() {
            Phase::Idle => self.enter(Phase::Head),
            // The time for the first head runs from the accepting.
            Phase::Fresh => self.phase.store(Phase::Head as u8, Ordering::Relaxed),
            _ => {}
        }
    }

    /// A head is complete, and the rest of its body has until then. For `before`:
    /// in `after` the middleware waits for it, by a timer of its own.
    pub fn reading_body(&self, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        // Two ticks later, so that the body's own deadline comes first.
        self.enter_at(Phase::Body, now() + nanos(left + 2 * TICK));
    }

    /// A head is complete and its request is being served.
    pub fn serving(&self) {
        self.phase.store(Phase::Busy as u8, Ordering::Relaxed);
    }

    /// The answer is there; `unread_body` if the client may still be sending.
    pub fn answered(&self, unread_body: bool) {
        self.unread_body.store(unread_body, Ordering::Relaxed);
        self.enter(Phase::Writing);
    }

    /// Some bytes of an answer were written: a slow reader has made progress.
    pub fn wrote(&self) {
        if self.phase() == Phase::Writing {
            self.enter(Phase::Writing);
        }
    }

    /// All that there was to write is written.
    pub fn flushed(&self) {
        if self.phase() == Phase::Writing {
            self.enter(Phase::Idle);
            if !self.is_served.load(Ordering::Relaxed) {
                self.is_served.store(true, Ordering::Relaxed);
                self.served.inc();
            }
        }
    }

    /// The writing side is closed. Says whether to drain what still comes.
    pub fn closing(&self) -> bool {
        if self.phase() != Phase::Closing {
            self.enter(Phase::Closing);
            let since = self.since.load(Ordering::Relaxed);
            self.closing_since.store(since, Ordering::Relaxed);
        }
        self.unread_body.load(Ordering::Relaxed)
    }

    /// Bytes of an unread body were drained: the client is still sending.
    pub fn drained(&self) {
        let closing = self.closing_since.load(Ordering::Relaxed);
        if now().saturating_sub(closing) < nanos(LONGEST_LINGER) {
            self.enter(Phase::Closing);
        }
    }

    /// How long the connection may still wait; no limit while a request is
    /// served.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let stopping = self.stopping.load(Ordering::Relaxed);
        let limit = match self.phase() {
            Phase::Idle if stopping => Duration::ZERO,
            Phase::Idle => self.keep_alive,
            Phase::Fresh | Phase::Head if stopping => self.header_timeout.min(LAST_HEAD),
            Phase::Fresh | Phase::Head => self.header_timeout,
            Phase::Body => Duration::ZERO,
            Phase::Busy => return None,
            Phase::Writing => self.write_timeout,
            Phase::Closing => LINGER,
        };
        let until = self.since.load(Ordering::Relaxed) + nanos(limit);
        Some(Duration::from_nanos(until.saturating_sub(now())))
    }

    /// The next moment at which it can have waited too long, whatever happens
    /// until then: for a timer that is not to be set anew for each request.
    #[must_use]
    pub fn next_look(&self) -> Instant {
        let shortest = self
            .header_timeout
            .min(self.keep_alive)
            .min(self.write_timeout)
            .min(LINGER);
        let left = self.left().map_or(shortest, |left| left.min(shortest));
        Instant::now() + left
    }

    /// Whether it has waited too long.
    #[must_use]
    pub fn expired(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter() -> IntCounter {
        IntCounter::new("served", "Served.").expect("the name is valid")
    }

    #[test]
    fn each_phase_has_its_limit() {
        let second = Duration::from_secs(1);
        let limits = Limits {
            request_timeout: 3 * second,
            header_timeout: second,
            keep_alive: 20 * second,
            body_limit: 1,
            max_connections: 1,
            shutdown_grace: second,
        };
        let served = counter();
        let clock = ConnectionClock::start(&limits, served.clone());
        let left = |clock: &ConnectionClock| clock.left().map(|left| left.as_secs_f64().round());
        assert_eq!((clock.phase(), left(&clock)), (Phase::Fresh, Some(1.0)));
        clock.read();
        assert_eq!((clock.phase(), left(&clock)), (Phase::Head, Some(1.0)));
        clock.serving();
        assert_eq!((clock.phase(), left(&clock)), (Phase::Busy, None));
        clock.read();
        assert_eq!(clock.phase(), Phase::Busy, "a body is no new head");
        clock.answered(false);
        clock.wrote();
        assert_eq!((clock.phase(), left(&clock)), (Phase::Writing, Some(3.0)));
        assert_eq!(served.get(), 0, "the answer is not written yet");
        clock.flushed();
        assert_eq!((clock.phase(), left(&clock)), (Phase::Idle, Some(20.0)));
        assert_eq!(served.get(), 1);
        clock.read();
        assert_eq!((clock.phase(), left(&clock)), (Phase::Head, Some(1.0)));
        assert!(!clock.expired());
        clock.reading_body(Instant::now() + 2 * second);
        assert_eq!((clock.phase(), left(&clock)), (Phase::Body, Some(2.0)));
        clock.answered(true);
        assert!(clock.closing(), "the rest of the body is drained");
        assert_eq!((clock.phase(), left(&clock)), (Phase::Closing, Some(2.0)));
    }

    #[test]
    fn a_connection_is_counted_with_its_first_answer_only() {
        let second = Duration::from_secs(1);
        let limits = Limits {
            request_timeout: second,
            header_timeout: second,
            keep_alive: second,
            body_limit: 1,
            max_connections: 1,
            shutdown_grace: second,
        };
        let served = counter();
        let clock = ConnectionClock::start(&limits, served.clone());
        // hyper flushes after each read, also when it has nothing to write.
        clock.flushed();
        clock.read();
        clock.flushed();
        clock.serving();
        clock.flushed();
        assert_eq!(served.get(), 0);
        for _ in 0..3 {
            clock.serving();
            clock.answered(false);
            clock.flushed();
            assert_eq!(served.get(), 1);
        }
    }

    #[test]
    fn a_stop_leaves_idle_connections_no_time() {
        let second = Duration::from_secs(1);
        let limits = Limits {
            request_timeout: second,
            header_timeout: 10 * second,
            keep_alive: 10 * second,
            body_limit: 1,
            max_connections: 1,
            shutdown_grace: second,
        };
        let clock = ConnectionClock::start(&limits, counter());
        clock.stop();
        let left = clock.left().unwrap();
        assert!(left <= LAST_HEAD, "{left:?}");
        clock.answered(false);
        clock.flushed();
        assert!(clock.expired());
    }
}
