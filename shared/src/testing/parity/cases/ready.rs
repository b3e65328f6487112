//! `GET /ready`, and what else is answered while the service is not ready.

use super::gets;
use crate::testing::http::Request;
use crate::testing::parity::{Case, Table, World};
use crate::testing::service::{ORDER, place};

const ALIVE: (&str, u16, &str) = ("/ping", 200, "alive, whatever the database does");

/// With everything in place.
pub fn ready() -> Table {
    let rows = [
        (
            "/ready",
            200,
            "the database is there, and the schema is right",
        ),
        ("/ready?x=1", 200, "unknown parameters are ignored"),
    ];
    Table::new("ready", gets(&rows))
}

/// Before anything was migrated.
pub fn no_schema() -> Table {
    let rows = [("/ready", 503, "nothing was migrated yet"), ALIVE];
    Table::new("ready_no_schema", gets(&rows)).in_world(World::NoSchema)
}

/// One migration is missing.
pub fn old_schema() -> Table {
    let rows = [("/ready", 503, "a migration is missing"), ALIVE];
    Table::new("ready_old_schema", gets(&rows)).in_world(World::OldSchema)
}

/// A migration was edited after it had been applied.
pub fn edited_schema() -> Table {
    let rows = [
        ("/ready", 503, "a migration is not the one of this build"),
        ALIVE,
    ];
    Table::new("ready_edited_schema", gets(&rows)).in_world(World::EditedSchema)
}

/// The database went away while the service ran.
pub fn database_gone() -> Table {
    let away = "the database is away; try again later";
    let mut cases = gets(&[
        ("/ready", 503, away),
        ALIVE,
        ("/markets", 503, away),
        ("/markets/1/book", 503, away),
        ("/orders/7", 503, away),
        (
            "/markets?limit=0",
            422,
            "a mistake is found without the database",
        ),
        ("/orders/x", 400, "a mistake is found without the database"),
        (
            "/docs/index.html",
            200,
            "the documentation needs no database",
        ),
        ("/openapi.json", 200, "nor does the document"),
        ("/metrics", 200, "nor do the figures"),
        ("/nope", 404, "nor what is not there"),
    ]);
    cases.extend([
        Case::new(
            "HEAD /ready",
            "as for GET",
            Request::new("HEAD", "/ready"),
            503,
        ),
        Case::new("placing an order", away, place(1, "gone", ORDER), 503),
        Case::new(
            "cancelling one",
            away,
            Request::new("DELETE", "/orders/7"),
            503,
        ),
    ]);
    Table::new("ready_database_gone", cases).in_world(World::DatabaseGone)
}
