//! The results of a run of the lab, as they stand in `results.json`.
//!
//! What was seen, not what follows from it: medians, ratios and verdicts are
//! computed from the runs whenever they are shown ([`crate::summary`]), so that
//! they can be checked, and computed anew. `schema/results.schema.json` is made
//! from these types.

mod file;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::file::{Error, load, save};

/// The version of the format. A reader refuses those it does not know.
pub const VERSION: u32 = 1;

/// The name of the file in the folder of a run.
pub const FILE: &str = "results.json";

/// One call of the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// The version of this format.
    pub version: u32,
    /// What was called: `talk`, `capacity`, `rate`, `demo`.
    pub command: String,
    /// The preset: `quick`, `default`, `full`; or `custom`.
    pub preset: String,
    /// When it began, RFC 3339, UTC.
    #[serde(with = "time::serde::rfc3339")]
    #[schemars(with = "String")]
    pub started: time::OffsetDateTime,
    /// When it ended.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schemars(with = "Option<String>")]
    pub finished: Option<time::OffsetDateTime>,
    /// Why it ended before its time, if it did: the rest is valid.
    pub partial: Option<String>,
    /// The version of the lab.
    pub lab: String,
    /// The commit of the sources, with `+` if they were changed since; nothing
    /// if that is not known.
    pub commit: Option<String>,
    /// The tools that made the load, by name, with their versions.
    pub tools: BTreeMap<String, String>,
    /// The machine.
    pub host: Host,
    /// What makes the figures less fair, found before anything was measured.
    pub warnings: Vec<String>,
    /// Which cores did what.
    pub cores: Cores,
    /// What was measured.
    pub subjects: Vec<Subject>,
    /// What was asked of them.
    pub experiments: Vec<Experiment>,
}

/// The machine that everything ran on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// The processor's name.
    pub processor: String,
    /// How many processors the lab may use.
    pub processors: usize,
    /// Physical memory in bytes.
    pub memory_bytes: u64,
    /// The kernel's name and release.
    pub kernel: String,
    /// The distribution.
    pub system: String,
    /// Whether it is a virtual machine or a container, as far as that shows.
    pub virtualized: Option<String>,
    /// The frequency governor, where there is one.
    pub governor: Option<String>,
    /// How many processors were in use, over half a second before the lab did
    /// anything.
    pub load: f64,
    /// The share of processor time that the hypervisor took away, before the lab
    /// did anything, of 1.
    pub steal: f64,
    /// What the container allows, in processors, if it sets a limit.
    pub processor_limit: Option<f64>,
    /// The most open file handles.
    pub file_handles: u64,
    /// The version of Postgres.
    pub postgres: Option<String>,
}

/// Which processors did what. All the same where there is but one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cores {
    /// Those of the subjects, one of which runs at a time.
    pub subjects: Vec<usize>,
    /// Those of the load tool.
    pub load: Vec<usize>,
    /// Those of Postgres.
    pub database: Vec<usize>,
}

/// A service that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// Its name: `before`, `after`, or as it was called on the command line.
    pub name: String,
    /// Its address, if it ran already; nothing if the lab started it.
    pub address: Option<String>,
    /// Its settings, as the lab set them.
    pub settings: BTreeMap<String, String>,
}

/// One question, asked of all subjects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experiment {
    /// Its name: `ping`, `book`, `production`, `waiting`, `capacity`, `rate`, ...
    pub name: String,
    /// What is asked, in a sentence.
    pub question: String,
    /// The path that was requested; `{id}` stands for a random market.
    pub path: String,
    /// How many processes of each subject served at once.
    pub processes: u32,
    /// What the load tool reached against a server that does nothing, by level.
    pub ceilings: Vec<Ceiling>,
    /// The runs, in the order in which they were made.
    pub runs: Vec<Run>,
    /// How a search ended, if this was one: one entry a subject.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// What the load tool can do on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceiling {
    /// At how many connections.
    pub connections: u32,
    /// Answers a second from the bare responder of the lab.
    pub rate: f64,
}

