//! Small servers that the pair is measured against. Each does what a benchmark
//! asks for, as well as its libraries can, and nothing else: no limits, no log,
//! no metrics, no orderly stop.
//!
//! All of them serve `GET /ping` and `GET /markets/{id}/book`, with the same
//! answers as the pair: the statement, the rows and the transformation are
//! [`shared`]'s. What they have in common is here; what is theirs is in `bin`.
//! `scripts/bench` starts them and says what it makes of the figures.
//!
//! | program | what it is |
//! | --- | --- |
//! | `bare-hyper`, `bare-axum` | tasks; books through tokio-postgres and deadpool ([`pooled`]) |
//! | `rouille`, `postgres` | threads; books through postgres and r2d2 ([`kept`]) |
//! | `diesel` | threads; books through diesel and r2d2 (feature `diesel`) |
//! | `offer`, `probe`, `idle-connections` | no servers: they ask ([`client`]) |

pub mod answer;
pub mod book;
pub mod client;
pub mod kept;
pub mod pooled;
pub mod settings;
pub mod threads;

/// What can go wrong, for programs that only say so.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
