//! wrk: closed loops, each connection asking again when it has its answer.
//!
//! Its traps, and what is done about them (wrk 4.1.0):
//!
//! - It divides the connections by its threads and drops the remainder. So the
//!   number of threads is one that divides the connections.
//! - It counts an answer later than `--timeout` as an answer too, and leaves it
//!   out of its latencies: here it is a failed request. One that never comes is
//!   counted nowhere. It has no other clock: nothing is given up.
//! - It calls only answers from 400 up errors, and counts them among its
//!   requests. A redirect (3xx) therefore stands among the `2xx` here: wrk does
//!   not tell them apart.
//! - A connection whose request is not answered just waits, and nobody is told.
//!   How many were ever served only the subject knows.
//! - When a subject dies, each connection is opened again and again, and each
//!   attempt counts as a failure, mostly as `write`: there may be thousands.
//! - It says nothing of the requests that its end cuts off: at most one for each
//!   connection. [`Seen::cut`] is 0.
//! - It "corrects" its latencies for what a closed loop leaves out: for each
//!   that is longer than twice the mean it adds made-up ones, shorter by a mean
//!   each. High percentiles are thus above those of the requests proper: a bit,
//!   or after a pause by orders of magnitude.
//! - It knows whole seconds only.
//!
//! A subject that refuses the first connection is no result but an error.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

use super::process::{self, Beside, Limits, attend, on_path, shortened};
use super::{Error, Load, Seen, Target};
use crate::pinned;
use crate::results::Latency;

const TOOL: &str = "wrk";
const SCRIPT: &str = include_str!("wrk.lua");

/// How long it may take to start and to report.
const GRACE: Duration = Duration::from_secs(5);

const MISSING: Error = Error::Missing {
    tool: TOOL,
    advice: "Debian, Ubuntu: sudo apt-get install wrk",
};

/// Its version.
///
/// # Errors
/// If there is none, or it does not say.
pub fn version() -> Result<String, Error> {
    let wrk = on_path(TOOL).ok_or(MISSING)?;
    // It prints its version and its usage, and calls that a failure.
    let output = Command::new(wrk).arg("-v").stdin(Stdio::null()).output();
    let output = output.map_err(|source| Error::Run { tool: TOOL, source })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().nth(1);
    version.map(str::to_owned).ok_or_else(|| Error::Output {
        tool: TOOL,
        said: shortened(&text),
    })
}

/// Loads as long as it is told to, and says what it saw.
///
/// # Errors
/// If wrk is not there, does not run, or fails; if `stop` says so in between.
pub fn run(load: &Load, stop: &dyn Fn() -> bool) -> Result<Seen, Error> {
    let wrk = on_path(TOOL).ok_or(MISSING)?;
    let beside = |source| Error::Run { tool: TOOL, source };
    let script = Beside::new(&load.raw, ".lua", SCRIPT).map_err(beside)?;
    let target = Target::of(&load.url);
    let connections = load.level.connections.max(1);
    let threads = threads(connections, processors(load));
    let (duration, timeout) = (whole(load.duration), whole(load.timeout));

    let mut command = pinned::command(&wrk, &load.cores);
    command
        .args(["--threads", &threads.to_string()])
        .args(["--connections", &connections.to_string()])
        .args(["--duration", &format!("{duration}s")])
        .args(["--timeout", &format!("{timeout}s")])
        .arg("--script")
        .arg(script.path())
        .arg(target.first());
    if let Some(path) = target.pattern() {
        command.args(["--", path]);
    }
    let limits = Limits {
        ask: None,
        kill: Duration::from_secs(duration + timeout) + GRACE,
    };
    let said = attend(TOOL, command, &load.raw, limits, stop)?;
    read(&said.good(TOOL)?, threads * (connections / threads))
}

/// The most processors that the tool may use.
fn processors(load: &Load) -> u32 {
    u32::try_from(process::processors(&load.cores)).unwrap_or(u32::MAX)
}

/// The most threads, no more than processors, over which the connections can be
/// spread without a remainder.
fn threads(connections: u32, processors: u32) -> u32 {
    let fit = (1..=processors.min(connections)).rev();
    fit.into_iter()
        .find(|threads| connections.is_multiple_of(*threads))
        .unwrap_or(1)
}

/// In whole seconds, of which wrk takes no fractions; never none.
fn whole(duration: Duration) -> u64 {
    let rest = u64::from(duration.subsec_nanos() > 0);
    (duration.as_secs() + rest).max(1)
}

/// The line that the script prints. Times in microseconds.
#[derive(Deserialize)]
struct Report {
    requests: u64,
    duration: u64,
    p50: u64,
    p90: u64,
    p95: u64,
    p99: u64,
    p999: u64,
    max: u64,
    connect: u64,
    read: u64,
    write: u64,
    status: u64,
    timeout: u64,
}

