//! Who may wait: for a connection to the database, and in `before` for a thread.
//!
//! When more is asked of the database than it can serve, somebody has to be
//! refused. Without a word from here that would be everybody whose time is up:
//! all wait for as long as they may, and those that are served at last have
//! waited nearly as long. So who comes to a line that is too long is refused at
//! once, and who is let in is served soon.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Unavailable};

/// In place of the moment when the line began, while there is none.
const NO_LINE: u64 = u64::MAX;

/// The line before a pool, and how fast it moves.
///
/// A line is judged by the connections that it was given within a window, half
/// of the time that a request may wait: if more are ahead of a request than
/// that, it is refused. Half, since nobody's turn is certain (a pool may hand a
/// connection to who comes at the right moment), and since an answer after half
/// a limit is worth more than one at the end of it.
///
/// The older a connection given is, the less it counts (by half after 0.7
/// windows). By time and not by number: with a thousand waiting, a mean of the
/// last few intervals would take a pause of 20 ms for the end of all things,
/// where the window loses 4 % of its count. While nothing moves, the count fades
/// too: a database that hangs is known after a window, and one that is back with
/// the first connections.
///
/// What is known is known of this line only. With its end it is forgotten, and
/// a line younger than a window is not judged: a pause is not a slow database,
/// and what was learnt an hour ago says nothing.
///
/// All requests share it, hence atomics without any order among them: who reads
/// half of a change is let in or refused a moment too early, and nothing else
/// hangs on it.
#[derive(Debug)]
pub struct Admission {
    window: Duration,
    start: Instant,
    /// How many wait.
    waiting: AtomicU32,
    /// When the line began, in nanoseconds since the start; or [`NO_LINE`].
    began: AtomicU64,
    /// When it moved last, or began, likewise.
    moved: AtomicU64,
    /// What it was given until then, faded: the bits of an `f64`.
    given: AtomicU64,
}

impl Admission {
    /// Nobody waits yet. Nobody will be let in who has to expect to wait for
    /// more than half of the limit.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self::new_at(limit, Instant::now())
    }

    fn new_at(limit: Duration, start: Instant) -> Self {
        Self {
            window: limit / 2,
            start,
            waiting: AtomicU32::new(0),
            began: AtomicU64::new(NO_LINE),
            moved: AtomicU64::new(0),
            given: AtomicU64::new(0),
        }
    }

    /// Joins the line. Who finds nobody in it is always let in.
    ///
    /// # Errors
    /// 503 if it is too long.
    pub fn enter(&self) -> Result<Waiting<&Self>, Error> {
        Self::enter_at(self, Instant::now())
    }

    /// The same, for a place that is kept elsewhere than on the caller's stack.
    ///
    /// # Errors
    /// 503 if it is too long.
    pub fn enter_shared(self: &Arc<Self>) -> Result<Waiting<Arc<Self>>, Error> {
        Self::enter_at(self.clone(), Instant::now())
    }

    fn enter_at<L: Deref<Target = Self>>(line: L, now: Instant) -> Result<Waiting<L>, Error> {
        // Counts down when it is refused, too.
        let waiting = Waiting { line };
        waiting.line.join(now)?;
        Ok(waiting)
    }

    fn join(&self, now: Instant) -> Result<(), Error> {
        let now = self.nanos(now);
        let ahead = self.waiting.fetch_add(1, Ordering::Relaxed);
        let began = self.began.load(Ordering::Relaxed);
        if ahead == 0 || began == NO_LINE {
            self.given.store(0, Ordering::Relaxed);
            self.moved.store(now, Ordering::Relaxed);
            self.began.store(now, Ordering::Relaxed);
        } else if f64::from(ahead) > self.gives(began, now) {
            return Err(Error::Unavailable(Unavailable::Line));
        }
        Ok(())
    }

    /// How many connections a line that began then is given in a window.
    fn gives(&self, began: u64, now: u64) -> f64 {
        let age = self.windows(began, now);
        if age < 1.0 {
            return f64::INFINITY;
        }
        let given = f64::from_bits(self.given.load(Ordering::Relaxed));
        let still = self.windows(self.moved.load(Ordering::Relaxed), now);
        // What was given before it began is not known to be nothing.
        given * (-still).exp() / (1.0 - (-age).exp())
    }

    fn give_at(&self, now: Instant) {
        let now = self.nanos(now);
        // Each stretch of time fades the count once, whoever comes first.
        let still = self.windows(self.moved.fetch_max(now, Ordering::Relaxed), now);
        let fade = (-still).exp();
        let more = |given| Some((f64::from_bits(given) * fade + 1.0).to_bits());
        let _ = self
            .given
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// The time between two moments, in windows.
    fn windows(&self, from: u64, to: u64) -> f64 {
        Duration::from_nanos(to.saturating_sub(from)).div_duration_f64(self.window)
    }

    fn nanos(&self, now: Instant) -> u64 {
        let nanos = now.saturating_duration_since(self.start).as_nanos();
        u64::try_from(nanos).expect("nobody runs for 584 years")
    }
}

/// A place in the line, until it is dropped: also when the future that waits is.
#[derive(Debug)]
#[must_use = "the place is lost when this is dropped"]
pub struct Waiting<L: Deref<Target = Admission>> {
    line: L,
}

impl<L: Deref<Target = Admission>> Waiting<L> {
    /// Leaves the line with a connection in hand. (Who leaves without one does
    /// not show how fast it moves.)
    pub fn got_one(self) {
        self.got_one_at(Instant::now());
    }

