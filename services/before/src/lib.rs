//! The exchange service on blocking threads.
//!
//! The path of a request: [`server`] (a thread takes a connection and drives
//! hyper's HTTP/1 over it) → [`app`] (middleware and routing) → `routes` → `store`
//! → [`shared::domain`]. The twin crate `after` has the same path through the same
//! files; comparing the two is the lesson.

pub mod app;
mod cleaner;
mod crew;
mod db;
mod error;
mod extract;
mod poll;
mod pool;
mod respond;
mod router;
mod routes;
pub mod server;
pub mod startup;
mod store;

pub use app::App;
pub use error::Error;
pub use server::Server;
