//! How an experiment is made: the subjects in turns, and the tool's own limit
//! before them and after.

use std::time::Duration;

use crate::ceiling::Responder;
use crate::measure::{self, Order};
use crate::plan::{Plan, Planned};
use crate::results::{Ceiling, Experiment, Level, Run};
use crate::session::{Session, Stop};
use crate::subject::{self, Running, Start};
use crate::text::grouped;
use crate::tools::{Load, wrk};
use crate::usage::as_f64;

/// Makes all experiments of a plan, each with subjects of its own.
///
/// # Errors
/// If it cannot go on; what was seen until then is in the session's results.
pub fn make(session: &mut Session, plan: &Plan) -> Result<(), Stop> {
    let count = u32::try_from(session.subjects.len()).unwrap_or(u32::MAX);
    session.progress.plan(plan.time(count));
    for planned in &plan.experiments {
        session
            .progress
            .heading(&format!("{}: {}", planned.name, planned.question));
        let mut subjects = start(session, planned)?;
        if subjects.is_empty() {
            let count = u32::try_from(session.subjects.len()).unwrap_or(u32::MAX);
            session
                .progress
                .did(plan.time_of(planned, count), "left out");
            continue;
        }
        let made = experiment(session, plan, planned, &mut subjects);
        end(session, subjects);
        made?;
    }
    Ok(())
}

/// Starts all subjects, and checks that they give the same answers. A subject of
/// the reader's own that has no such route, or is to be several processes, is
/// left out.
///
/// # Errors
/// If one of the lab's own cannot be started, or answers otherwise.
pub fn start(session: &mut Session, planned: &Planned) -> Result<Vec<Running>, Stop> {
    let logs = session.folder.join("logs").join(planned.name);
    let how = Start {
        role: planned.role,
        processes: planned.processes,
        cores: &session.results.cores.subjects,
        logs: &logs,
        interrupt: &session.interrupt,
    };
    let path = planned.path.replace("{id}", "1");
    let mut subjects = Vec::new();
    let mut left_out = Vec::new();
    for subject in &session.subjects {
        if subject.is_given() && planned.processes > 1 {
            left_out.push(format!(
                "{} is left out of `{}`, for which the lab has to start several processes.",
                subject.name, planned.name
            ));
            continue;
        }
        let running = subject.start(&how)?;
        match running.answer(&path) {
            Err(error) if subject.is_given() => {
                left_out.push(format!(
                    "{} is left out of `{}`: {error}.",
                    subject.name, planned.name
                ));
            }
            _ => subjects.push(running),
        }
    }
    subject::check(&subjects, &path)?;
    for warning in left_out {
        session.warn(warning);
    }
    Ok(subjects)
}

/// Ends subjects: all are told first, so that they stop side by side.
pub fn end(session: &Session, subjects: Vec<Running>) {
    for process in subjects.iter().flat_map(|subject| &subject.processes) {
        process.tell_to_stop();
    }
    if session.interrupt.is_set() {
        session.progress.note("stopping what the lab has started");
    }
    drop(subjects);
}

/// Makes one experiment with subjects that run.
///
/// # Errors
/// If it cannot go on.
pub fn experiment(
    session: &mut Session,
    plan: &Plan,
    planned: &Planned,
    subjects: &mut [Running],
) -> Result<(), Stop> {
    session.results.experiments.push(Experiment {
        name: planned.name.to_owned(),
        question: planned.question.clone(),
        path: planned.path.clone(),
        processes: planned.processes,
        ceilings: Vec::new(),
        runs: Vec::new(),
        findings: Vec::new(),
    });
    for level in &planned.levels {
        note_ceiling(session, *level, plan.ceiling)?;
        rounds(session, plan, planned, *level, subjects)?;
        note_ceiling(session, *level, plan.ceiling)?;
    }
    Ok(())
}

/// Before the runs and after them, as it can be disturbed like any of them: the
/// higher of the two counts.
fn note_ceiling(session: &mut Session, level: Level, duration: Duration) -> Result<(), Stop> {
    let rate = ceiling(session, level, duration)?;
    let told = format!("{}: the load tool alone: {}/s", at(level), grouped(rate));
    session.progress.did(duration, &told);
    add(session, |experiment| {
        let same = |ceiling: &&mut Ceiling| ceiling.connections == level.connections;
        if let Some(known) = experiment.ceilings.iter_mut().find(same) {
            known.rate = known.rate.max(rate);
        } else {
            experiment.ceilings.push(Ceiling {
                connections: level.connections,
                rate,
            });
        }
    })
}

