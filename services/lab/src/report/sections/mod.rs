//! The sections of the report.

pub(super) mod answer;
pub(super) mod claims;
pub(super) mod experiment;
pub(super) mod plots;
pub(super) mod reading;
pub(super) mod run;
mod runs;
mod series;
pub(super) mod settings;
mod table;
