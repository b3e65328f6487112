//! The tools that make the load, their traps, and what they say.
//!
//! wrk for closed loops, oha for constant rates. Neither is trusted with more
//! than it knows: see [`wrk`] and [`oha`].

pub mod oha;
mod process;
mod target;
pub mod wrk;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use self::target::Target;
use crate::results::{Latency, Level};

/// How many markets the data has, with the ids from 1 on.
const MARKETS: u32 = 1_000;

/// What to load, and how.
#[derive(Clone, Debug)]
pub struct Load {
    /// Where; `{id}` in the path stands for a random market, 1 to 1,000.
    pub url: Url,
    /// How many connections, and at which rate.
    pub level: Level,
    /// For how long.
    pub duration: Duration,
    /// How long an answer may take; one that comes later has failed.
    pub timeout: Duration,
    /// On which processors the tool runs; anywhere if empty.
    pub cores: Vec<usize>,
    /// Where its own output goes.
    pub raw: PathBuf,
}

/// What a tool saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// How many connections there really were.
    pub connections: u32,
    /// How long it took.
    pub duration_s: f64,
    /// Requests that were answered, with whatever status.
    pub answered: u64,
    /// Answers by status, or `2xx` and `other` where the tool tells no more.
    pub answers: BTreeMap<String, u64>,
    /// Requests without an answer.
    pub failed: BTreeMap<String, u64>,
    /// Requests that the end of the run cut off.
    pub cut: u64,
    /// The latencies of what was answered.
    pub latency: Option<Latency>,
}

/// Why a tool saw nothing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not there.
    #[error("no {tool} found: {advice}")]
    Missing {
        /// The tool.
        tool: &'static str,
        /// How to get it.
        advice: &'static str,
    },
    /// It could not be run.
    #[error("{tool}: {source}")]
    Run {
        /// The tool.
        tool: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// It failed.
    #[error("{tool} failed: {said}")]
    Failed {
        /// The tool.
        tool: &'static str,
        /// What it said.
        said: String,
    },
    /// It said something that the lab does not understand.
    #[error("{tool} said what the lab does not understand: {said}")]
    Output {
        /// The tool.
        tool: &'static str,
        /// What is wrong with it.
        said: String,
    },
    /// The lab was asked to stop.
    #[error("interrupted")]
    Interrupted,
}
