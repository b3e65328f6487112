//! The exchange service on axum, tokio and sqlx.
//!
//! The path of a request: [`server`] (a task takes a connection and drives
//! hyper's HTTP/1 over it) → [`app`] (middleware and routing) → `routes` → `store`
//! → [`shared::domain`]. The twin crate `before` has the same path through the same
//! files; comparing the two is the lesson.

pub mod app;
mod cleaner;
mod db;
mod error;
mod extract;
mod pool;
mod routes;
pub mod server;
pub mod startup;
mod store;

pub use app::App;
pub use error::Error;
pub use pool::Pools;
pub use server::Server;
