//! Starting, with and without what is needed.

use std::io::{Error, ErrorKind};

use crate::config::VARIABLES;
use crate::schema::SchemaError;
use crate::testing::catcher::Catcher;
use crate::testing::database::Database;
use crate::testing::http::get;
use crate::testing::process::{Process, message};
use crate::testing::relay::Relay;
use crate::testing::service::{App, Settings, Subject};
use crate::testing::wait::wait_until;

/// Settings for a database behind a relay.
fn behind(relay: &Relay, database: &Database) -> Settings {
    Settings::of(database)
        .set("DATABASE_URL", database.url_over(relay.addr()))
        .set("DB_ACQUIRE_TIMEOUT_MS", 300)
}

pub fn without_a_database_it_lives_and_is_not_ready<S: Subject>() {
    let database = Database::fresh();
    let relay = Relay::cut_to(&database);
    let settings = behind(&relay, &database);
    let app = App::<S>::on(database, &settings);
    app.ping().expect(200);
    app.ready().expect(503);
    app.markets().expect(503);
    app.ping().expect(200);
}

pub fn it_becomes_ready_by_itself_when_the_database_appears<S: Subject>() {
    let database = Database::fresh();
    let relay = Relay::cut_to(&database);
    let settings = behind(&relay, &database);
    let app = App::<S>::on(database, &settings);
    app.ready().expect(503);
    relay.mend();
    wait_until("the service is ready", || app.ready().status == 200);
    app.markets().expect(200);
}

pub fn it_becomes_ready_by_itself_when_the_schema_appears<S: Subject>() {
    let database = Database::empty();
    let settings = Settings::of(&database);
    let config = settings.config(S::SERVICE);
    let app = App::<S>::on(database, &settings);
    app.ready().expect(503);
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made")
        .block_on(crate::migrate::migrate(&config.database.url, false))
        .expect("an empty database can be migrated");
    wait_until("the service is ready", || app.ready().status == 200);
    assert_eq!(
        app.markets().expect(200).json()["markets"],
        serde_json::json!([])
    );
}

pub fn while_it_waits_the_log_stays_quiet<S: Subject>() {
    let database = Database::fresh();
    let relay = Relay::cut_to(&database);
    relay.hang_up();
    let catcher = Catcher::start();
    let settings = behind(&relay, &database).reporting_to(&catcher);
    let process = Process::start(S::BINARY, &settings);
    let addr = process.addr();
    relay.wait_for_accepted(4);
    get(addr, "/ping").expect(200);
    relay.mend();
    process.wait_for_line("ready: ");
    process.terminate();
    assert!(process.wait_for_exit().success());
    let log = process.log();
    let waiting = log
        .iter()
        .filter(|line| message(line).starts_with("not ready"));
    let told = waiting.count();
    assert!((1..=2).contains(&told), "{told} lines: {log:#?}");
    assert_eq!(catcher.posted(), 0, "waiting is no event");
}

pub fn what_is_in_the_way_is_told_with_its_place_and_cause<S: Subject>() {
    let database = Database::fresh();
    let relay = Relay::cut_to(&database);
    let process = Process::start(S::BINARY, &behind(&relay, &database));
    let line = process.wait_for_line("not ready");
    let told = message(&line);
    assert!(told.contains(&relay.addr().to_string()), "{told}");
    assert!(told.contains("Connection refused"), "{told}");
    assert!(told.contains(database.name()), "{told}");
    let nowhere =
        Settings::of(&database).set("DATABASE_URL", format!("{}_nowhere", database.url()));
    let process = Process::start(S::BINARY, &nowhere);
    let line = process.wait_for_line("not ready");
    assert!(message(&line).contains("does not exist"), "{line}");
}

pub fn mistakes_in_the_configuration_are_told_together<S: Subject>() {
    let database = Database::empty();
    let settings = Settings::of(&database)
        .set("DATABASE_URL", "mysql://root:hunter2@localhost/x")
        .set("LISTEN", "here")
        .set("REUSE_PORT", "yes")
        .set("DB_POOL", 0)
        .set("RUNTIME", "green")
        .set("SENTRY_DSN", "not-a-url")
        .set("RUST_LOG", "=,=")
        .set("LOG_FORMAT", "xml")
        .set("EXPERIMENTS", "yes");
    let process = Process::start(S::BINARY, &settings);
    assert_eq!(process.wait_for_exit().code(), Some(2));
    let told = process.stderr();
    for name in [
        "DATABASE_URL",
        "LISTEN",
        "REUSE_PORT",
        "DB_POOL",
        "RUNTIME",
        "SENTRY_DSN",
        "RUST_LOG",
        "LOG_FORMAT",
        "EXPERIMENTS",
    ] {
        assert!(told.contains(name), "{name} in {told}");
    }
    assert!(
        !told.contains("hunter2") && !told.contains("panicked"),
        "{told}"
    );
}

