//! The way to Postgres: how connections are opened, and the client over them.
//!
//! The client blocks the thread that calls it and drives tokio-postgres'
//! protocol engine in `poll(2)`, as the server drives hyper. The crate
//! `postgres`, a blocking client on the same engine, brings a runtime of its own
//! for each connection and has no limit to how long it waits: over a wire that is
//! dead, its thread would sleep for ever.

mod client;
mod io;

use std::time::Instant;

pub(crate) use client::{Client, Failure};
use shared::config::{Database, DatabaseUrl};
use tokio_postgres::config::SslMode;

use self::io::Socket;

/// Opens a connection, within `DB_ACQUIRE_TIMEOUT_MS`. (Only the system's DNS
/// has limits of its own.)
pub(crate) fn connect(config: &Database, name: &str) -> Result<Client, Failure> {
    let until = Instant::now() + config.acquire_timeout;
    let socket = Socket::connect(&config.url, until).map_err(Failure::Wire)?;
    Client::start(
        socket,
        &options(config, name),
        until,
        config.answer_timeout(),
    )
}

fn options(config: &Database, name: &str) -> tokio_postgres::Config {
    let settings = config.session();
    let settings = settings.map(|(name, value)| format!("-c {name}={value}"));
    let mut options = identity(&config.url);
    options
        .application_name(name)
        .options(settings.join(" "))
        .ssl_mode(SslMode::Disable);
    options
}

fn identity(url: &DatabaseUrl) -> tokio_postgres::Config {
    let mut options = tokio_postgres::Config::new();
    options.user(url.user()).dbname(url.name());
    if let Some(password) = url.password() {
        options.password(password);
    }
    options
}