/// Reads what wrk printed.
fn read(printed: &str, connections: u32) -> Result<Seen, Error> {
    let wrong = |said: String| Error::Output { tool: TOOL, said };
    let line = printed.lines().rfind(|line| line.starts_with('{'));
    let line = line.ok_or_else(|| wrong(shortened(printed)))?;
    let report: Report =
        serde_json::from_str(line).map_err(|error| wrong(format!("{error} in {line}")))?;

    let answered = report.requests.saturating_sub(report.timeout);
    // Of the late ones nobody knows whether they were errors: the errors stay.
    let other = report.status.min(answered);
    let answers = [("2xx", answered - other), ("other", other)];
    let failed = [
        ("connect", report.connect),
        ("read", report.read),
        ("write", report.write),
        ("timeout", report.timeout),
    ];
    Ok(Seen {
        connections,
        duration_s: Duration::from_micros(report.duration).as_secs_f64(),
        answered,
        answers: counted(answers),
        failed: counted(failed),
        cut: 0,
        latency: (answered > 0).then(|| Latency {
            p50: milliseconds(report.p50),
            p90: milliseconds(report.p90),
            p95: milliseconds(report.p95),
            p99: milliseconds(report.p99),
            p999: milliseconds(report.p999),
            max: milliseconds(report.max),
        }),
    })
}

fn counted<const N: usize>(counts: [(&str, u64); N]) -> BTreeMap<String, u64> {
    let some = counts.into_iter().filter(|(_, count)| *count > 0);
    some.map(|(name, count)| (name.to_owned(), count)).collect()
}

/// Of at most an hour, which no answer takes; more would be no exact float.
fn milliseconds(micros: u64) -> f64 {
    f64::from(u32::try_from(micros).unwrap_or(u32::MAX)) / 1e3
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::process::Said;
    use super::*;

    #[test]
    fn threads_divide_the_connections() {
        for (connections, processors, wanted) in [
            (50, 8, 5), // 8 would drop 2
            (4, 8, 4),
            (7, 2, 1),
            (10, 1, 1),
            (1_000, 16, 10),
            (64, 16, 16),
            (1, 0, 1),
        ] {
            let found = threads(connections, processors);
            assert_eq!(found, wanted, "{connections} over {processors}");
        }
    }

    #[test]
    fn seconds_are_whole_and_never_none() {
        for (millis, wanted) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (30_000, 30)] {
            assert_eq!(whole(Duration::from_millis(millis)), wanted, "{millis} ms");
        }
    }

    #[test]
    fn good_answers_are_read() {
        let seen = read(include_str!("../../tests/data/wrk-good.txt"), 10).expect("figures");
        let expected = Seen {
            connections: 10,
            duration_s: 2.063_879,
            answered: 37_485,
            answers: counted([("2xx", 37_485)]),
            failed: BTreeMap::new(),
            cut: 0,
            latency: Some(Latency {
                p50: 0.176,
                p90: 6.003,
                p95: 10.899,
                p99: 29.093,
                p999: 54.336,
                max: 57.143,
            }),
        };
        assert_eq!(seen, expected);
    }

    #[test]
    fn bad_answers_are_answers() {
        let seen = read(include_str!("../../tests/data/wrk-bad.txt"), 10).expect("figures");
        assert_eq!(seen.answered, 36_269);
        assert_eq!(seen.answers, counted([("2xx", 27_202), ("other", 9_067)]));
        assert_eq!(seen.failed, BTreeMap::new());
    }

    #[test]
    fn late_answers_have_failed() {
        let seen = read(include_str!("../../tests/data/wrk-late.txt"), 10).expect("figures");
        assert_eq!((seen.answered, seen.latency), (0, None));
        assert_eq!(seen.answers, BTreeMap::new());
        assert_eq!(seen.failed, counted([("timeout", 20)]));
    }

    #[test]
    fn a_subject_that_says_nothing_has_no_latency() {
        let seen = read(include_str!("../../tests/data/wrk-silent.txt"), 10).expect("figures");
        assert_eq!((seen.answered, seen.latency), (0, None));
        assert_eq!(seen.failed, BTreeMap::new());
    }

    #[test]
    fn a_subject_that_dies_is_seen() {
        let seen = read(include_str!("../../tests/data/wrk-killed.txt"), 10).expect("figures");
        assert_eq!(seen.answered, 16_905);
        assert_eq!(seen.failed, counted([("read", 10), ("write", 10_060)]));
    }

    #[test]
    fn a_subject_that_is_not_there_is_an_error() {
        let said = Said {
            status: ExitStatus::from_raw(1 << 8),
            stdout: String::new(),
            stderr: include_str!("../../tests/data/wrk-refused.stderr").to_owned(),
        };
        let error = said.good(TOOL).expect_err("it ended badly").to_string();
        assert!(
            error.starts_with("wrk failed: unable to connect"),
            "{error}"
        );
    }

    #[test]
    fn output_without_figures_is_an_error() {
        for printed in ["", "Running 2s test @ http://a/\n", "{\"requests\":1}\n"] {
            let error = read(printed, 1).expect_err("nothing to read");
            assert!(matches!(error, Error::Output { .. }), "{error}");
        }
    }
}