fn rounds(
    session: &mut Session,
    plan: &Plan,
    planned: &Planned,
    level: Level,
    subjects: &mut [Running],
) -> Result<(), Stop> {
    let order = |round, duration| Order {
        experiment: planned.name,
        path: &planned.path,
        level,
        duration,
        round,
    };
    for subject in subjects.iter() {
        measure::warm_up(session, subject, &order(0, plan.warm_up))?;
        let told = format!("{}: {} is warm", at(level), subject.name);
        session.progress.did(plan.warm_up, &told);
    }
    for round in 1..=plan.runs {
        for index in in_turn(round, subjects.len()) {
            revive(session, planned, &mut subjects[index])?;
            let run = measure::run(session, &mut subjects[index], &order(round, plan.duration))?;
            session.progress.did(
                plan.duration,
                &format!(
                    "{}, round {round} of {}: {}",
                    at(level),
                    plan.runs,
                    tell(&run)
                ),
            );
            add(session, |experiment| experiment.runs.push(run))?;
        }
    }
    Ok(())
}

/// Starts a subject of the lab's anew if it has died: its run has been marked.
fn revive(session: &Session, planned: &Planned, subject: &mut Running) -> Result<(), Stop> {
    if subject.is_alive() || subject.processes.is_empty() {
        return Ok(());
    }
    session.progress.warn(&format!(
        "{} has ended by itself: starting it again",
        subject.name
    ));
    let source = session
        .subjects
        .iter()
        .find(|source| source.name == subject.name);
    let logs = session
        .folder
        .join("logs")
        .join(format!("{}-again", planned.name));
    *subject = source
        .expect("running subjects come from the session's")
        .start(&Start {
            role: planned.role,
            processes: planned.processes,
            cores: &session.results.cores.subjects,
            logs: &logs,
            interrupt: &session.interrupt,
        })?;
    Ok(())
}

/// The order of a round: what was first comes last in the next one, so that
/// nobody always has the machine as the other one left it.
fn in_turn(round: u32, count: usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..count).collect();
    if round.is_multiple_of(2) {
        order.reverse();
    }
    order
}

/// What the load tool reaches against a server that does nothing, on the
/// processors of the subjects.
///
/// # Errors
/// If there is no tool, or the lab was asked to stop.
pub fn ceiling(session: &Session, level: Level, duration: Duration) -> Result<f64, Stop> {
    let responder = Responder::start(&session.results.cores.subjects)
        .map_err(|error| Stop::Needs(format!("the bare responder: {error}")))?;
    let load = Load {
        url: responder.url(),
        level,
        duration,
        timeout: Duration::from_secs(2),
        cores: session.results.cores.load.clone(),
        raw: session.folder.join("raw/ceiling"),
    };
    let seen = wrk::run(&load, &|| session.interrupt.is_set())?;
    Ok(as_f64(seen.answered) / seen.duration_s.max(f64::EPSILON))
}

/// Changes the experiment under way, and saves it.
///
/// # Errors
/// If it cannot be saved.
pub fn add(session: &mut Session, change: impl FnOnce(&mut Experiment)) -> Result<(), Stop> {
    change(
        session
            .results
            .experiments
            .last_mut()
            .expect("one was begun"),
    );
    session.save()
}

/// A level in words.
#[must_use]
pub fn at(level: Level) -> String {
    match level.rate {
        None => format!("{} connections", level.connections),
        Some(rate) => format!("{}/s", grouped(rate)),
    }
}

/// A run in words.
#[must_use]
pub fn tell(run: &Run) -> String {
    let latency = run
        .latency
        .map(|latency| format!(", p99 {:.1} ms", latency.p99))
        .unwrap_or_default();
    let mut text = format!("{} {}/s{latency}", run.subject, grouped(run.rate));
    if let Some(reason) = run.invalid.first() {
        text = format!("{text}: INVALID: {reason}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_alternates() {
        assert_eq!(in_turn(1, 3), [0, 1, 2]);
        assert_eq!(in_turn(2, 3), [2, 1, 0]);
    }
}
