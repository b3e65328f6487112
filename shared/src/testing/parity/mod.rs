//! The parity suite: a table of requests, good and bad, whose answers are the
//! same on both services, to the byte.
//!
//! Three things hold each answer:
//! - the table says which status is right, and why;
//! - the OpenAPI document of the service describes it ([`super::contract`]);
//! - a transcript of it, committed under `expected/`, is the same for both.
//!
//! After a change of what the services answer, write the transcripts anew with
//! `PARITY_ACCEPT=1 scripts/test tests`, and read the difference. Only `before`
//! writes them: a migration must not change what clients see, so what the old
//! service says is what the new one has to say. The statuses in the table are
//! not written anew.

mod case;
pub mod cases;
pub mod document;
mod expected;
mod run;
mod transcript;

pub use case::{Case, KEY_IN_USE, Step, Table, World};
pub use run::run;

/// Whether what is committed is to be written anew, and by this service.
fn accepts(service: crate::config::Service) -> bool {
    service == crate::config::Service::Before && std::env::var_os("PARITY_ACCEPT").is_some()
}

/// What to do about a difference: only what `before` says is ever accepted.
fn advice(service: crate::config::Service) -> &'static str {
    match service {
        crate::config::Service::Before => {
            "If that is right, PARITY_ACCEPT=1 scripts/test parity writes it anew"
        }
        crate::config::Service::After => "after has to say what before says",
    }
}
