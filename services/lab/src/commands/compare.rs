//! `lab compare`: two runs against each other.

use std::path::Path;

use super::End;
use crate::compare::{self, Decision};
use crate::results;
use crate::session::Stop;
use crate::table;

pub(super) fn run(old: &Path, new: &Path, fail_below: f64) -> Result<End, Stop> {
    let load = |path| results::load(path).map_err(|error| Stop::Needs(error.to_string()));
    let comparison = compare::compare(&load(old)?, &load(new)?, fail_below);
    print!("{}", table::comparison(&comparison));
    match comparison.decision() {
        Decision::Pass => Ok(End::Good),
        Decision::Fail(_) => Ok(End::Bad),
        Decision::Nothing(why) => Err(Stop::Needs(format!("there is nothing to compare: {why}"))),
    }
}
