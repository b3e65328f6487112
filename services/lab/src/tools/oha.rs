//! oha: a constant rate, whatever the answers do.
//!
//! Its traps, and what is done about them (oha 1.16.0):
//!
//! - With a duration (`-z`) its end throws away, without a word, what still
//!   waits for a connection: of a subject that cannot keep up the latest
//!   requests just vanish. And it counts each connection as "aborted due to
//!   deadline", whether it has a request or not. So it gets a number of requests
//!   (`-n`), rate times duration, of which all are accounted for; and it may
//!   take as long again as an answer may take. Then it is asked to end (SIGINT),
//!   upon which it reports what it has: the rest is cut.
//! - Its success rate counts every HTTP answer, also a 500, and its requests a
//!   second count errors and cut ones. Neither is used: answers are counted by
//!   status.
//! - Without `--latency-correction` a latency begins when a connection is free
//!   for the request, and a pause of the subject hardly shows. With it, it
//!   begins when the request was due. Even then the clock starts when oha gets
//!   to it: if its processors are busy, requests start late, and the run takes
//!   longer than it should. Such a rate was not reached.
//! - The time limit (`-t`) begins when a request is sent, not when it is due, so
//!   latencies can be longer than it.
//! - Where it has no answer at all its JSON has `null` for every latency.
//! - `--rand-regex-url` does not draw numbers evenly (each alternative and each
//!   length has the same chance), and most of what may stand in an address means
//!   something in a pattern. So the addresses come from a file
//!   (`--urls-from-file`), from which oha draws evenly, by a seed of its own.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

use super::process::{self, Beside, Limits, attend, is_program, on_path, shortened};
use super::{Error, Load, Seen, Target};
use crate::pinned;
use crate::results::Latency;

const TOOL: &str = "oha";

/// How long it may take to start.
const START: Duration = Duration::from_secs(1);

/// How long it may take to report, once it was asked to.
const REPORT: Duration = Duration::from_secs(5);

/// Its words for a request that the end of its duration cut off. It calls one
/// that took too long a `timeout`, as wrk does.
const CUT: &str = "aborted due to deadline";

const MISSING: Error = Error::Missing {
    tool: TOOL,
    advice: "scripts/load-test builds it into target/tools/oha; or set LAB_OHA to the program",
};

/// Its version.
///
/// # Errors
/// If there is none, or it does not say.
pub fn version() -> Result<String, Error> {
    let oha = program().ok_or(MISSING)?;
    let output = Command::new(oha)
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|source| Error::Run { tool: TOOL, source })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.trim().strip_prefix("oha ");
    version.map(str::to_owned).ok_or_else(|| Error::Output {
        tool: TOOL,
        said: shortened(&text),
    })
}

/// Where it is: what the environment says (`LAB_OHA`), else where the scripts
/// build it, else what is on the PATH.
fn program() -> Option<PathBuf> {
    chosen(env::var_os("LAB_OHA"), &built())
}

/// What the environment says counts, even if there is nothing: another version
/// than the one that was asked for would only surprise.
fn chosen(asked_for: Option<OsString>, built: &[PathBuf]) -> Option<PathBuf> {
    if let Some(path) = asked_for.filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path)).filter(|path| is_program(path));
    }
    let built = built.iter().find(|path| is_program(path)).cloned();
    built.or_else(|| on_path(TOOL))
}

/// Where the scripts build it: below the workspace that this was built in, and
/// below the current folder.
fn built() -> [PathBuf; 2] {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    [workspace, PathBuf::new()].map(|root| root.join("target/tools/oha/bin/oha"))
}

