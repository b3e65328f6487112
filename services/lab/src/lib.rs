//! The lab: loads the services, says how far the numbers can be believed, and
//! draws them.

pub mod claims;
pub mod compare;
#[cfg(test)]
mod fixture;
pub mod report;
pub mod results;
pub mod serve;
pub mod stats;
pub mod summary;
pub mod table;
pub mod text;
pub mod tools;
pub mod validity;
