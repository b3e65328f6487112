//! The exchange service on blocking threads.
//!
//! [`Server::start`] serves by a [`shared::config::Config`]; [`App::call`] answers a
//! request without a server. `main.rs` adds the command line and the signals.
//!
//! The path of a request: [`server`] (a thread takes a connection and drives
//! hyper's HTTP/1 over it) → [`app`] (middleware and routing) → `routes` → `store`
//! → [`shared::domain`]. The twin crate `after` has the same path through the same
//! files; comparing the two is the lesson. Best read first: `routes/book.rs`.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`server`] | sockets, threads, the stop |
//! | [`app`], `routes`, `extract` | the service without a server, its handlers, and what they take from a request |
//! | `store` | the statements, a file for each resource |
//! | `pool`, `db`, `error` | connections to Postgres, the client over them, and its errors |
//! | [`startup`], `cleaner` | waiting for the database; forgetting old idempotency keys |
//! | `router`, `respond` | what `after` has from axum |
//! | `crew`, `poll` | what `after` has from tokio |

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