    fn got_one_at(self, now: Instant) {
        self.line.give_at(now);
    }
}

impl<L: Deref<Target = Admission>> Drop for Waiting<L> {
    fn drop(&mut self) {
        if self.line.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            // If the next line has begun in between, that is for its next one
            // to put right.
            self.line.began.store(NO_LINE, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);
    const MS: Duration = Duration::from_millis(1);

    /// A line, and the time in it.
    struct Line<'a> {
        admission: &'a Admission,
        waiting: VecDeque<Waiting<&'a Admission>>,
        now: Instant,
    }

    impl<'a> Line<'a> {
        fn new(admission: &'a Admission) -> Self {
            Self {
                admission,
                waiting: VecDeque::new(),
                now: admission.start,
            }
        }

        /// Whether one more is let in.
        fn enter(&mut self) -> bool {
            let entered = Admission::enter_at(self.admission, self.now);
            entered.map(|one| self.waiting.push_back(one)).is_ok()
        }

        /// How many of so many are let in.
        fn burst(&mut self, count: usize) -> usize {
            (0..count).filter(|_| self.enter()).count()
        }

        /// One gets a connection, after a while; says whether another is let
        /// in, in its place.
        fn step(&mut self, after: Duration) -> bool {
            self.now += after;
            let first = self.waiting.pop_front().expect("somebody waits");
            first.got_one_at(self.now);
            self.enter()
        }
    }

    #[test]
    fn of_a_new_line_nothing_is_known_and_nobody_is_refused() {
        let admission = Admission::new(LIMIT);
        let mut line = Line::new(&admission);
        assert_eq!(line.burst(1000), 1000);
        line.now += 499 * MS;
        assert_eq!(line.burst(1000), 1000);
    }

    #[test]
    fn a_line_is_as_long_as_half_the_limit() {
        for (interval, least, most) in [(MS, 480, 520), (10 * MS, 47, 53), (100 * MS, 3, 7)] {
            let admission = Admission::new(LIMIT);
            let mut line = Line::new(&admission);
            line.burst(2000);
            for _ in 0..2000 {
                line.step(interval);
            }
            // It has run down to its length, and three times the load is there.
            for _ in 0..20 {
                line.step(interval);
                line.burst(2);
                let long = line.waiting.len();
                assert!((least..=most).contains(&long), "{interval:?}: {long}");
            }
        }
    }

    #[test]
    fn a_thousand_at_a_fast_database_are_never_refused() {
        let admission = Admission::new(LIMIT);
        let mut line = Line::new(&admission);
        assert_eq!(line.burst(992), 992);
        for n in 1..50_000 {
            // Eight connections come back together, and sometimes late.
            let after = match n {
                _ if n % 5000 == 0 => 100 * MS,
                _ if n % 8 == 0 => 1600 * MS / 1000,
                _ => Duration::ZERO,
            };
            assert!(line.step(after), "the {n}th after {:?}", line.waiting.len());
        }
    }

    #[test]
    fn a_database_that_hangs_is_known_and_known_to_be_back() {
        let admission = Admission::new(LIMIT);
        let mut line = Line::new(&admission);
        line.burst(100);
        for _ in 0..5000 {
            assert!(line.step(MS));
        }
        line.now += 3 * LIMIT;
        assert!(!line.enter());
        // 2,000 a second now: as many are let in as are served.
        let let_in = (0..200).filter(|_| line.step(MS / 2)).count();
        assert!(let_in > 100, "{let_in} of 200");
        assert!((0..200).all(|_| line.step(MS / 2)));
    }

    #[test]
    fn one_that_hangs_from_the_beginning_of_the_line_is_known_too() {
        let admission = Admission::new(LIMIT);
        let mut line = Line::new(&admission);
        line.burst(10);
        line.now += LIMIT / 2;
        assert_eq!(line.burst(10), 0);
        // They give up, and who comes then finds no line.
        line.waiting.clear();
        assert_eq!(line.burst(10), 10);
    }

    #[test]
    fn what_was_learnt_ends_with_the_line() {
        let admission = Admission::new(LIMIT);
        let mut line = Line::new(&admission);
        line.burst(10);
        for _ in 0..10 {
            line.step(300 * MS);
        }
        assert_eq!(line.burst(10), 0);
        while let Some(one) = line.waiting.pop_front() {
            line.now += 300 * MS;
            one.got_one_at(line.now);
        }
        for pause in [Duration::ZERO, 3600 * LIMIT] {
            line.now += pause;
            assert_eq!(line.burst(1000), 1000);
            line.waiting.clear();
        }
    }

    #[test]
    fn who_finds_nobody_is_always_let_in() {
        let admission = Admission::new(LIMIT);
        let mut line = Line::new(&admission);
        for _ in 0..10 {
            assert!(line.enter());
            line.now += 3 * LIMIT;
            assert!(!line.enter());
            line.waiting.clear();
        }
    }

    #[test]
    fn threads_leave_nobody_behind() {
        let admission = Admission::new(MS);
        std::thread::scope(|scope| {
            for n in 0..4 {
                let admission = &admission;
                scope.spawn(move || {
                    for m in 0..10_000 {
                        match admission.enter() {
                            Ok(one) if (n + m) % 3 > 0 => one.got_one(),
                            _ => {}
                        }
                    }
                });
            }
        });
        assert_eq!(admission.waiting.load(Ordering::Relaxed), 0);
        assert!(admission.enter().is_ok());
    }
}
