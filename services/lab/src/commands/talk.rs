//! `lab talk`: the talk's questions.

use super::{End, in_session, request, subjects};
use crate::cli::Talk;
use crate::interrupt::Interrupt;
use crate::plan::Plan;
use crate::progress::time;
use crate::protocol;
use crate::session::Stop;
use crate::tools::wrk;

pub(super) fn run(arguments: &Talk) -> Result<End, Stop> {
    let interrupt = Interrupt::listen().map_err(|error| Stop::Needs(error.to_string()))?;
    // Each level once, however often it was asked for: its rounds are pairs.
    let mut connections = arguments.connections.clone();
    connections.sort_unstable();
    connections.dedup();
    let mut plan = Plan::talk(arguments.preset(), &arguments.only, &connections);
    plan.runs = arguments.runs.unwrap_or(plan.runs);
    plan.duration = arguments.duration.unwrap_or(plan.duration);
    let is_custom = arguments.runs.is_some()
        || arguments.duration.is_some()
        || !arguments.connections.is_empty();
    let preset = if is_custom { "custom" } else { plan.preset };
    let subjects = subjects(&arguments.common)?;
    let count = u32::try_from(subjects.len()).unwrap_or(u32::MAX);
    let request = request("talk", preset.to_owned(), &arguments.common);
    in_session(&request, subjects, interrupt, |session| {
        session.uses("wrk", wrk::version)?;
        session.progress.note(&format!(
            "{} runs of {} s at each level: about {}",
            plan.runs,
            plan.duration.as_secs_f64(),
            time(plan.time(count))
        ));
        protocol::make(session, &plan)
    })
}
