//! How often to try again, and how often to say so.

use std::time::{Duration, Instant};

const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(2);
const REMINDER: Duration = Duration::from_secs(30);

/// Delays that double up to two seconds, and a log that stays quiet: a cause is
/// said when it is new, and again after 30 seconds.
#[derive(Debug)]
pub struct Retry {
    delay: Duration,
    said: Vec<(String, Instant)>,
}

impl Retry {
    /// Starts with a short delay.
    #[must_use]
    pub fn new() -> Self {
        Self {
            delay: FIRST_DELAY,
            said: Vec::new(),
        }
    }

    /// How long to wait before the next try.
    pub fn delay(&mut self) -> Duration {
        let delay = self.delay;
        self.delay = (delay * 2).min(LONGEST_DELAY);
        delay
    }

    /// Whether this cause should be logged.
    pub fn is_news(&mut self, cause: &str) -> bool {
        let now = Instant::now();
        // Causes may take turns, as a server goes through its start.
        self.said.retain(|(_, at)| now - *at < REMINDER);
        if self.said.iter().any(|(said, _)| said == cause) {
            return false;
        }
        self.said.push((cause.to_owned(), now));
        true
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_limit_and_a_cause_is_said_once() {
        let mut retry = Retry::new();
        let delays: Vec<_> = (0..7).map(|_| retry.delay().as_millis()).collect();
        assert_eq!(delays, [100, 200, 400, 800, 1600, 2000, 2000]);
        assert!(retry.is_news("refused"));
        assert!(!retry.is_news("refused"));
        assert!(retry.is_news("password"));
        assert!(!retry.is_news("refused"));
    }
}
