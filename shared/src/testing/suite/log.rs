//! Logs of the real program.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::at_once;
use crate::testing::database::Database;
use crate::testing::http::{Connection, Request, send};
use crate::testing::process::{Process, message};
use crate::testing::service::{ORDER, Settings, Subject, place};

/// The id of the request that a line belongs to.
fn id_of(line: &Value) -> Option<&str> {
    line["request_id"].as_str()
}

pub fn each_line_has_the_id_of_its_own_request<S: Subject>() {
    const COUNT: usize = 200;
    let database = Database::fresh();
    // Two hundred take turns on few connections, on a busy machine.
    let settings = Settings::of(&database)
        .with_experiments()
        .set("DB_ACQUIRE_TIMEOUT_MS", 9000);
    let process = Process::start(S::BINARY, &settings);
    process.wait_for_line("ready: ");
    database.execute("ALTER TABLE idempotency_keys RENAME TO broken");
    let addr = process.addr();
    at_once(COUNT, |n| {
        let id = format!("r-{n}");
        let request = match n % 5 {
            0 => Request::get(format!("/orders/{}", n + 1)),
            4 => place(1, &format!("key-{n}"), ORDER),
            1 => Request::post("/fail?kind=error"),
            2 => Request::post("/fail?kind=panic"),
            _ => Request::post("/fail?kind=background"),
        };
        send(addr, &request.header("X-Request-Id", id));
    });
    process.terminate();
    assert!(process.wait_for_exit().success());
    let mut lines: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in process.log() {
        if let Some(id) = id_of(&line) {
            lines.entry(id.to_owned()).or_default().push(line);
        }
    }
    for n in 0..COUNT {
        let lines = lines.remove(&format!("r-{n}")).unwrap_or_default();
        let access: Vec<_> = lines
            .iter()
            .filter(|line| message(line) == "answered")
            .collect();
        assert_eq!(access.len(), 1, "r-{n}: {lines:#?}");
        let (path, cause) = match n % 5 {
            0 => (format!("/orders/{}", n + 1), None),
            4 => ("/markets/1/orders".to_owned(), Some("does not exist")),
            1 => ("/fail".to_owned(), Some("asked to fail")),
            2 => ("/fail".to_owned(), Some("panic: asked to panic")),
            _ => ("/fail".to_owned(), Some("asked to fail in the background")),
        };
        assert_eq!(access[0]["path"], path, "r-{n}: {lines:#?}");
        if let Some(cause) = cause {
            let told = lines
                .iter()
                .filter(|line| message(line).contains(cause))
                .count();
            assert_eq!(told, 1, "r-{n}: {lines:#?}");
        }
    }
    // What is left is of no test's request.
    assert!(!lines.keys().any(|id| id.starts_with("r-")), "{lines:#?}");
}

pub fn a_log_that_nobody_reads_holds_nobody_up<S: Subject>() {
    let database = Database::fresh();
    let settings = Settings::of(&database);
    let process = Process::read_until("listening", S::BINARY, &settings);
    let mut connection = Connection::open(process.addr());
    // Some times what fits into a pipe.
    for _ in 0..3000 {
        let started = Instant::now();
        connection.get("/ping").expect(200);
        assert!(started.elapsed() < Duration::from_secs(1));
    }
    process.terminate();
    assert!(process.wait_for_exit().success());
}

pub fn the_cause_of_a_failure_is_in_the_log_and_no_secret<S: Subject>() {
    let database = Database::fresh();
    let settings = Settings::of(&database);
    let process = Process::start(S::BINARY, &settings);
    process.wait_for_line("ready: ");
    database.execute("ALTER TABLE orders RENAME TO broken");
    let request = Request::get("/orders/1?token=S-1")
        .header("X-Request-Id", "r-cause")
        .header("Authorization", "Bearer S-2")
        .header("Cookie", "session=S-3")
        .body("S-4");
    send(process.addr(), &request).expect(500);
    process.terminate();
    assert!(process.wait_for_exit().success());
    let log = process.log();
    let causes: Vec<_> = log
        .iter()
        .filter(|line| line["level"] == "ERROR" && id_of(line) == Some("r-cause"))
        .collect();
    assert_eq!(causes.len(), 1, "told once: {log:#?}");
    assert!(message(causes[0]).contains("does not exist"), "{causes:#?}");
    for line in &log {
        assert!(!line.to_string().contains("S-"), "{line}");
    }
}
