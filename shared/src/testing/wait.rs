//! Waiting for a condition, with a deadline and never for a fixed time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// More than anything here takes on a busy machine; only a failing test waits
/// so long.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// How long the polling of a condition that nobody announces pauses.
const PAUSE: Duration = Duration::from_millis(5);

/// Polls until there is a value.
///
/// # Panics
/// If there is none after [`PATIENCE`]; `what` says what was waited for.
pub fn wait_for<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    poll(PATIENCE, what, condition)
}

fn poll<T>(limit: Duration, what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(
            started.elapsed() < limit,
            "waited {limit:?} in vain: {what}"
        );
        thread::sleep(PAUSE);
    }
}

/// Polls until a condition holds.
///
/// # Panics
/// As [`wait_for`].
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || condition().then_some(()));
}

/// Polls until a condition holds, where it is the time itself that is tested.
///
/// # Panics
/// If it does not hold within the limit.
pub fn wait_within(limit: Duration, what: &str, mut condition: impl FnMut() -> bool) {
    poll(limit, what, || condition().then_some(()));
}

/// A value that one thread changes and others wait for.
#[derive(Default)]
pub struct Watched<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Watched<T> {
    /// Starts with a value.
    pub fn new(value: T) -> Self {
        Self {
            value: Mutex::new(value),
            changed: Condvar::new(),
        }
    }

    /// The value. A test that panicked with it in hand must not make others
    /// fail for that reason, hence no poisoning.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the value and wakes those who wait.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until `pick` finds something in the value; none after the limit.
    pub fn wait<R>(&self, limit: Duration, mut pick: impl FnMut(&T) -> Option<R>) -> Option<R> {
        let deadline = Instant::now() + limit;
        let mut value = self.lock();
        loop {
            if let Some(found) = pick(&value) {
                return Some(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            value = self
                .changed
                .wait_timeout(value, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}
