//! What follows from the runs: medians, quartiles, ratios, and how far to trust
//! them.

use crate::results::{Experiment, Latency, Level, Run, Usage};
use crate::stats::{Quartiles, Ratio, float, paired_ratio, quartiles};

/// All subjects at one level of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelSummary {
    /// The load.
    pub level: Level,
    /// Each subject, in the order of the results.
    pub subjects: Vec<SubjectSummary>,
    /// Each later subject against the first.
    pub ratios: Vec<RatioSummary>,
    /// What the load tool reached against the bare responder.
    pub ceiling: Option<f64>,
}

/// One subject at one level: medians over the valid runs. A percentile here is
/// the median of the runs' percentiles, never a mean of them.
#[derive(Clone, Debug, PartialEq)]
pub struct SubjectSummary {
    /// Its name.
    pub name: String,
    /// How many runs count.
    pub valid: usize,
    /// How many there were.
    pub total: usize,
    /// Why the others do not count, each reason once.
    pub reasons: Vec<String>,
    /// Good answers a second; nothing without a valid run.
    pub rate: Option<Quartiles>,
    /// The latencies, in milliseconds.
    pub p50: Option<Quartiles>,
    /// See `p50`.
    pub p90: Option<Quartiles>,
    /// See `p50`.
    pub p99: Option<Quartiles>,
    /// See `p50`.
    pub p999: Option<Quartiles>,
    /// The slowest answer of each run.
    pub max: Option<Quartiles>,
    /// Processor time for each answer, in microseconds.
    pub cpu_us: Option<Quartiles>,
    /// Postgres' processor time for each answer, in microseconds.
    pub database_cpu_us: Option<Quartiles>,
    /// The most resident memory, in bytes.
    pub resident: Option<Quartiles>,
    /// The most threads.
    pub threads: Option<Quartiles>,
    /// Whether its rate is above [`LIMITED`] of the ceiling: then it was the load
    /// tool that was measured.
    pub limited_by_tool: bool,
    /// Whether the runs are too far apart to say anything: see [`NOISY`].
    pub noisy: bool,
}

/// A ratio of rates, of runs of the same round.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioSummary {
    /// Whose rate is divided.
    pub of: String,
    /// By whose.
    pub by: String,
    /// The ratio with its interval; nothing if no round has both.
    pub ratio: Option<Ratio>,
}

/// The share of the ceiling above which a result is limited by the load tool.
pub const LIMITED: f64 = 0.8;

/// The distance of the quartiles, as a share of the median, from which on a row
/// is marked as noise.
pub const NOISY: f64 = 0.2;

/// Each level of an experiment with its subjects.
///
/// Levels in ascending order, by connections and then by rate, a closed loop
/// before any rate. Subjects in the order in which they first ran in the
/// experiment; one that never ran at a level is not listed there.
#[must_use]
pub fn summarize(experiment: &Experiment) -> Vec<LevelSummary> {
    let subjects = subjects(experiment);
    let summary = |level: Level| {
        let ceiling = ceiling(experiment, level);
        let here: Vec<_> = subjects
            .iter()
            .filter_map(|name| subject(experiment, level, name, ceiling))
            .collect();
        let ratios = match subjects.split_first() {
            Some((first, later)) if here.iter().any(|subject| subject.name == *first) => later
                .iter()
                .filter(|name| here.iter().any(|subject| subject.name == **name))
                .map(|name| RatioSummary {
                    of: (*name).to_owned(),
                    by: (*first).to_owned(),
                    ratio: ratio(experiment, level, name, first),
                })
                .collect(),
            _ => Vec::new(),
        };
        LevelSummary {
            level,
            subjects: here,
            ratios,
            ceiling,
        }
    };
    levels(experiment).into_iter().map(summary).collect()
}

/// The ratio of two subjects' rates at a level, over the rounds in which both
/// have a valid run; nothing if there is none. If a round has several of a
/// subject, its first valid one counts, whatever its rate.
#[must_use]
pub fn ratio(experiment: &Experiment, level: Level, of: &str, by: &str) -> Option<Ratio> {
    let mut seen = Vec::new();
    let mut pairs = Vec::new();
    for run in valid(experiment, level, of) {
        if seen.contains(&run.round) {
            continue;
        }
        seen.push(run.round);
        let other = valid(experiment, level, by).find(|other| other.round == run.round);
        pairs.extend(other.map(|other| (run.rate, other.rate)));
    }
    paired_ratio(&pairs)
}