/// Loads as long as it is told to, and says what it saw.
///
/// # Errors
/// If the load has no rate; if oha is not there, does not run, or fails; if
/// `stop` says so in between.
pub fn run(load: &Load, stop: &dyn Fn() -> bool) -> Result<Seen, Error> {
    let oha = program().ok_or(MISSING)?;
    let Some(rate) = load.level.rate.filter(|rate| *rate > 0.0) else {
        return Err(Error::Failed {
            tool: TOOL,
            said: "it needs a rate".to_owned(),
        });
    };
    let requests = requests(rate, load.duration);
    // It opens no more connections than it has requests.
    let connections = u64::from(load.level.connections.max(1)).min(requests);
    let timeout = format!("{}ms", load.timeout.as_millis().max(1));

    let mut command = pinned::command(&oha, &load.cores);
    command
        .args(["--no-tui", "--output-format", "json"])
        .args(["-n", &requests.to_string()])
        .args(["-q", &rate.to_string(), "--latency-correction"])
        .args(["-c", &connections.to_string()])
        .args(["-t", &timeout, "--connect-timeout", &timeout])
        .args([
            "--worker-threads",
            &process::processors(&load.cores).to_string(),
        ])
        // As wrk asks: a subject that compresses would do so for one of them.
        .arg("--disable-compression");
    let target = Target::of(&load.url);
    let addresses = match target.pattern() {
        Some(_) => {
            let beside = |source| Error::Run { tool: TOOL, source };
            Some(Beside::new(&load.raw, ".urls", &target.all().join("\n")).map_err(beside)?)
        }
        None => None,
    };
    match &addresses {
        Some(file) => command.arg("--urls-from-file").arg(file.path()),
        None => command.arg(target.first()),
    };
    let ask = START + load.duration + load.timeout;
    let limits = Limits {
        ask: Some(ask),
        kill: ask + REPORT,
    };
    let said = attend(TOOL, command, &load.raw, limits, stop)?;
    let connections = u32::try_from(connections).unwrap_or(u32::MAX);
    read(&said.good(TOOL)?, requests, connections)
}

/// How many requests there are at a rate in a time; never none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is not negative, and a conversion of floats stops at the bounds"
)]
fn requests(rate: f64, duration: Duration) -> u64 {
    ((rate * duration.as_secs_f64()).round() as u64).max(1)
}

/// The part of oha's JSON that is used. Times in seconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    summary: Summary,
    latency_percentiles: BTreeMap<String, Option<f64>>,
    status_code_distribution: BTreeMap<String, u64>,
    error_distribution: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Summary {
    total: f64,
    slowest: Option<f64>,
}

/// Reads what oha printed of so many requests.
fn read(printed: &str, requests: u64, connections: u32) -> Result<Seen, Error> {
    let wrong = |said: String| Error::Output { tool: TOOL, said };
    let Report {
        summary,
        latency_percentiles,
        status_code_distribution: answers,
        error_distribution: mut failed,
    } = serde_json::from_str(printed)
        .map_err(|error| wrong(format!("{error} in {}", shortened(printed))))?;

    let answered: u64 = answers.values().sum();
    let cut = failed.remove(CUT).unwrap_or(0);
    let accounted = answered + failed.values().sum::<u64>();
    let Some(silent) = requests.checked_sub(accounted + cut) else {
        return Err(wrong(format!(
            "{accounted} of {requests} requests answered or failed, {cut} cut"
        )));
    };
    let percentile = |name: &str| {
        let value = latency_percentiles.get(name).copied().flatten();
        value.ok_or_else(|| wrong(format!("no percentile {name} of {answered} answers")))
    };
    let latency = if answered > 0 {
        let slowest = summary.slowest;
        Some(Latency {
            p50: percentile("p50")? * 1e3,
            p90: percentile("p90")? * 1e3,
            p95: percentile("p95")? * 1e3,
            p99: percentile("p99")? * 1e3,
            p999: percentile("p99.9")? * 1e3,
            max: slowest.ok_or_else(|| wrong("no slowest answer".to_owned()))? * 1e3,
        })
    } else {
        None
    };
    Ok(Seen {
        connections,
        duration_s: summary.total,
        answered,
        answers,
        failed,
        cut: cut + silent,
        latency,
    })
}
