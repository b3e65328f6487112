//! The lab: loads the services, says how far the numbers can be believed, and
//! draws them.
//!
//! From the command line ([`cli`], [`commands`]) to the results: a [`session`]
//! has the machine ([`host`], [`cores`]), the [`subject`]s and their
//! [`database`]; the [`protocol`] makes the runs of a [`plan`] in turns, or those
//! that a [`search`] asks for, each by a load tool ([`tools`], [`measure`]). Beside
//! it stands what the tool alone can do ([`ceiling`], [`responder`]) and what the
//! subject used and said ([`usage`], [`scrape`]). Each run is judged
//! ([`validity`]). What was seen is kept ([`results`]); what follows from it is
//! computed by pure functions ([`stats`], [`summary`], [`claims`], [`compare`]) and
//! shown ([`table`], [`report`], [`serve`]).
//!
//! Start with [`results::Results`], which says what there is to know of a run, and
//! [`measure::run`], which makes one. How to use the lab, and how to read its
//! numbers, is in `services/lab/README.md`.

pub mod ceiling;
pub mod claims;
pub mod cli;
pub mod commands;
pub mod compare;
pub mod cores;
pub mod database;
#[cfg(test)]
mod fixture;
mod handles;
pub mod host;
pub mod interrupt;
pub mod lock;
pub mod measure;
mod pinned;
pub mod plan;
pub mod progress;
pub mod protocol;
pub mod report;
pub mod responder;
pub mod results;
pub mod scrape;
pub mod search;
pub mod serve;
pub mod session;
pub mod stats;
pub mod subject;
pub mod summary;
pub mod table;
pub mod text;
pub mod tools;
pub mod usage;
pub mod validity;
