//! The database that all others are copies of: made once a server, by whichever
//! test program comes first.

use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use super::leftovers::Run;
use super::server;
use crate::config::Config;
use crate::migrate::{MIGRATOR, migrate};
use crate::testing::wait::wait_until;

/// How many orders the seed data has.
pub(super) const ORDERS: i64 = 120_000;

const SEED: &str = include_str!("../../../seed/seed.sql");

/// The key of the lock under which a template is made.
const MAKING: i64 = 0x7432_7402;

/// The name of the template, which is there when this returns.
pub(super) fn name(run: &Run) -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = run.use_template(hash());
        let mut session = server::connect();
        session
            .batch_execute(&format!("SELECT pg_advisory_lock({MAKING})"))
            .expect("a lock can be waited for");
        let there = session
            .query("SELECT 1 FROM pg_database WHERE datname = $1", &[&name])
            .expect("pg_database can be read");
        if there.is_empty() {
            make(&name);
        }
        // The lock goes with the session.
        name
    })
}

/// Another schema or other seed data is another template.
fn hash() -> u32 {
    let mut hash = Sha256::new();
    for migration in MIGRATOR.iter() {
        hash.update(&migration.checksum);
    }
    hash.update(SEED);
    let digest = hash.finalize();
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// Makes it under another name, so that a half-made one is never copied. Nobody
/// may be connected to a database while it is copied: so at last, nobody may
/// connect to it at all.
fn make(name: &str) {
    let half_made = format!("{name}_half_made");
    server::drop_database(&half_made);
    server::execute(&format!("CREATE DATABASE {half_made} TEMPLATE template0"));
    fill(server::url_of(&half_made).as_str(), true);
    wait_until("the sessions of the migration are closed", || {
        server::connect()
            .query(
                "SELECT 1 FROM pg_stat_activity WHERE datname = $1",
                &[&half_made],
            )
            .expect("pg_stat_activity can be read")
            .is_empty()
    });
    server::execute(&format!(
        "ALTER DATABASE {half_made} ALLOW_CONNECTIONS false"
    ));
    server::execute(&format!("ALTER DATABASE {half_made} RENAME TO {name}"));
    server::execute(&format!("ALTER DATABASE {name} IS_TEMPLATE true"));
}

/// Migrates a database, and loads the seed data if asked to.
pub(super) fn fill(url: &str, seed: bool) {
    let url =
        Config::read_database(|variable| (variable == "DATABASE_URL").then(|| url.to_owned()))
            .unwrap_or_else(|error| panic!("the services cannot use this server: {error}"));
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made")
        .block_on(migrate(&url, seed))
        .unwrap_or_else(|error| panic!("{}", crate::error::chain(&error)));
}
