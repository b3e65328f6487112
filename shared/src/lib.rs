//! What the two services have in common, so that all that differs between them
//! is blocking against async.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`config`], [`cli`] | what can be set, and the command line |
//! | [`domain`], [`api`], [`input`] | the exchange's types, their JSON, and the way from a request's text to them |
//! | [`error`] | the one error and its one way to an answer |
//! | [`middleware`], [`connection`], [`server`] | what every request and every connection goes through |
//! | [`work`], [`retry`] | background jobs, shielded writes, the door to blocking work; trying again |
//! | [`admission`] | who may wait for the database |
//! | [`metrics`], [`telemetry`] | figures and logs |
//! | [`openapi`], [`docs`] | the OpenAPI document and Swagger UI |
//! | [`schema`], `migrate` | the Postgres schema: is it right, and make it so |
//! | `testing` | what the tests of both services stand on |
//!
//! Nothing here waits, but for the two thin adapters of the middleware and of
//! [`work`] (features `blocking` and `tower`) and the `migrate` program
//! (feature `migrate`).

pub mod admission;
pub mod api;
pub mod cli;
pub mod config;
pub mod connection;
pub mod docs;
pub mod domain;
pub mod error;
pub mod input;
pub mod metrics;
pub mod middleware;
#[cfg(feature = "migrate")]
pub mod migrate;
pub mod openapi;
pub mod retry;
pub mod schema;
pub mod server;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
// There is nothing in it without an adapter that starts work.
#[cfg(any(feature = "blocking", feature = "tower"))]
pub mod work;
