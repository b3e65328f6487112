//! Which runs count: from what was seen to the reasons why one does not.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::stats::float;
use crate::text;
use crate::tools::Seen;

/// The share of requests that may go wrong: 0.1 %.
pub const WRONG: f64 = 0.001;

/// How much of the offered load, and of the time, may be missing: 2 %. Tools
/// start and stop a little late; a service that cannot keep up is soon further
/// off.
pub const MISSING: f64 = 0.02;

/// The share of answers that the tool may have missed, beside one for each
/// connection: 0.1 %.
pub const LOST: f64 = 0.001;

/// What is known of a run.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What the tool saw. Its own statuses: those of the subject's metrics may
    /// be of a few answers more or less.
    pub seen: &'a Seen,
    /// How long it was meant to take.
    pub duration: Duration,
    /// The rate that was offered, in requests a second; nothing for a closed
    /// loop.
    pub rate: Option<f64>,
    /// Whether every process of the subject still lives.
    pub alive: bool,
    /// How many connections ever got an answer, by the subject's metrics.
    pub connections_served: Option<u64>,
    /// How many answers the subject gave to the tool, by its metrics: those to
    /// the lab's own questions already taken off.
    pub served: Option<u64>,
}

/// How many of the answers are good: status 2xx, nothing else.
#[must_use]
pub fn good(answers: &BTreeMap<String, u64>) -> u64 {
    let good = answers.iter().filter(|(status, _)| is_good(status));
    good.map(|(_, number)| number).sum()
}

/// The reasons why a run does not count, as sentences for people; none if it
/// does.
///
/// Fast errors are no speed, and what the tool did not see is not in its
/// latencies. So a run does not count if more than [`WRONG`] of the requests
/// (answered and failed) failed or were not answered with 2xx; if the subject
/// died; if any answer was later than the tool waits, since the slowest
/// latencies are then unknown; if the offered rate was not reached or the run
/// ended early, by more than [`MISSING`]; if the subject gave more answers than
/// the tool knows of, by more than [`LOST`]; if connections never got an answer.
#[must_use]
pub fn judge(evidence: &Evidence) -> Vec<String> {
    let reasons = [
        died(evidence),
        wrong(evidence.seen),
        timed_out(evidence.seen),
        ended_early(evidence),
        rate_missed(evidence),
        lost(evidence),
        unserved(evidence),
    ];
    reasons.into_iter().flatten().collect()
}

fn died(evidence: &Evidence) -> Option<String> {
    (!evidence.alive).then(|| "the subject died during the run".to_owned())
}

fn wrong(seen: &Seen) -> Option<String> {
    let failed: u64 = seen.failed.values().sum();
    if seen.answered == 0 {
        let kinds = kinds(seen);
        return Some(format!("there were no answers at all{kinds}"));
    }
    let all = seen.answered + failed;
    // An answer of which the tool does not say the status is not called good.
    let wrong = all - good(&seen.answers).min(seen.answered);
    let share = float(wrong) / float(all);
    (share > WRONG).then(|| {
        format!(
            "{} of {} requests failed or were not answered with 2xx, {} where {} is allowed{}",
            text::whole(wrong),
            text::whole(all),
            text::percent(share),
            text::percent(WRONG),
            kinds(seen)
        )
    })
}

fn timed_out(seen: &Seen) -> Option<String> {
    let number = seen.failed.get("timeout").copied().unwrap_or(0);
    (number > 0).then(|| {
        format!(
            "time-outs of the load tool: {}; how late those answers were is not \
             known, so its latencies are too good",
            text::whole(number)
        )
    })
}

fn ended_early(evidence: &Evidence) -> Option<String> {
    let meant = evidence.duration.as_secs_f64();
    let took = evidence.seen.duration_s;
    (took < meant * (1.0 - MISSING))
        .then(|| format!("the run took {took:.1} s where {meant:.1} s were meant"))
}

/// Requests of which the tool says that they were cut were sent: a pause near
/// the end is no missed rate. One request more or less depends on when the first
/// one leaves.
fn rate_missed(evidence: &Evidence) -> Option<String> {
    let seen = evidence.seen;
    let offered = evidence.rate? * evidence.duration.as_secs_f64();
    let sent = seen.answered + seen.cut;
    let allowed = (offered * MISSING).max(1.0);
    (float(sent) < offered - allowed).then(|| {
        format!(
            "the rate was not reached: {} requests of {} were sent and answered or cut off by \
             the end, {} where {} is allowed to be missing",
            text::whole(sent),
            text::grouped(offered),
            text::percent(float(sent) / offered),
            text::percent(MISSING)
        )
    })
}

fn lost(evidence: &Evidence) -> Option<String> {
    let seen = evidence.seen;
    let served = evidence.served?;
    let failed: u64 = seen.failed.values().sum();
    let known = seen.answered + seen.cut + failed;
    // Where the tool does not count what it cut, there is at most one a connection.
    let allowed = f64::from(seen.connections) + float(served) * LOST;
    let lost = served.saturating_sub(known);
    (float(lost) > allowed).then(|| {
        format!(
            "the load tool lost answers: the subject gave {}, the tool knows of {}",
            text::whole(served),
            text::whole(known)
        )
    })
}

/// Only in a closed loop does every connection ask. At a constant rate those that
/// the tool had no need of are not left out, and a request that hangs is cut.
fn unserved(evidence: &Evidence) -> Option<String> {
    let connections = u64::from(evidence.seen.connections);
    let served = evidence.connections_served?;
    (evidence.rate.is_none() && served < connections).then(|| {
        format!(
            "{} of {} connections never got an answer",
            text::whole(connections - served),
            text::whole(connections)
        )
    })
}

fn is_good(status: &str) -> bool {
    status.len() == 3 && status.starts_with('2')
}

/// What went wrong, by kind; the most frequent first.
fn kinds(seen: &Seen) -> String {
    let bad = seen.answers.iter().filter(|(status, _)| !is_good(status));
    let mut kinds: Vec<_> = bad.chain(&seen.failed).filter(|kind| *kind.1 > 0).collect();
    kinds.sort_by_key(|(_, number)| std::cmp::Reverse(**number));
    let mut text = String::new();
    for (kind, number) in kinds {
        let before = if text.is_empty() { " (" } else { ", " };
        // Writing into a string cannot fail.
        let _ = write!(text, "{before}{kind}: {}", text::whole(*number));
    }
    if !text.is_empty() {
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests;
