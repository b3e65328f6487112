//! The tables, a file for each subject.

mod bodies;
mod book;
mod documentation;
mod experiments;
mod keys;
mod markets;
mod methods;
mod moments;
mod orders;
mod paths;
mod placing;
mod protocol;
mod ready;
mod request_ids;

pub use bodies::bodies;
pub use book::book;
pub use documentation::documentation;
pub use experiments::{experiments, no_experiments};
pub use keys::keys;
pub use markets::markets;
pub use methods::methods;
pub use moments::{key_in_use, late_bodies};
pub use orders::orders;
pub use paths::paths;
pub use placing::placing;
pub use protocol::protocol;
pub use ready::{database_gone, edited_schema, no_schema, old_schema, ready};
pub use request_ids::request_ids;

use super::Case;
use crate::testing::http::Request;

/// A row of a table of `GET`s: target, status, and why.
type Row = (&'static str, u16, &'static str);

/// A case for each row.
fn gets(rows: &[Row]) -> Vec<Case> {
    rows.iter()
        .map(|(target, status, why)| {
            Case::new(format!("GET {target}"), why, Request::get(target), *status)
        })
        .collect()
}
