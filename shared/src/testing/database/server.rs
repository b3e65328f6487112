//! The server on which the databases of the tests live.

use std::sync::LazyLock;

use postgres::{Client, NoTls};
use url::Url;

/// The variable that says where it is.
const VARIABLE: &str = "TEST_DATABASE_URL";

static URL: LazyLock<Url> = LazyLock::new(|| {
    let Ok(text) = std::env::var(VARIABLE) else {
        panic!("{VARIABLE} is not set: run scripts/test, which starts a Postgres for the tests");
    };
    text.parse().unwrap_or_else(|error| {
        panic!("{VARIABLE} is not a URL ({error}), such as postgres://postgres@localhost/postgres")
    })
});

/// The address of another database of the server.
pub(super) fn url_of(database: &str) -> Url {
    let mut url = URL.clone();
    url.set_path(database);
    url
}

/// A session as the superuser that the variable names.
pub(super) fn connect() -> Client {
    Client::connect(URL.as_str(), NoTls)
        .unwrap_or_else(|error| panic!("the server of {VARIABLE} does not let us in: {error:?}"))
}

/// Runs one statement, outside of a transaction.
pub(super) fn execute(sql: &str) {
    connect()
        .batch_execute(sql)
        .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

/// Drops a database, whoever is connected to it. Only says so if it cannot: the
/// next run will sweep it up.
pub(super) fn drop_database(name: &str) {
    let dropped = Client::connect(URL.as_str(), NoTls).and_then(|mut client| {
        client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
    });
    if let Err(error) = dropped {
        eprintln!("the database {name} stays behind: {error}");
    }
}
