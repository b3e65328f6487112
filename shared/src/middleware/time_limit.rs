//! `REQUEST_TIMEOUT_MS`: how long a request may take.
//!
//! A future can be dropped wherever it waits, a thread cannot be stopped. So
//! `after` limits the whole handler, and `before` limits each thing that a
//! handler waits for: each asks how much of the request's time is left. What
//! computes without waiting is limited by neither.

use std::time::{Duration, Instant};

use crate::error::{Error, Unavailable};

/// The moment by which a request has to be answered.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// The deadline of a request that started then.
    #[must_use]
    pub fn new(started: Instant, limit: Duration) -> Self {
        Self(started + limit)
    }

    /// When it is.
    #[must_use]
    pub fn at(self) -> Instant {
        self.0
    }

    /// How long something may be waited for that has a limit of its own too.
    ///
    /// # Errors
    /// 503 if no time is left.
    pub fn at_most(self, limit: Duration) -> Result<Duration, Error> {
        let left = self.0.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::Unavailable(Unavailable::Deadline));
        }
        Ok(limit.min(left))
    }
}