/// The rates of a subject's valid runs at a level.
pub(crate) fn rates(experiment: &Experiment, level: Level, name: &str) -> Vec<f64> {
    valid(experiment, level, name).map(|run| run.rate).collect()
}

fn valid<'a>(
    experiment: &'a Experiment,
    level: Level,
    name: &'a str,
) -> impl Iterator<Item = &'a Run> {
    runs(experiment, level, name).filter(|run| run.is_valid())
}

fn runs<'a>(
    experiment: &'a Experiment,
    level: Level,
    name: &'a str,
) -> impl Iterator<Item = &'a Run> {
    let runs = experiment.runs.iter();
    runs.filter(move |run| run.level == level && run.subject == name)
}

fn levels(experiment: &Experiment) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for run in &experiment.runs {
        if !levels.contains(&run.level) {
            levels.push(run.level);
        }
    }
    let rate = |level: &Level| level.rate.unwrap_or(f64::NEG_INFINITY);
    levels.sort_by(|a, b| {
        let connections = a.connections.cmp(&b.connections);
        connections.then_with(|| rate(a).total_cmp(&rate(b)))
    });
    levels
}

fn subjects(experiment: &Experiment) -> Vec<&str> {
    let mut subjects: Vec<&str> = Vec::new();
    for run in &experiment.runs {
        if !subjects.contains(&run.subject.as_str()) {
            subjects.push(&run.subject);
        }
    }
    subjects
}

/// That of the same number of connections: how it changes in between is not
/// known.
fn ceiling(experiment: &Experiment, level: Level) -> Option<f64> {
    let mut ceilings = experiment.ceilings.iter();
    ceilings
        .find(|ceiling| ceiling.connections == level.connections)
        .map(|ceiling| ceiling.rate)
}

fn subject(
    experiment: &Experiment,
    level: Level,
    name: &str,
    ceiling: Option<f64>,
) -> Option<SubjectSummary> {
    let all: Vec<_> = runs(experiment, level, name).collect();
    if all.is_empty() {
        return None;
    }
    let mut reasons: Vec<String> = Vec::new();
    for reason in all.iter().flat_map(|run| &run.invalid) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    let valid: Vec<&Run> = all.iter().copied().filter(|run| run.is_valid()).collect();
    let over_runs = |value: &dyn Fn(&Run) -> Option<f64>| {
        let values: Vec<_> = valid.iter().filter_map(|run| value(run)).collect();
        quartiles(&values)
    };
    let latency = |value: fn(&Latency) -> f64| over_runs(&|run| run.latency.as_ref().map(value));
    let usage = |value: fn(&Usage) -> f64| over_runs(&|run| run.usage.as_ref().map(value));
    let rate = over_runs(&|run| Some(run.rate));
    Some(SubjectSummary {
        name: name.to_owned(),
        valid: valid.len(),
        total: all.len(),
        reasons,
        rate,
        p50: latency(|latency| latency.p50),
        p90: latency(|latency| latency.p90),
        p99: latency(|latency| latency.p99),
        p999: latency(|latency| latency.p999),
        max: latency(|latency| latency.max),
        cpu_us: usage(|usage| usage.cpu_us_per_answer),
        database_cpu_us: over_runs(&|run| {
            let seconds = run.database_cpu_s?;
            (run.answered > 0).then(|| seconds * 1e6 / float(run.answered))
        }),
        resident: usage(|usage| float(usage.resident_bytes)),
        threads: usage(|usage| float(usage.threads)),
        limited_by_tool: rate
            .zip(ceiling)
            .is_some_and(|(rate, ceiling)| rate.median > LIMITED * ceiling),
        noisy: rate.is_some_and(|rate| is_noisy(&rate)),
    })
}

fn is_noisy(rate: &Quartiles) -> bool {
    rate.p75 - rate.p25 >= NOISY * rate.median
}

#[cfg(test)]
mod tests;
