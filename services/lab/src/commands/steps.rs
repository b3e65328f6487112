//! The steps of a search: each a run that holds a limit, or does not.

use crate::measure::{self, Order};
use crate::protocol;
use crate::results::{Experiment, Finding, Latency, Run};
use crate::search::Search;
use crate::session::{Session, Stop};
use crate::subject::{Role, Running};

/// How slow answers may be.
pub(super) struct Limit<'a> {
    /// Of which share of them, in percent, as the command line has it.
    pub(super) percentile: &'a str,
    /// In milliseconds.
    pub(super) ms: f64,
}

impl Limit<'_> {
    /// A search for something under this limit, in words.
    pub(super) fn with(&self, what: &str) -> String {
        format!("{what} with p{} within {} ms", self.percentile, self.ms)
    }

    fn of(&self, latency: &Latency) -> f64 {
        match self.percentile {
            "50" => latency.p50,
            "90" => latency.p90,
            "95" => latency.p95,
            _ => latency.p99,
        }
    }

    /// Only what counts can hold.
    fn holds(&self, run: &Run) -> bool {
        let slowness = run.latency.map(|latency| self.of(&latency));
        run.is_valid() && slowness.is_some_and(|ms| ms <= self.ms)
    }
}

/// An experiment that is a search, to be filled.
pub(super) fn begin(session: &mut Session, name: &str, question: &str, path: &str) {
    session.progress.heading(question);
    session.results.experiments.push(Experiment {
        name: name.to_owned(),
        question: question.to_owned(),
        path: path.to_owned(),
        processes: 1,
        ceilings: Vec::new(),
        runs: Vec::new(),
        findings: Vec::new(),
    });
}

/// Makes the steps of a search with one subject, and notes what it found in the
/// experiment under way. `order` makes a run of a level and the step's number.
pub(super) fn make<'a>(
    session: &mut Session,
    subject: &mut Running,
    mut search: Search,
    limit: &Limit<'_>,
    what: &str,
    order: impl Fn(u64, u32) -> Order<'a>,
) -> Result<(), Stop> {
    let mut best: Option<Run> = None;
    let mut step = 0;
    while let Some(level) = search.next() {
        step += 1;
        let order = order(level, step);
        let run = measure::run(session, subject, &order)?;
        let held = limit.holds(&run);
        let slowness = run.latency.map_or("unknown".to_owned(), |latency| {
            format!("{:.1} ms", limit.of(&latency))
        });
        session.progress.note(&format!(
            "step {step}, {}: {}, p{} {slowness}: {}",
            protocol::at(order.level),
            protocol::tell(&run),
            limit.percentile,
            if held { "held" } else { "too much" }
        ));
        search.note(held);
        if held {
            best = Some(run.clone());
        }
        protocol::add(session, |experiment| experiment.runs.push(run))?;
    }
    let finding = Finding {
        subject: subject.name.clone(),
        what: limit.with(what),
        highest: best.as_ref().map(|run| run.level),
        rate: best.map(|run| run.rate),
        bounded: search.found().bounded,
    };
    session
        .progress
        .note(&format!("{}: {}", subject.name, told(&finding)));
    protocol::add(session, |experiment| experiment.findings.push(finding))
}

fn told(finding: &Finding) -> String {
    match &finding.highest {
        Some(level) if finding.bounded => {
            format!(
                "more than {}: none of those tried was too much",
                protocol::at(*level)
            )
        }
        Some(level) => protocol::at(*level),
        None => "none: the lowest that was tried was too much".to_owned(),
    }
}

/// What a path needs: that of the experiments has to be switched on.
pub(super) fn role(path: &str) -> Role {
    if path.starts_with("/sleep") {
        Role::Experiments
    } else {
        Role::Plain
    }
}
