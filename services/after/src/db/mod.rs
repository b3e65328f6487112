//! The way to Postgres: how connections are opened, and what is known of them.

mod connection;

use std::io;

pub(crate) use connection::Connection;
use shared::config::{Database, DatabaseUrl, Host};
use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio::time::timeout;

/// Opens a connection, within `DB_ACQUIRE_TIMEOUT_MS`.
pub(crate) async fn connect(config: &Database, name: &str) -> Result<Connection, sqlx::Error> {
    let options = options(config, name);
    let sqlx = timeout(config.acquire_timeout, options.connect())
        .await
        .unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))?;
    Ok(Connection::new(sqlx, config))
}

fn options(config: &Database, name: &str) -> PgConnectOptions {
    address(&config.url)
        .application_name(name)
        .options(config.session())
        // A line for each statement costs more than the statement.
        .disable_statement_logging()
}

fn address(url: &DatabaseUrl) -> PgConnectOptions {
    let options = PgConnectOptions::new_without_pgpass()
        .port(url.port())
        .username(url.user())
        .database(url.name())
        .ssl_mode(PgSslMode::Disable);
    let options = match url.password() {
        Some(password) => options.password(password),
        None => options,
    };
    match url.host() {
        Host::Tcp(host) => options.host(host),
        Host::Unix(folder) => options.socket(folder),
    }
}
