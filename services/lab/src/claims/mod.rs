//! What the talk reported, and what was measured here.

use crate::results::{Experiment, Level, Results};
use crate::stats::Ratio;
use crate::summary::{self, LevelSummary, SubjectSummary};
use crate::text;

/// A claim of the talk, which moved services in Python from Flask, psycopg2 and
/// eventlet to aiohttp, asyncpg and uvloop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// The experiment that asks the same here.
    pub experiment: &'static str,
    /// What was loaded, in words.
    pub what: &'static str,
    /// The workers that served at once.
    pub processes: u32,
    /// Requests a second before the move, from and to.
    pub before: (u32, u32),
    /// Requests a second after it.
    pub after: (u32, u32),
    /// How many times as many that were, from the middle of each range.
    pub ratio: f64,
}

/// All of them, in the talk's order.
pub const CLAIMS: [Claim; 3] = [
    Claim {
        experiment: "ping",
        what: "a route that does nothing",
        processes: 1,
        before: (650, 650),
        after: (1_400, 1_400),
        ratio: 2.2,
    },
    Claim {
        experiment: "book",
        what: "a route that asks the database",
        processes: 1,
        before: (200, 300),
        after: (800, 1_000),
        ratio: 3.6,
    },
    Claim {
        experiment: "production",
        what: "three workers",
        processes: 3,
        before: (1_300, 1_300),
        after: (7_000, 7_000),
        ratio: 5.4,
    },
];

/// How many times the lower end of an interval its upper end may be, for a claim
/// within it to be reproduced: a wider one would agree with nearly everything.
pub const WIDE: f64 = 1.5;

/// What became of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The interval reaches the claimed ratio, or is above it.
    Reproduced,
    /// The whole interval is below the claimed ratio.
    NotReproduced,
    /// The figures do not say, for this reason.
    NotComparable(String),
}

impl Outcome {
    /// In a word or two.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::NotComparable(_) => "not comparable",
        }
    }
}

/// A claim beside what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The claim.
    pub claim: Claim,
    /// The load that is compared; nothing if it was not measured.
    pub level: Option<Level>,
    /// The median rate of `before` there.
    pub before: Option<f64>,
    /// The median rate of `after` there.
    pub after: Option<f64>,
    /// The paired ratio of after to before there.
    pub ratio: Option<Ratio>,
    /// What follows.
    pub outcome: Outcome,
    /// The same, for people.
    pub sentence: String,
}

/// A verdict on each claim, by rules that were fixed before anything was
/// measured.
///
/// The level is the closed loop with the most connections at which both services
/// were run: the talk's figures are what a service gives under full load, and a
/// level chosen by its result would be a chosen result.
///
/// The claim is reproduced if the 95 % interval of the ratio reaches the claimed
/// ratio or is above it, and not reproduced if the whole interval is below. It is
/// not comparable if that level was not measured with as many processes, if
/// fewer than two rounds have valid runs of both, if either service is noisy or
/// limited by the load tool, or if the claimed ratio is within an interval whose
/// ends are more than [`WIDE`] times apart: one from no difference to the claim
/// is wider than that.
#[must_use]
pub fn verdicts(results: &Results) -> Vec<Verdict> {
    let verdict = |claim| verdict(claim, results);
    CLAIMS.into_iter().map(verdict).collect()
}

/// One level with both services.
struct Measured<'a> {
    experiment: &'a Experiment,
    level: LevelSummary,
    before: SubjectSummary,
    after: SubjectSummary,
    ratio: Option<Ratio>,
}

fn verdict(claim: Claim, results: &Results) -> Verdict {
    let measured = measured(claim, results);
    let (outcome, sentence) = match &measured {
        None => {
            let reason = "before and after were not both measured in a closed loop".to_owned();
            let sentence = format!("Not comparable: {reason}.");
            (Outcome::NotComparable(reason), sentence)
        }
        Some(measured) => {
            let outcome = outcome(claim, measured);
            let sentence = sentence(claim, measured, &outcome);
            (outcome, sentence)
        }
    };
    let rate = |subject: &SubjectSummary| subject.rate.map(|rate| rate.median);
    let measured = measured.as_ref();
    Verdict {
        claim,
        level: measured.map(|measured| measured.level.level),
        before: measured.and_then(|measured| rate(&measured.before)),
        after: measured.and_then(|measured| rate(&measured.after)),
        ratio: measured.and_then(|measured| measured.ratio),
        outcome,
        sentence,
    }
}

