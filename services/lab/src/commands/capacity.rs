//! `lab capacity`: connections are raised until answers are too slow.

use std::time::Duration;

use super::{End, in_session, request, subjects};
use crate::cli::Capacity;
use crate::interrupt::Interrupt;
use crate::measure::{self, Order};
use crate::plan::{Planned, closed};
use crate::protocol;
use crate::results::{Experiment, Finding, Latency, Run};
use crate::search::Search;
use crate::session::{Session, Stop};
use crate::subject::{Role, Running};
use crate::tools::wrk;

/// Where the search begins.
const FIRST: u64 = 8;

/// How close it gets: a step of 1, or of this share where the noise is wider.
const STEP: f64 = 0.03;

pub(super) fn run(arguments: &Capacity) -> Result<End, Stop> {
    let interrupt = Interrupt::listen().map_err(|error| Stop::Needs(error.to_string()))?;
    let subjects = subjects(&arguments.common)?;
    let preset = format!("p{} within {} ms", arguments.percentile, arguments.limit);
    let request = request("capacity", preset, &arguments.common);
    in_session(&request, subjects, interrupt, |session| {
        session.uses("wrk", wrk::version)?;
        let question = format!(
            "With how many connections are {} of 100 answers within {} ms?",
            arguments.percentile, arguments.limit
        );
        let planned = Planned {
            name: "capacity",
            question,
            path: arguments.path.clone(),
            role: role(&arguments.path),
            processes: 1,
            levels: Vec::new(),
        };
        session.progress.heading(&planned.question);
        let mut running = protocol::start(session, &planned)?;
        session.results.experiments.push(Experiment {
            name: planned.name.to_owned(),
            question: planned.question.clone(),
            path: planned.path.clone(),
            processes: 1,
            ceilings: Vec::new(),
            runs: Vec::new(),
            findings: Vec::new(),
        });
        let mut searched = Ok(());
        for subject in &mut running {
            searched = search(session, subject, arguments);
            if searched.is_err() {
                break;
            }
        }
        protocol::end(session, running);
        searched
    })
}

/// The path of the experiments' routes needs them to be on.
pub(super) fn role(path: &str) -> Role {
    if path.starts_with("/sleep") {
        Role::Experiments
    } else {
        Role::Plain
    }
}

fn search(session: &mut Session, subject: &mut Running, arguments: &Capacity) -> Result<(), Stop> {
    let mut search = Search::new(FIRST, arguments.most.into(), STEP);
    let mut best: Option<Run> = None;
    let mut step = 0;
    let warm = order(arguments, FIRST, 0, Duration::from_secs(1));
    measure::warm_up(session, subject, &warm)?;
    while let Some(connections) = search.next() {
        step += 1;
        let order = order(arguments, connections, step, arguments.duration);
        let run = measure::run(session, subject, &order)?;
        let slowness = run
            .latency
            .map(|latency| percentile(&latency, &arguments.percentile));
        let held = run.is_valid() && slowness.is_some_and(|ms| ms <= arguments.limit);
        session.progress.note(&format!(
            "{connections} connections: {}, p{} {}: {}",
            protocol::tell(&run),
            arguments.percentile,
            slowness.map_or("unknown".to_owned(), |ms| format!("{ms:.1} ms")),
            if held { "held" } else { "too much" }
        ));
        search.note(held);
        if held {
            best = Some(run.clone());
        }
        if let Some(experiment) = session.results.experiments.last_mut() {
            experiment.runs.push(run);
        }
        session.save()?;
    }
    let found = search.found();
    let finding = Finding {
        subject: subject.name.clone(),
        what: format!(
            "the most connections with p{} within {} ms",
            arguments.percentile, arguments.limit
        ),
        highest: best.as_ref().map(|run| run.level),
        rate: best.map(|run| run.rate),
        bounded: found.bounded,
    };
    session
        .progress
        .note(&match (&finding.highest, found.bounded) {
            (Some(level), false) => format!("{}: {}", subject.name, protocol::at(*level)),
            (Some(level), true) => format!(
                "{}: more than {}: none of those tried was too much",
                subject.name,
                protocol::at(*level)
            ),
            (None, _) => format!("{}: not even one connection", subject.name),
        });
    if let Some(experiment) = session.results.experiments.last_mut() {
        experiment.findings.push(finding);
    }
    session.save()
}

fn order(arguments: &Capacity, connections: u64, round: u32, duration: Duration) -> Order<'_> {
    Order {
        experiment: "capacity",
        path: &arguments.path,
        level: closed(u32::try_from(connections).unwrap_or(u32::MAX)),
        duration,
        round,
    }
}

/// One of the percentiles that the command line knows.
pub(super) fn percentile(latency: &Latency, percentile: &str) -> f64 {
    match percentile {
        "50" => latency.p50,
        "90" => latency.p90,
        "95" => latency.p95,
        _ => latency.p99,
    }
}
