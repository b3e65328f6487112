//! `lab capacity`: connections are raised until answers are too slow.

use std::time::Duration;

use super::steps::{self, Limit, role};
use super::{End, in_session, request, subjects};
use crate::cli::Capacity;
use crate::interrupt::Interrupt;
use crate::measure::{self, Order};
use crate::plan::{Planned, closed};
use crate::protocol;
use crate::search::Search;
use crate::session::{Session, Stop};
use crate::subject::Running;
use crate::tools::wrk;

/// Where the search begins.
const FIRST: u64 = 8;

/// How close it gets: a step of 1, or of this share where the noise is wider.
const STEP: f64 = 0.03;

pub(super) fn run(arguments: &Capacity) -> Result<End, Stop> {
    let interrupt = Interrupt::listen().map_err(|error| Stop::Needs(error.to_string()))?;
    let subjects = subjects(&arguments.common)?;
    let limit = limit(arguments);
    let request = request(
        "capacity",
        limit.with("the most connections"),
        &arguments.common,
    );
    in_session(&request, subjects, interrupt, |session| {
        session.uses("wrk", wrk::version)?;
        let planned = Planned {
            name: "capacity",
            question: format!(
                "With how many connections are {} of 100 answers within {} ms?",
                limit.percentile, limit.ms
            ),
            path: arguments.path.clone(),
            role: role(&arguments.path),
            processes: 1,
            levels: Vec::new(),
        };
        let mut running = protocol::start(session, &planned)?;
        if running.is_empty() {
            return Ok(());
        }
        steps::begin(session, planned.name, &planned.question, &planned.path);
        let searched = running
            .iter_mut()
            .try_for_each(|subject| search(session, subject, arguments));
        protocol::end(session, running);
        searched
    })
}

fn limit(arguments: &Capacity) -> Limit<'_> {
    Limit {
        percentile: &arguments.percentile,
        ms: arguments.limit,
    }
}

fn search(session: &mut Session, subject: &mut Running, arguments: &Capacity) -> Result<(), Stop> {
    let order = |connections, step| Order {
        experiment: "capacity",
        path: &arguments.path,
        level: closed(u32::try_from(connections).unwrap_or(u32::MAX)),
        duration: arguments.duration,
        round: step,
    };
    let warm_up = Order {
        duration: Duration::from_secs(1),
        ..order(FIRST, 0)
    };
    measure::warm_up(session, subject, &warm_up)?;
    let search = Search::new(FIRST, arguments.most.into(), STEP);
    steps::make(
        session,
        subject,
        search,
        &limit(arguments),
        "the most connections",
        order,
    )
}
