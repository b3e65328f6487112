//! `lab rate`: the same constant rates for everybody, then the highest one that
//! each can bear.

use std::time::Duration;

use super::steps::{self, Limit, role};
use super::{End, in_session, request, subjects};
use crate::cli::Rate;
use crate::interrupt::Interrupt;
use crate::measure::{self, Order};
use crate::plan::{Plan, Planned, closed};
use crate::protocol;
use crate::results::Level;
use crate::search::Search;
use crate::session::{Session, Stop};
use crate::subject::Running;
use crate::tools::{oha, wrk};
use crate::usage::as_f64;

/// How close the search gets, as a share of the rate.
const STEP: f64 = 0.05;

/// How long a subject is asked for what it can do.
const PEAK: Duration = Duration::from_secs(3);

pub(super) fn run(arguments: &Rate) -> Result<End, Stop> {
    let interrupt = Interrupt::listen().map_err(|error| Stop::Needs(error.to_string()))?;
    let subjects = subjects(&arguments.common)?;
    let preset = limit(arguments).with("the highest rate");
    let request = request("rate", preset, &arguments.common);
    in_session(&request, subjects, interrupt, |session| {
        session.uses("wrk", wrk::version)?;
        session.uses("oha", oha::version)?;
        let mut planned = Planned {
            name: "rate",
            question: "What do the same rates cost, and how quick are the answers?".to_owned(),
            path: arguments.path.clone(),
            role: role(&arguments.path),
            processes: 1,
            levels: Vec::new(),
        };
        session.progress.heading(&planned.question);
        let mut running = protocol::start(session, &planned)?;
        if running.is_empty() {
            return Ok(());
        }
        let measured = measure_all(session, &mut running, &mut planned, arguments);
        protocol::end(session, running);
        measured
    })
}

fn measure_all(
    session: &mut Session,
    running: &mut [Running],
    planned: &mut Planned,
    arguments: &Rate,
) -> Result<(), Stop> {
    let mut peaks = Vec::new();
    for subject in running.iter_mut() {
        let peak = measure::run(session, subject, &order(arguments, None, 0, PEAK))?;
        session
            .progress
            .note(&format!("in a closed loop: {}", protocol::tell(&peak)));
        peaks.push(peak.rate);
    }
    let slower = peaks.iter().copied().fold(f64::INFINITY, f64::min);
    planned.levels = if arguments.rates.is_empty() {
        [0.25, 0.5, 0.75]
            .map(|share| level(arguments, two_digits(slower * share)))
            .into()
    } else {
        let mut rates = arguments.rates.clone();
        rates.sort_unstable();
        rates.dedup();
        rates
            .into_iter()
            .map(|rate| level(arguments, f64::from(rate)))
            .collect()
    };
    let plan = Plan {
        preset: "rate",
        runs: arguments.runs,
        duration: arguments.duration,
        warm_up: Duration::from_secs(1),
        ceiling: Duration::from_secs(1),
        experiments: Vec::new(),
    };
    let count = u32::try_from(running.len()).unwrap_or(u32::MAX);
    session.progress.plan(plan.time_of(planned, count));
    protocol::experiment(session, &plan, planned, running)?;
    let limit = limit(arguments);
    let question = format!(
        "Which is the highest constant rate with {} of 100 answers within {} ms?",
        limit.percentile, limit.ms
    );
    steps::begin(session, "highest-rate", &question, &planned.path);
    for (subject, peak) in running.iter_mut().zip(peaks) {
        search(session, subject, arguments, peak)?;
    }
    Ok(())
}

fn search(
    session: &mut Session,
    subject: &mut Running,
    arguments: &Rate,
    peak: f64,
) -> Result<(), Stop> {
    // A constant rate cannot be kept above what a closed loop reaches; a little
    // more, since that was measured once.
    let search = Search::new(whole(peak * 0.5), whole(peak * 1.2), STEP);
    steps::make(
        session,
        subject,
        search,
        &limit(arguments),
        "the highest rate",
        |rate, step| order(arguments, Some(as_f64(rate)), step, arguments.duration),
    )
}

fn limit(arguments: &Rate) -> Limit<'_> {
    Limit {
        percentile: &arguments.percentile,
        ms: arguments.limit,
    }
}

fn level(arguments: &Rate, rate: f64) -> Level {
    Level {
        rate: Some(rate),
        ..closed(arguments.connections)
    }
}

fn order(arguments: &Rate, rate: Option<f64>, round: u32, duration: Duration) -> Order<'_> {
    Order {
        experiment: match rate {
            None => "peak",
            Some(_) => "highest-rate",
        },
        path: &arguments.path,
        level: Level {
            rate,
            ..closed(arguments.connections)
        },
        duration,
        round,
    }
}

/// A rate that can be remembered: 1,234 becomes 1,200.
fn two_digits(rate: f64) -> f64 {
    if rate < 10.0 {
        return rate.max(1.0).round();
    }
    let unit = 10_f64.powf(rate.log10().floor() - 1.0);
    (rate / unit).round() * unit
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is positive and far below the bound"
)]
fn whole(rate: f64) -> u64 {
    rate.max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_round() {
        for (rate, round) in [(1234.0, 1200.0), (987.0, 990.0), (12.6, 13.0), (0.3, 1.0)] {
            assert!((two_digits(rate) - round).abs() < 1e-6, "{rate}");
        }
    }
}
