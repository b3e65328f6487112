//! Which databases belong to runs that are over.
//!
//! Each run of a test program holds an advisory lock for as long as it lives,
//! in a session that ends with the process, however that ends. A database
//! whose run's lock is free has nobody left. Process ids would not do: they
//! are used again, and mean nothing between containers.

use std::sync::{Mutex, OnceLock};

use postgres::Client;

use super::server;

/// The first half of the keys of the locks of runs; the second is the run.
const RUNS: i32 = 0x7432_7400;
/// The same for the users of a template; the second half is its hash.
const TEMPLATES: i32 = 0x7432_7401;

const PREFIX: &str = "t2t_test_";
const TEMPLATE_PREFIX: &str = "t2t_template_";

/// This run of a test program.
pub(super) struct Run {
    number: u32,
    /// Holds the locks.
    keeper: Mutex<Client>,
}

impl Run {
    /// The one of this process; the first call sweeps up what others left.
    pub(super) fn this() -> &'static Self {
        static THIS: OnceLock<Run> = OnceLock::new();
        THIS.get_or_init(|| {
            let mut keeper = server::connect();
            let number = fastrand::u32(..);
            lock(&mut keeper, "pg_advisory_lock", RUNS, number);
            let mut sweeper = server::connect();
            sweep(&mut sweeper, PREFIX, RUNS);
            sweep(&mut sweeper, TEMPLATE_PREFIX, TEMPLATES);
            Self {
                number,
                keeper: Mutex::new(keeper),
            }
        })
    }

    /// The name of the run's database with that number. The process id is there
    /// for people.
    pub(super) fn database_name(&self, number: u32) -> String {
        let process = std::process::id();
        format!("{PREFIX}{:08x}_{process}_{number}", self.number)
    }

    /// The name of the template with this hash, which stays until the end of
    /// the run.
    pub(super) fn use_template(&self, hash: u32) -> String {
        let mut keeper = self.keeper.lock().expect("only SQL runs under the lock");
        lock(&mut keeper, "pg_advisory_lock_shared", TEMPLATES, hash);
        format!("{TEMPLATE_PREFIX}{hash:08x}")
    }
}

fn lock(client: &mut Client, function: &str, class: i32, key: u32) {
    let sql = format!("SELECT {function}({class}, {})", key.cast_signed());
    client
        .batch_execute(&sql)
        .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

/// Drops the databases whose name starts so and goes on with eight digits of a
/// key that nobody has locked.
fn sweep(client: &mut Client, prefix: &str, class: i32) {
    let sql =
        format!("SELECT datname::text FROM pg_database WHERE datname ~ '^{prefix}[0-9a-f]{{8}}'");
    for row in client.query(&sql, &[]).expect("pg_database can be read") {
        let name: String = row.get(0);
        let digits = &name[prefix.len()..prefix.len() + 8];
        let key = u32::from_str_radix(digits, 16).expect("the pattern says so");
        let sql = format!(
            "SELECT pg_try_advisory_lock({class}, {})",
            key.cast_signed()
        );
        let row = client.query_one(&sql, &[]).expect("a lock can be tried");
        if row.get(0) {
            // Only templates need the first statement.
            let _ = client.batch_execute(&format!("ALTER DATABASE {name} IS_TEMPLATE false"));
            server::drop_database(&name);
            lock(client, "pg_advisory_unlock", class, key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(prefix: &str, key: u32) -> String {
        let name = format!("{prefix}{key:08x}_0_1");
        server::execute(&format!("CREATE DATABASE {name} TEMPLATE template0"));
        name
    }

    fn is_there(session: &mut Client, name: &str) -> bool {
        let found = session.query("SELECT 1 FROM pg_database WHERE datname = $1", &[&name]);
        !found.expect("pg_database can be read").is_empty()
    }

    #[test]
    fn databases_of_runs_that_are_over_are_swept_up_and_no_others() {
        // Keys that no run is likely to have: of the two, one is held.
        let (dead, alive) = (fastrand::u32(..), fastrand::u32(..));
        let mut keeper = server::connect();
        lock(&mut keeper, "pg_advisory_lock", RUNS, alive);
        let (left, used) = (make(PREFIX, dead), make(PREFIX, alive));
        let mut session = server::connect();
        // Whoever is still connected to it, such as a service that hangs.
        let url = server::url_of(&left);
        let hanging = Client::connect(url.as_str(), postgres::NoTls);
        sweep(&mut session, PREFIX, RUNS);
        assert!(!is_there(&mut session, &left));
        assert!(is_there(&mut session, &used));
        drop((keeper, hanging));
        crate::testing::wait::wait_until("the lock of its run is free", || {
            sweep(&mut session, PREFIX, RUNS);
            !is_there(&mut session, &used)
        });
    }
}
