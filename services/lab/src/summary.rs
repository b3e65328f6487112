//! What follows from the runs: medians, quartiles, ratios, and how far to trust
//! them.

use crate::results::{Experiment, Level};
use crate::stats::{Quartiles, Ratio};

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
