//! The lab: loads the services, says how far the numbers can be believed, and
//! draws them.

mod handles;
pub mod responder;
pub mod results;
pub mod stats;
pub mod summary;
pub mod tools;
