//! What is measured, for how long and how often.

use std::time::Duration;

use crate::results::Level;
use crate::subject::Role;

/// The path of the database route of the talk; `{id}` is a random market.
pub const BOOK: &str = "/markets/{id}/book";

/// How many workers the talk had in production.
pub const WORKERS: u32 = 3;

/// How often and how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its name.
    pub preset: &'static str,
    /// Runs of each subject at each level.
    pub runs: u32,
    /// How long a run takes.
    pub duration: Duration,
    /// How long a subject is loaded before its first run at a level.
    pub warm_up: Duration,
    /// How long the load tool's own limit is looked for, at each level.
    pub ceiling: Duration,
    /// The questions.
    pub experiments: Vec<Planned>,
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Its name.
    pub name: &'static str,
    /// What is asked, in a sentence.
    pub question: String,
    /// The path.
    pub path: String,
    /// What the subjects are started for.
    pub role: Role,
    /// How many processes of each.
    pub processes: u32,
    /// The loads.
    pub levels: Vec<Level>,
}

/// How much of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Under two minutes.
    Quick,
    /// About ten minutes.
    #[default]
    Default,
    /// As the talk did it: ten runs of 30 s at each level. Hours.
    Full,
}

/// The questions of the talk, and one more.
pub const TALK: [&str; 4] = ["ping", "book", "production", "waiting"];

impl Plan {
    /// The talk's questions by a preset; `connections` replaces the levels of all.
    #[must_use]
    pub fn talk(preset: Preset, only: &[String], connections: &[u32]) -> Self {
        let (name, runs, seconds, warm_up, ceiling) = match preset {
            Preset::Quick => ("quick", 3, 2, 1, 1),
            Preset::Default => ("default", 5, 4, 1, 2),
            Preset::Full => ("full", 10, 30, 5, 5),
        };
        let experiments = TALK
            .iter()
            .filter(|name| only.is_empty() || only.iter().any(|wanted| wanted == *name));
        Self {
            preset: name,
            runs,
            duration: Duration::from_secs(seconds),
            warm_up: Duration::from_secs(warm_up),
            ceiling: Duration::from_secs(ceiling),
            experiments: experiments
                .map(|name| question(name, preset, connections))
                .collect(),
        }
    }

    /// How long it takes with so many subjects, starts and pauses left out.
    #[must_use]
    pub fn time(&self, subjects: u32) -> Duration {
        self.experiments
            .iter()
            .map(|planned| self.time_of(planned, subjects))
            .sum()
    }

    /// The same for one question.
    #[must_use]
    pub fn time_of(&self, planned: &Planned, subjects: u32) -> Duration {
        let levels = u32::try_from(planned.levels.len()).unwrap_or(u32::MAX);
        let level = self.ceiling * 2 + (self.warm_up + self.duration * self.runs) * subjects;
        level * levels
    }
}

fn question(name: &'static str, preset: Preset, connections: &[u32]) -> Planned {
    let (question, path, role, processes) = match name {
        "ping" => (
            "How many answers a second, when nothing is to be waited for?".to_owned(),
            "/ping",
            Role::Plain,
            1,
        ),
        "book" => (
            "How many answers a second, each with one query of the database?".to_owned(),
            BOOK,
            Role::Plain,
            1,
        ),
        "production" => (
            format!("How many with {WORKERS} processes on one port, as in the talk's production?"),
            BOOK,
            Role::Worker,
            WORKERS,
        ),
        _ => (
            "How many at once, when each waits 50 ms for something slow? (A thread each gives at \
             most WORKERS / 50 ms.)"
                .to_owned(),
            "/sleep?ms=50",
            Role::Experiments,
            1,
        ),
    };
    let usual: &[u32] = match (preset, name) {
        (Preset::Quick, "waiting") => &[1000],
        (Preset::Quick, _) => &[50],
        (Preset::Default, "waiting") => &[50, 500, 2000],
        (Preset::Default, "production") => &[50, 100],
        (Preset::Default, _) => &[10, 50, 100],
        (Preset::Full, "waiting") => &[50, 200, 500, 1000, 2000],
        (Preset::Full, _) => &[10, 50, 100, 200],
    };
    let connections = if connections.is_empty() {
        usual
    } else {
        connections
    };
    Planned {
        name,
        question,
        path: path.to_owned(),
        role,
        processes,
        levels: connections.iter().copied().map(closed).collect(),
    }
}

/// A closed loop.
#[must_use]
pub fn closed(connections: u32) -> Level {
    Level {
        connections,
        rate: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_take_the_time_that_they_say() {
        let minutes = |preset| Plan::talk(preset, &[], &[]).time(2).as_secs_f64() / 60.0;
        assert!(minutes(Preset::Quick) < 1.5);
        assert!((7.0..11.0).contains(&minutes(Preset::Default)));
        assert!(minutes(Preset::Full) > 60.0);
    }

    #[test]
    fn the_full_one_is_the_talks() {
        let plan = Plan::talk(Preset::Full, &["ping".to_owned()], &[100]);
        assert_eq!((plan.runs, plan.duration.as_secs()), (10, 30));
        assert_eq!(plan.experiments.len(), 1);
        assert_eq!(plan.experiments[0].levels, [closed(100)]);
    }
}
