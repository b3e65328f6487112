//! What the tests of both services stand on.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`database`] | a real Postgres database, private to a test |
//! | [`relay`] | a wire to the database that can be long, cut and dead |
//! | [`port`] | a port that stays ours while nobody listens on it |
//! | [`http`] | a client that sends any bytes |
//! | [`load`] | clients that remember what they were told |
//! | [`catcher`] | a Sentry that can delay, refuse and hang |
//! | [`service`] | a running service with a method for each route |
//! | [`process`] | the real program, with signals and log lines |
//! | [`contract`] | whether an answer is one that the OpenAPI document describes |
//! | [`parity`] | a table of requests whose answers are the same on both services |
//! | [`suite`] | behaviour that is the same on both services |
//! | [`wait`] | waiting for a condition, with a deadline |
//!
//! A suite is generic over [`service::Subject`]; each service implements that
//! trait in its tests and calls the macro [`suite!`](crate::suite).

pub mod catcher;
pub mod contract;
pub mod database;
pub mod http;
pub mod load;
pub mod parity;
pub mod port;
pub mod process;
pub mod relay;
pub mod service;
pub mod suite;
pub mod wait;
