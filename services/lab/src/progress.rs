//! What the lab does, and how long it still takes.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Tells on standard error: the results alone go to standard output.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    planned: Duration,
    done: Duration,
    colour: bool,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            planned: Duration::ZERO,
            done: Duration::ZERO,
            colour: io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }
}

impl Progress {
    /// Seconds since the lab began.
    #[must_use]
    pub fn at_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Notes work that is to be done.
    pub fn plan(&mut self, work: Duration) {
        self.planned += work;
    }

    /// Notes that planned work is done, and tells what came of it.
    pub fn did(&mut self, work: Duration, what: &str) {
        self.done += work;
        let left = self.planned.saturating_sub(self.done);
        if left.is_zero() {
            self.line(&format!("      {what}"));
        } else {
            self.line(&format!("      {what}  ({} left)", time(left)));
        }
    }

    /// A part begins.
    pub fn heading(&self, text: &str) {
        if self.colour {
            self.line(&format!("\n\u{1b}[1m{text}\u{1b}[0m"));
        } else {
            self.line(&format!("\n{text}"));
        }
    }

    /// Something that is good to know.
    pub fn note(&self, text: &str) {
        self.line(&format!("      {text}"));
    }

    /// Something that somebody should look after.
    pub fn warn(&self, text: &str) {
        if self.colour {
            self.line(&format!("   \u{1b}[33m!\u{1b}[0m  {text}"));
        } else {
            self.line(&format!("   !  {text}"));
        }
    }

    #[expect(
        clippy::unused_self,
        reason = "whoever tells has a progress to tell of"
    )]
    fn line(&self, text: &str) {
        // Nobody may be left to read it, and that is no reason to stop.
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// A time for people: `1 h 5 min`, `4 min 10 s`, `25 s`.
#[must_use]
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_people_do() {
        for (seconds, text) in [(25, "25 s"), (250, "4 min 10 s"), (3900, "1 h 5 min")] {
            assert_eq!(time(Duration::from_secs(seconds)), text);
        }
    }
}