/// The load of a run: a closed loop, in which each connection asks again when it
/// has its answer, or a constant rate, whatever the answers do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// How many connections there really were.
    pub connections: u32,
    /// The offered rate in requests a second; nothing for a closed loop.
    pub rate: Option<f64>,
}

/// One run of a load tool against one subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// The subject's name.
    pub subject: String,
    /// The round; runs of the same round and level are a pair.
    pub round: u32,
    /// The load.
    pub level: Level,
    /// The tool: `wrk` or `oha`.
    pub tool: String,
    /// When it began, in seconds since the lab did.
    pub at_s: f64,
    /// How long it took, as the tool measured it.
    pub duration_s: f64,
    /// Requests that were answered, with whatever status.
    pub answered: u64,
    /// Good answers (2xx) a second.
    pub rate: f64,
    /// Answers by status; `2xx` and `other` where the tool tells no more and the
    /// subject has no metrics.
    pub answers: BTreeMap<String, u64>,
    /// Requests without an answer, by what became of them: `connect`, `read`,
    /// `write`, `timeout`, or the tool's own words.
    pub failed: BTreeMap<String, u64>,
    /// Requests that the end of the run cut off: neither failed nor answered.
    pub cut: u64,
    /// The latencies, of all that were answered.
    pub latency: Option<Latency>,
    /// How many connections ever got an answer, by the subject's own metrics.
    pub connections_served: Option<u64>,
    /// What the subject used.
    pub usage: Option<Usage>,
    /// Processor seconds of Postgres.
    pub database_cpu_s: Option<f64>,
    /// How many connections each of several processes on one port had, by the
    /// kernel's choice.
    #[serde(default)]
    pub split: Vec<u64>,
    /// What the subject's metrics said, second by second.
    #[serde(default)]
    pub series: Vec<Second>,
    /// Why it does not count; it counts if this is empty.
    #[serde(default)]
    pub invalid: Vec<String>,
    /// The file of the tool's own output, relative to the folder of the run.
    pub raw: String,
}

impl Run {
    /// Whether it counts.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.invalid.is_empty()
    }
}

/// Latencies in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// The median.
    pub p50: f64,
    /// 90 of 100 were at least as quick.
    pub p90: f64,
    /// 95 of 100.
    pub p95: f64,
    /// 99 of 100.
    pub p99: f64,
    /// 999 of 1,000.
    pub p999: f64,
    /// The slowest.
    pub max: f64,
}

/// What a subject used during a run, all its processes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Processor seconds, in the program and in the kernel.
    pub cpu_s: f64,
    /// Processor time for each answer, in microseconds.
    pub cpu_us_per_answer: f64,
    /// The most resident memory that was seen, in bytes.
    pub resident_bytes: u64,
    /// The most threads that were seen.
    pub threads: u64,
    /// Times that a thread waited for something.
    pub switches_voluntary: u64,
    /// Times that a thread was interrupted for another.
    pub switches_involuntary: u64,
}

/// One second of a subject's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Second {
    /// Seconds since the start of the run.
    pub at_s: f64,
    /// Answers a second since the last look.
    pub rate: f64,
    /// Requests being served.
    pub in_flight: f64,
    /// Connections that were open.
    pub connections: f64,
    /// Resident memory in bytes.
    pub resident_bytes: f64,
    /// Processors in use.
    pub processors: f64,
}

/// How a search ended for a subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The subject's name.
    pub subject: String,
    /// What was looked for, in words with its unit.
    pub what: String,
    /// The highest level that held; nothing if none did.
    pub highest: Option<Level>,
    /// The rate of good answers there.
    pub rate: Option<f64>,
    /// Whether the search ended at its bound and not at the limit.
    pub bounded: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where others read what the format is.
    const SCHEMA: &str = include_str!("../../schema/results.schema.json");

    #[test]
    fn the_committed_schema_is_that_of_these_types() {
        let schema = schemars::schema_for!(Results);
        let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
        text.push('\n');
        if text != SCHEMA {
            let new = std::env::temp_dir().join("results.schema.json");
            std::fs::write(&new, text).expect("it can be written");
            panic!(
                "the types have changed: cp {} services/lab/schema/",
                new.display()
            );
        }
    }
}
