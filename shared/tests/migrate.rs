//! The migrations and the program `migrate`, on a real Postgres.

use std::thread;

use shared::config::Config;
use shared::migrate::{Failed, Report, migrate};
use shared::testing::database::Database;
use shared::testing::process::Process;
use shared::testing::service::Settings;

const PROGRAM: &str = env!("CARGO_BIN_EXE_migrate");

/// Migrates, as the program does.
fn run(database: &Database, seed: bool) -> Result<Report, Failed> {
    let lookup = |name: &str| (name == "DATABASE_URL").then(|| database.url().to_owned());
    let url = Config::read_database(lookup).expect("the tests have a good address");
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made")
        .block_on(migrate(&url, seed))
}

/// Everything that the seed data brings, in one text.
fn contents(database: &Database) -> String {
    database.query_one(
        "SELECT concat_ws(' ',
            (SELECT count(*) FROM events), (SELECT count(*) FROM markets),
            (SELECT count(*) FROM contracts), (SELECT count(*) FROM orders),
            (SELECT md5(string_agg(e::text, ',' ORDER BY id)) FROM events e),
            (SELECT md5(string_agg(m::text, ',' ORDER BY id)) FROM markets m),
            (SELECT md5(string_agg(c::text, ',' ORDER BY id)) FROM contracts c),
            (SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM orders o))",
    )
}

#[test]
fn four_starters_at_once_apply_each_migration_once() {
    let database = Database::empty();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| run(&database, true).expect("each of them succeeds"));
        }
    });
    let applied: i64 = database.query_one("SELECT count(*) FROM _sqlx_migrations WHERE success");
    assert_eq!(applied, 3);
    assert!(contents(&database).starts_with("100 1000 3000 120000 "));
}

/// Real programs, since a lock of one process would do for threads.
#[test]
fn four_programs_at_once_apply_each_migration_once_ten_times() {
    for _ in 0..10 {
        let database = Database::empty();
        let settings = Settings::of(&database);
        let programs: Vec<_> = (0..4).map(|_| Process::start(PROGRAM, &settings)).collect();
        let mut applied = 0;
        for program in programs {
            assert_eq!(
                program.wait_for_exit().code(),
                Some(0),
                "{}",
                program.stderr()
            );
            applied += usize::from(program.stdout().contains("applied 1, 2, 3"));
        }
        assert_eq!(applied, 1, "one of them does it, and says so");
        let stored: i64 = database.query_one("SELECT count(*) FROM _sqlx_migrations WHERE success");
        assert_eq!(stored, 3);
    }
}

#[test]
fn the_seed_data_is_the_same_every_time_and_changes_nothing_the_second_time() {
    let (first, second) = (Database::empty(), Database::empty());
    for database in [&first, &second] {
        let report = run(database, true).expect("an empty database can be seeded");
        assert_eq!((report.version, report.seeded), (3, Some(120_000)));
    }
    let seeded = contents(&first);
    assert!(seeded.starts_with("100 1000 3000 120000 "), "{seeded}");
    assert_eq!(seeded, contents(&second));
    let report = run(&first, true).expect("a seeded database can be seeded");
    assert_eq!((report.applied, report.seeded), (Vec::new(), Some(0)));
    assert_eq!(seeded, contents(&first));
}

#[test]
fn seeding_again_leaves_what_was_added_and_changed() {
    let database = Database::fresh();
    database.execute(
        "UPDATE orders SET state = 'cancelled' WHERE id = 1;
         INSERT INTO orders (contract_id, side, price_bp, quantity) VALUES (1, 'buy', 1, 1)",
    );
    let before = contents(&database);
    let report = run(&database, true).expect("a seeded database can be seeded");
    assert_eq!(report.seeded, Some(0));
    assert_eq!(before, contents(&database));
    // The identity goes on behind the added row.
    database.execute(
        "INSERT INTO orders (contract_id, side, price_bp, quantity) VALUES (1, 'buy', 1, 1)",
    );
    assert_eq!(
        database.query_one::<i64>("SELECT max(id) FROM orders"),
        120_002
    );
}

#[test]
fn an_edited_migration_is_refused_and_nothing_is_applied() {
    let database = Database::fresh();
    database.execute(
        "DROP TABLE idempotency_keys;
         DELETE FROM _sqlx_migrations WHERE version = 3;
         UPDATE _sqlx_migrations SET checksum = sha384(checksum) WHERE version = 1",
    );
    let refused = run(&database, true);
    assert!(matches!(refused, Err(Failed::Edited(1))), "{refused:?}");
    let there: bool = database.query_one("SELECT to_regclass('idempotency_keys') IS NOT NULL");
    assert!(!there);
}

#[test]
fn a_newer_schema_is_left_alone() {
    let database = Database::fresh();
    database.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', true, '\\x00', 0)",
    );
    let report = run(&database, false).expect("a newer schema suits");
    assert_eq!((report.applied, report.version), (Vec::new(), 9999));
}

#[test]
fn the_program_says_what_it_did() {
    let database = Database::empty();
    let settings = Settings::of(&database);
    for (arguments, expected) in [
        (&["--seed"][..], "loaded the seed data (120000 orders)"),
        (&["--seed"], "the seed data was there already"),
        (&[], "the schema is up to date (version 3)"),
        (&["--help"], "Usage: migrate"),
    ] {
        let process = Process::with_arguments(PROGRAM, arguments, &settings);
        assert_eq!(process.wait_for_exit().code(), Some(0), "{arguments:?}");
        let told = process.stdout();
        assert!(told.contains(expected), "{expected} in {told}");
    }
}

#[test]
fn the_program_refuses_what_it_does_not_understand() {
    let database = Database::empty();
    let good = Settings::of(&database);
    let bad = good
        .clone()
        .set("DATABASE_URL", "mysql://root:hunter2@localhost/x");
    for (arguments, settings) in [(&["--sed"][..], &good), (&[], &bad)] {
        let process = Process::with_arguments(PROGRAM, arguments, settings);
        assert_eq!(process.wait_for_exit().code(), Some(2), "{arguments:?}");
        let told = process.stderr();
        assert!(
            told.starts_with("migrate: ") && !told.contains("hunter2"),
            "{told}"
        );
    }
}

#[test]
fn the_program_names_the_edited_migration() {
    let database = Database::fresh();
    database.execute("UPDATE _sqlx_migrations SET checksum = sha384(checksum) WHERE version = 2");
    let process = Process::start(PROGRAM, &Settings::of(&database));
    assert_eq!(process.wait_for_exit().code(), Some(1));
    assert!(
        process.stderr().contains("migration 2 "),
        "{}",
        process.stderr()
    );
}
