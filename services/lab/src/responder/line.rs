//! Requests that wait in line for a slot.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// When each request is answered is known when it comes: the delay after the
/// first slot is free. So nothing is lost between the end of one request and
/// the start of the next, and the capacity is just slots over delay.
pub(super) struct Line<T> {
    delay: Duration,
    /// When each slot is free, the earliest first: slots are taken in this
    /// order, and each for as long. Empty if there is no limit.
    free: VecDeque<Instant>,
    /// Who gets an answer when, the earliest first.
    due: VecDeque<(Instant, T)>,
}

impl<T> Line<T> {
    /// With so many slots, all free; without limit if there are none.
    pub(super) fn new(slots: usize, delay: Duration, now: Instant) -> Self {
        Self {
            delay,
            free: std::iter::repeat_n(now, slots).collect(),
            due: VecDeque::new(),
        }
    }

    /// Somebody comes.
    pub(super) fn join(&mut self, who: T, now: Instant) {
        let start = self.free.pop_front().map(|free| free.max(now));
        let end = start.unwrap_or(now) + self.delay;
        if start.is_some() {
            self.free.push_back(end);
        }
        self.due.push_back((end, who));
    }

    /// When the next one is to be answered.
    pub(super) fn next(&self) -> Option<Instant> {
        self.due.front().map(|(due, _)| *due)
    }

    /// Somebody who is to be answered by now.
    pub(super) fn leave(&mut self, now: Instant) -> Option<T> {
        if self.next()? > now {
            return None;
        }
        self.due.pop_front().map(|(_, who)| who)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_millis(20);

    /// When each of so many who come at once is answered, in milliseconds.
    fn answered(slots: usize, count: usize) -> Vec<u128> {
        let now = Instant::now();
        let mut line = Line::new(slots, DELAY, now);
        for who in 0..count {
            line.join(who, now);
        }
        let mut times = Vec::new();
        while let Some(due) = line.next() {
            assert_eq!(line.leave(due), Some(times.len()), "in their order");
            times.push((due - now).as_millis());
        }
        times
    }

    #[test]
    fn those_who_find_no_free_slot_wait_for_one() {
        assert_eq!(answered(2, 5), [20, 20, 40, 40, 60]);
    }

    #[test]
    fn without_slots_nobody_waits_for_another() {
        assert_eq!(answered(0, 3), [20, 20, 20]);
    }

    #[test]
    fn nobody_is_answered_early() {
        let now = Instant::now();
        let mut line = Line::new(1, DELAY, now);
        line.join("first", now);
        assert_eq!(line.leave(now + DELAY / 2), None);
        assert_eq!(line.leave(now + DELAY), Some("first"));
        assert_eq!(line.leave(now + DELAY), None);
    }

    #[test]
    fn a_slot_that_was_free_for_long_gains_nothing_by_it() {
        let now = Instant::now();
        let mut line = Line::new(1, DELAY, now);
        line.join((), now + DELAY * 10);
        assert_eq!(line.next(), Some(now + DELAY * 11));
    }
}