pub fn a_malformed_dsn_is_told_without_showing_it<S: Subject>() {
    let database = Database::empty();
    for dsn in [
        "not-a-url",
        "https://secretkey@",
        "https://sentry.test/1",
        "secretkey",
    ] {
        let settings = Settings::of(&database).set("SENTRY_DSN", dsn);
        let process = Process::start(S::BINARY, &settings);
        assert_eq!(process.wait_for_exit().code(), Some(2), "{dsn}");
        let told = process.stderr();
        assert!(told.contains("SENTRY_DSN"), "{told}");
        assert!(
            !told.contains("secretkey") && !told.contains("panicked"),
            "{told}"
        );
    }
}

pub fn an_empty_dsn_is_no_tracker<S: Subject>() {
    let database = Database::fresh();
    for dsn in ["", "  "] {
        let settings = Settings::of(&database).set("SENTRY_DSN", dsn);
        let process = Process::start(S::BINARY, &settings);
        let line = process.wait_for_line("listening");
        assert_eq!(line["sentry"], "off", "{line}");
    }
}

pub fn a_port_that_is_taken_is_told<S: Subject>() {
    let app = App::<S>::start();
    let settings = Settings::of(app.database()).set("LISTEN", app.addr());
    let error = S::start(settings.config(S::SERVICE)).err();
    assert_eq!(error.as_ref().map(Error::kind), Some(ErrorKind::AddrInUse));
    let process = Process::start(S::BINARY, &settings);
    assert_eq!(process.wait_for_exit().code(), Some(1));
    let line = process.wait_for_line("cannot start");
    assert!(message(&line).contains(&app.addr().to_string()), "{line}");
    app.ping().expect(200);
}

pub fn an_edited_migration_is_refused_with_its_version<S: Subject>() {
    let database = Database::fresh();
    database.execute("UPDATE _sqlx_migrations SET checksum = sha384(checksum) WHERE version = 2");
    let process = Process::start(S::BINARY, &Settings::of(&database));
    assert_eq!(process.wait_for_exit().code(), Some(1));
    let line = process.wait_for_line("cannot start");
    let expected = SchemaError::Edited { version: 2 }.to_string();
    assert!(message(&line).contains(&expected), "{line}");
}

pub fn the_health_check_says_whether_it_is_ready<S: Subject>() {
    let database = Database::fresh();
    let relay = Relay::to(&database);
    let settings = behind(&relay, &database);
    let process = Process::start(S::BINARY, &settings);
    process.wait_for_line("ready: ");
    let settings = settings.set("LISTEN", process.addr());
    let check = || Process::with_arguments(S::BINARY, &["--check"], &settings).wait_for_exit();
    assert!(check().success());
    relay.cut();
    assert!(!check().success());
    process.terminate();
    process.wait_for_exit();
    assert!(!check().success());
}

pub fn the_command_line_is_answered_without_a_configuration<S: Subject>() {
    let ask = |arguments: &[&str]| {
        let process = Process::with_arguments(S::BINARY, arguments, &Settings::none());
        let code = process.wait_for_exit().code();
        (code, process.stdout(), process.stderr())
    };
    for flag in ["--help", "-h"] {
        let (code, told, complained) = ask(&[flag]);
        assert_eq!((code, &*complained), (Some(0), ""));
        assert!(
            told.contains(&format!("Usage: {} ", S::SERVICE.name())),
            "{told}"
        );
        for variable in VARIABLES {
            assert!(told.contains(variable.name), "{} in {told}", variable.name);
        }
    }
    for flag in ["--version", "-V"] {
        let (code, told, complained) = ask(&[flag]);
        assert_eq!((code, &*complained), (Some(0), ""));
        let version = format!("{} {}", S::SERVICE.name(), env!("CARGO_PKG_VERSION"));
        assert_eq!(told, version);
    }
    for wrong in [&["--port", "80"][..], &["--check", "--help"], &[""]] {
        let (code, told, complained) = ask(wrong);
        assert_eq!((code, &*told), (Some(2), ""), "{wrong:?}");
        assert!(complained.contains("--help"), "{complained}");
    }
    let (code, told, complained) = ask(&[]);
    assert_eq!((code, &*told), (Some(2), ""));
    assert!(complained.contains("DATABASE_URL"), "{complained}");
}