fn measured(claim: Claim, results: &Results) -> Option<Measured<'_>> {
    let mut experiments = results.experiments.iter();
    let experiment = experiments.find(|experiment| experiment.name == claim.experiment)?;
    let closed = summary::summarize(experiment).into_iter().rev();
    for level in closed.filter(|summary| summary.level.rate.is_none()) {
        let subject = |name: &str| level.subjects.iter().find(|s| s.name == name).cloned();
        if let (Some(before), Some(after)) = (subject("before"), subject("after")) {
            return Some(Measured {
                ratio: summary::ratio(experiment, level.level, "after", "before"),
                experiment,
                level,
                before,
                after,
            });
        }
    }
    None
}

fn outcome(claim: Claim, measured: &Measured) -> Outcome {
    let Some((low, high)) = measured.ratio.and_then(|ratio| ratio.interval) else {
        return Outcome::NotComparable(too_few(measured));
    };
    if let Some(reason) = unfit(claim, measured) {
        return Outcome::NotComparable(reason);
    }
    if high < claim.ratio {
        Outcome::NotReproduced
    } else if low < claim.ratio && high > low * WIDE {
        Outcome::NotComparable(format!(
            "the interval from {low:.2} to {high:.2} is too wide to say anything"
        ))
    } else {
        Outcome::Reproduced
    }
}

fn too_few(measured: &Measured) -> String {
    let pairs = measured.ratio.map_or(0, |ratio| ratio.pairs);
    let rounds = match pairs {
        0 => "no round has",
        _ => "only one round has",
    };
    let [before, after] = [&measured.before, &measured.after];
    format!(
        "{rounds} valid runs of both, and an interval needs two ({} of {} runs of before are \
         valid, {} of {} of after)",
        before.valid, before.total, after.valid, after.total
    )
}

/// Why no ratio of these two would say anything on the claim.
fn unfit(claim: Claim, measured: &Measured) -> Option<String> {
    let processes = measured.experiment.processes;
    if processes != claim.processes {
        return Some(format!(
            "each service ran as {processes} and not as {} processes",
            claim.processes
        ));
    }
    let [before, after] = [&measured.before, &measured.after];
    let who = |is: fn(&SubjectSummary) -> bool| match (is(before), is(after)) {
        (true, true) => Some("before and after are"),
        (true, false) => Some("before is"),
        (false, true) => Some("after is"),
        (false, false) => None,
    };
    if let Some(who) = who(|subject| subject.limited_by_tool) {
        return Some(format!(
            "{who} limited by the load tool, which reaches no more than {} a second here",
            text::grouped(measured.level.ceiling.unwrap_or(f64::NAN))
        ));
    }
    let who = who(|subject| subject.noisy)?;
    Some(format!("{who} too noisy to say anything"))
}

fn sentence(claim: Claim, measured: &Measured, outcome: &Outcome) -> String {
    let ratio = measured.ratio;
    let interval = ratio.and_then(|ratio| ratio.interval);
    let verdict = match outcome {
        Outcome::NotComparable(reason) => format!("Not comparable: {reason}."),
        Outcome::Reproduced => {
            let above = interval.is_some_and(|(low, _)| low >= claim.ratio);
            let how = if above {
                "the whole interval is at or above"
            } else {
                "the interval contains"
            };
            format!("Reproduced: {how} the claimed ratio.")
        }
        Outcome::NotReproduced => {
            let how = if interval.is_some_and(|(_, high)| high < 1.0) {
                "before was the faster one"
            } else if ratio.is_some_and(|ratio| ratio.says_nothing()) {
                "no difference is shown"
            } else {
                "the whole interval is below the claimed ratio"
            };
            format!("Not reproduced: {how}.")
        }
    };
    let figures = ratio
        .zip(interval)
        .map_or_else(String::new, |(ratio, (low, high))| {
            format!(
                " With {} connections, after gave {:.2} times as many answers as before (95 % \
             interval {low:.2} to {high:.2}, {} rounds); the talk had {} times. That was Python: \
             what it gained there is no promise for Rust.",
                text::whole(measured.level.level.connections.into()),
                ratio.value,
                ratio.pairs,
                claim.ratio
            )
        });
    let ceiling = match measured.level.ceiling {
        Some(_) => "",
        None => " What the load tool can reach here was not measured.",
    };
    verdict + &figures + ceiling
}

#[cfg(test)]
mod tests;
