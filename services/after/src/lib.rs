//! The exchange service on axum, tokio and sqlx.
//!
//! [`Server::start`] serves by a [`shared::config::Config`]; [`app::app`] makes a
//! tower service without a server. `main.rs` adds the command line and the signals.
//!
//! The path of a request: [`server`] (a task takes a connection and drives
//! hyper's HTTP/1 over it) → [`app`] (middleware and routing) → `routes` → `store`
//! → [`shared::domain`]. The twin crate `before` has the same path through the same
//! files; comparing the two is the lesson. Best read first: `routes/book.rs`.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`server`] | sockets, runtimes, the stop |
//! | [`app`], `routes`, `extract` | the service without a server, its handlers, and what they take from a request |
//! | `store` | the statements, a file for each resource |
//! | `pool`, `db`, `error` | connections to Postgres, what is known of them, and the errors of both |
//! | [`startup`], `cleaner` | waiting for the database; forgetting old idempotency keys |

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
