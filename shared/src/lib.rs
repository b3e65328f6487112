//! What the two services have in common, so that all that differs between them
//! is blocking against async.
//!
//! To follow a request: [`connection`] (how long it may take), [`middleware`] (its
//! id, its figures, its failure), [`input`] (its values), [`domain`] (what it is
//! about), [`error`] (what it may end in). What can be set is in
//! [`config::Config`].
//!
//! | module | what it is |
//! | --- | --- |
//! | [`config`], [`cli`] | what can be set, and the command line |
//! | [`domain`], [`api`], [`input`] | the exchange's types, their JSON, and the way from a request's text to them |
//! | [`error`] | the one error and its one way to an answer |
//! | [`middleware`], [`connection`], [`server`] | what every request and every connection goes through |
//! | [`work`], [`retry`] | background jobs, shielded writes, the door to blocking work; trying again |
//! | [`admission`] | who may wait in line, and who is refused at once |
//! | [`metrics`], [`telemetry`] | figures and logs |
//! | [`openapi`], [`docs`] | the OpenAPI document and Swagger UI |
//! | [`schema`], `migrate` | the Postgres schema: is it right, and make it so |
//! | `testing` | what the tests of both services stand on |
//!
//! Nothing on the way of a request waits here, but for the two thin adapters of
//! the middleware and of [`work`] (features `blocking` and `tower`). What else
//! waits does so beside the requests: the log's writer and the delivery to Sentry
//! on threads of their own, [`cli::is_ready`] and [`Tracker::close`] in place of
//! them, `migrate` and `testing` in other programs (features of these names).
//!
//! [`Tracker::close`]: middleware::sentry::Tracker::close

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
