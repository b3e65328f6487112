//! Looking for the highest level that holds: first in leaps, then by halves.

/// A search over whole numbers.
#[derive(Clone, Debug)]
pub struct Search {
    holds: Option<u64>,
    fails: Option<u64>,
    next: u64,
    /// The highest that is tried.
    most: u64,
    /// It ends when the two ends are no further apart than this share, or by 1.
    step: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The highest level that held, if one did.
    pub highest: Option<u64>,
    /// Whether even the highest that was tried held.
    pub bounded: bool,
}

impl Search {
    /// Starts at a level and goes no higher than another.
    #[must_use]
    pub fn new(first: u64, most: u64, step: f64) -> Self {
        Self {
            holds: None,
            fails: None,
            next: first.clamp(1, most),
            most,
            step,
        }
    }

    /// The level to try next; nothing if the search has ended.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        let tried = |level: Option<u64>| level == Some(self.next);
        (!tried(self.holds) && !tried(self.fails)).then_some(self.next)
    }

    /// Notes whether the level held.
    pub fn note(&mut self, held: bool) {
        if held {
            self.holds = Some(self.next);
        } else {
            self.fails = Some(self.next);
        }
        self.next = match (self.holds, self.fails) {
            (None, None) => self.next,
            // In leaps: up, or down if not even the first held.
            (Some(holds), None) => holds.saturating_mul(2).min(self.most),
            (None, Some(fails)) => (fails / 2).max(1),
            (Some(holds), Some(fails)) if self.is_close(holds, fails) => holds,
            (Some(holds), Some(fails)) => holds.midpoint(fails),
        };
    }

    fn is_close(&self, holds: u64, fails: u64) -> bool {
        let apart = fails.saturating_sub(holds);
        apart <= 1 || crate::usage::as_f64(apart) <= self.step * crate::usage::as_f64(holds)
    }

    /// What was found so far.
    #[must_use]
    pub fn found(&self) -> Found {
        Found {
            highest: self.holds,
            bounded: self.holds == Some(self.most) && self.fails.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The highest level found, and how many were tried.
    fn search(first: u64, most: u64, step: f64, knee: u64) -> (Found, usize) {
        let mut search = Search::new(first, most, step);
        let mut tried = 0;
        while let Some(level) = search.next() {
            search.note(level <= knee);
            tried += 1;
            assert!(tried < 100, "it ends");
        }
        (search.found(), tried)
    }

    #[test]
    fn the_knee_is_found_wherever_it_is() {
        for knee in 1..600 {
            let (found, tried) = search(8, 4096, 0.0, knee);
            assert_eq!(found.highest, Some(knee));
            assert!(tried <= 24, "{tried} tries for {knee}");
        }
    }

    #[test]
    fn it_stops_within_the_step() {
        for knee in [100, 1000, 3333] {
            let (found, tried) = search(8, 100_000, 0.05, knee);
            let highest = found.highest.expect("one held");
            assert!(
                highest <= knee && highest * 106 >= knee * 100,
                "{highest} for {knee}"
            );
            assert!(tried <= 20);
        }
    }

    #[test]
    fn both_ends_are_told() {
        let (found, _) = search(8, 64, 0.0, 1000);
        assert_eq!((found.highest, found.bounded), (Some(64), true));
        let (found, _) = search(8, 64, 0.0, 0);
        assert_eq!((found.highest, found.bounded), (None, false));
    }
}
