//! The error tracker: exactly the right events, with the right request on each,
//! and in nobody's way.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::at_once;
use crate::config::Service;
use crate::testing::catcher::{Catcher, Mode};
use crate::testing::http::{Connection, Request};
use crate::testing::service::{App, ORDER, Settings, Subject, place};
use crate::testing::wait::wait_until;

/// An answer that takes longer has waited for the tracker, whose every delay
/// here is longer still.
const PROMPT: Duration = Duration::from_millis(1500);

/// A service that reports to a catcher, the routes for experiments switched on.
fn reporting<S: Subject>() -> (Catcher, App<S>) {
    let catcher = Catcher::start();
    let app = App::with(|settings| settings.with_experiments().reporting_to(&catcher));
    (catcher, app)
}

/// Waits for the event, stops the service, which sends all there is, and gives
/// the event if it is the only one.
fn only_event<S: Subject>(catcher: &Catcher, mut app: App<S>) -> Value {
    catcher.wait_for(1);
    app.stop();
    catcher.wait_for(1).remove(0)
}

fn fail(kind: &str, query: &str, id: &str) -> Request {
    Request::post(format!("/fail?kind={kind}{query}")).header("X-Request-Id", id)
}

/// Checks that an event carries this request and this service.
fn assert_carries<S: Subject>(event: &Value, id: &str, transaction: &str) {
    assert_eq!(event["tags"]["request_id"], id, "{event:#}");
    assert_eq!(event["tags"]["service"], S::SERVICE.name(), "{event:#}");
    assert_eq!(event["transaction"], transaction, "{event:#}");
    let method = transaction.split(' ').next();
    assert_eq!(event["request"]["method"].as_str(), method, "{event:#}");
    assert_eq!(event["request"]["headers"]["x-request-id"], id, "{event:#}");
}

/// The last exception of an event, which is the one that happened.
fn exception(event: &Value) -> &Value {
    event["exception"]["values"]
        .as_array()
        .and_then(|values| values.last())
        .unwrap_or_else(|| panic!("no exception: {event:#}"))
}

/// Checks that an event says where it happened, down to our own code.
fn assert_has_stack(event: &Value) {
    let frames = exception(event)["stacktrace"]["frames"].as_array();
    let ours = |frame: &Value| frame["in_app"] == true && frame["lineno"].is_u64();
    assert!(
        frames.is_some_and(|frames| frames.iter().any(ours)),
        "no frame of ours: {event:#}"
    );
}

pub fn an_error_is_one_event<S: Subject>() {
    let (catcher, app) = reporting::<S>();
    app.send(&fail("error", "&n=7", "r-error")).expect(500);
    let event = only_event(&catcher, app);
    assert_carries::<S>(&event, "r-error", "POST /fail");
    assert_eq!(event["request"]["query_string"], "kind=error&n=7");
    let url = event["request"]["url"].as_str().unwrap_or_default();
    assert!(url.ends_with("exchange.test/fail"), "{event:#}");
    assert_eq!(exception(&event)["value"], "asked to fail", "{event:#}");
    assert_has_stack(&event);
}

pub fn a_panic_is_one_event<S: Subject>() {
    let (catcher, app) = reporting::<S>();
    app.send(&fail("panic", "", "r-panic")).expect(500);
    let event = only_event(&catcher, app);
    assert_carries::<S>(&event, "r-panic", "POST /fail");
    assert_eq!(exception(&event)["value"], "asked to panic", "{event:#}");
    assert_has_stack(&event);
}

pub fn a_failed_background_job_is_one_event<S: Subject>() {
    let (catcher, app) = reporting::<S>();
    app.send(&fail("background", "", "r-job")).expect(202);
    let event = only_event(&catcher, app);
    assert_carries::<S>(&event, "r-job", "POST /fail");
    assert_eq!(
        exception(&event)["value"],
        "asked to fail in the background",
        "{event:#}"
    );
    assert_has_stack(&event);
}

pub fn mistakes_of_clients_and_overload_are_no_events<S: Subject>() {
    let catcher = Catcher::start();
    let mut app = App::<S>::with(|settings| {
        settings
            .with_experiments()
            .reporting_to(&catcher)
            .set("REQUEST_TIMEOUT_MS", 200)
            .set("DB_STATEMENT_TIMEOUT_MS", 100)
    });
    for (request, status) in [
        (Request::get("/orders/x"), 400),
        (Request::get("/orders/999999999"), 404),
        (Request::get("/nope"), 404),
        (Request::new("PUT", "/ping"), 405),
        (place(1, "k", "").body(vec![b' '; 70_000]), 413),
        (place(1, "k", ORDER).without("Content-Type"), 415),
        (place(1, "k", "{}"), 422),
        (place(1, "k", ORDER).body("{"), 400),
        (Request::get("/sleep?ms=5000"), 503),
    ] {
        app.send(&request).expect(status);
    }
    let mut session = app.database().connect();
    let mut transaction = session.transaction().expect("a transaction can be opened");
    transaction
        .batch_execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        .expect("nobody holds the table");
    app.order(1).expect(503);
    drop(transaction);
    app.database().execute("DROP TABLE _sqlx_migrations");
    app.ready().expect(503);
    app.stop();
    assert_eq!(catcher.posted(), 0, "{:#?}", catcher.events());
}

/// All at once, in every way in which a request can fail.
fn failures_carry_their_own_requests<S: Subject>(
    count: usize,
    change: impl FnOnce(Settings) -> Settings,
) {
    let catcher = Catcher::start();
    let mut app = App::<S>::with(|settings| {
        change(settings)
            .with_experiments()
            .reporting_to(&catcher)
            // They take turns on few connections, on a busy machine.
            .set("DB_ACQUIRE_TIMEOUT_MS", 9000)
    });
    app.database()
        .execute("ALTER TABLE orders RENAME TO broken");
    let request = |n: usize| {
        let target = match n % 4 {
            0 => "POST /fail?kind=error&",
            1 => "POST /fail?kind=panic&",
            2 => "POST /fail?kind=background&",
            _ => "GET /orders/7?",
        };
        let (method, target) = target.split_once(' ').expect("there is one");
        (method, format!("{target}n={n}"))
    };
    at_once(count, |n| {
        let (method, target) = request(n);
        let id = format!("r-{n}");
        let answer = app.send(&Request::new(method, target).header("X-Request-Id", &id));
        let status = if n % 4 == 2 { 202 } else { 500 };
        assert_eq!(answer.expect(status).request_id(), id);
    });
    catcher.wait_for(count);
    app.stop();
    let events: BTreeMap<_, _> = catcher
        .wait_for(count)
        .into_iter()
        .map(|event| (event["tags"]["request_id"].to_string(), event))
        .collect();
    for n in 0..count {
        let id = format!("r-{n}");
        let event = events
            .get(&format!("{id:?}"))
            .unwrap_or_else(|| panic!("no event of {id}: {:?}", events.keys()));
        let transaction = if n % 4 == 3 {
            "GET /orders/{id}"
        } else {
            "POST /fail"
        };
        assert_carries::<S>(event, &id, transaction);
        let (_, target) = request(n);
        let (_, query) = target.split_once('?').expect("there is one");
        assert_eq!(event["request"]["query_string"], query, "{event:#}");
    }
}

pub fn each_of_a_hundred_failures_carries_its_own_request<S: Subject>() {
    failures_carry_their_own_requests::<S>(100, |settings| settings);
}

pub fn on_one_worker_each_failure_carries_its_own_request<S: Subject>() {
    failures_carry_their_own_requests::<S>(40, |settings| settings.set("WORKERS", 1));
}

/// Without optimization, the stack of each takes some hundredths of a second.
pub fn long_each_of_three_hundred_failures_carries_its_own_request<S: Subject>() {
    failures_carry_their_own_requests::<S>(300, |settings| settings);
    failures_carry_their_own_requests::<S>(300, |settings| settings.set("WORKERS", 1));
}

pub fn the_transaction_is_named_by_the_route<S: Subject>() {
    let (catcher, mut app) = reporting::<S>();
    app.database()
        .execute("ALTER TABLE orders RENAME TO broken");
    for id in 101..121 {
        app.book(id).expect(500);
    }
    catcher.wait_for(20);
    app.stop();
    for event in catcher.wait_for(20) {
        assert_eq!(event["transaction"], "GET /markets/{id}/book", "{event:#}");
    }
}

pub fn a_broken_table_is_told_to_the_tracker_and_not_to_the_client<S: Subject>() {
    let (catcher, app) = reporting::<S>();
    // One that was in use, so that its statements are prepared.
    app.order(1).expect(200);
    app.database()
        .execute("ALTER TABLE orders RENAME TO broken");
    let request = Request::get("/orders/1").header("X-Request-Id", "r-gone");
    let answer = app.send(&request).expect(500);
    let shown = answer.text().to_ascii_lowercase();
    for inside in [
        "relation", "select", "postgres", "sql", "table", ".rs", "broken",
    ] {
        assert!(!shown.contains(inside), "{inside} is shown: {shown}");
    }
    let event = only_event(&catcher, app);
    assert_carries::<S>(&event, "r-gone", "GET /orders/{id}");
    assert_has_stack(&event);
    let told = event["exception"].to_string();
    assert!(
        told.contains("relation") && told.contains("does not exist"),
        "{event:#}"
    );
}

pub fn a_write_that_fails_when_its_client_has_left_is_one_event<S: Subject>() {
    let (catcher, app) = reporting::<S>();
    let mut lock = app.database().lock("orders");
    let mut client = Connection::open(app.addr());
    let request = Request::new("DELETE", "/orders/1").header("X-Request-Id", "r-left");
    client.send(request.bytes());
    wait_until("the statement waits for the lock", || {
        app.database().waiting_for_locks() == 1
    });
    client.reset();
    if S::SERVICE == Service::After {
        // A thread does not notice.
        wait_until("the handler is gone", || {
            app.metric("http_requests_abandoned_total") >= 1.0
        });
    }
    lock.batch_execute("ALTER TABLE orders RENAME TO broken; COMMIT")
        .expect("the lock's own session may do that");
    let event = only_event(&catcher, app);
    assert_carries::<S>(&event, "r-left", "DELETE /orders/{id}");
}

pub fn no_secret_reaches_the_tracker<S: Subject>() {
    let (catcher, mut app) = reporting::<S>();
    let secrets = |request: Request| {
        request
            .header("Authorization", "Bearer S-1")
            .header("Cookie", "session=S-2")
            .header("Proxy-Authorization", "Basic S-3")
            .header("X-Api-Key", "S-4")
            .header("X-Auth-Token", "S-5")
            .header("X-Forwarded-For", "S-6")
            .header("Referer", "http://exchange.test/?token=S-7")
            .header("Content-Type", "text/plain")
            .body("the body is S-8")
    };
    for kind in ["error", "panic", "background"] {
        app.send(&secrets(fail(kind, "", "r-secret")));
    }
    app.database()
        .execute("ALTER TABLE orders RENAME TO broken");
    app.send(&secrets(Request::get("/orders/1"))).expect(500);
    app.send(&place(1, "S-9-key", ORDER)).expect(500);
    catcher.wait_for(5);
    app.stop();
    let raw = catcher.raw_bytes();
    let text = String::from_utf8_lossy(&raw);
    for event in catcher.wait_for(5) {
        assert!(event["request"]["data"].is_null() && event["request"]["cookies"].is_null());
        assert!(event["user"].is_null(), "{event:#}");
    }
    let found = text.find("S-").map(|at| &text[at.saturating_sub(100)..]);
    assert_eq!(found, None);
}

/// What fails is answered at once, whatever the tracker does.
fn failures_are_answered_promptly<S: Subject>(app: &App<S>) {
    let kinds = ["error", "panic", "background"];
    // The first stack of a process takes long, since its symbols are read.
    for kind in kinds {
        app.fail(kind);
    }
    for n in 0..30 {
        let kind = kinds[n % 3];
        let started = Instant::now();
        app.fail(kind);
        let took = started.elapsed();
        assert!(took < PROMPT, "{kind} took {took:?}");
    }
}

fn slows_nobody<S: Subject>(mode: Mode) {
    let (catcher, mut app) = reporting::<S>();
    catcher.set(mode);
    failures_are_answered_promptly(&app);
    catcher.wait_for_posts(1);
    // Two seconds to send what waits, and some more for a busy machine.
    let started = Instant::now();
    app.stop();
    let took = started.elapsed();
    assert!(took < Duration::from_millis(3500), "the stop took {took:?}");
}

pub fn a_slow_tracker_slows_nobody<S: Subject>() {
    slows_nobody::<S>(Mode::Delay(Duration::from_secs(3)));
}

pub fn a_hanging_tracker_slows_nobody<S: Subject>() {
    slows_nobody::<S>(Mode::Hang);
}

pub fn a_refusing_tracker_slows_nobody<S: Subject>() {
    slows_nobody::<S>(Mode::Refuse(60));
}

pub fn a_dead_tracker_slows_nobody<S: Subject>() {
    let (catcher, app) = reporting::<S>();
    drop(catcher);
    failures_are_answered_promptly(&app);
}

pub fn what_failed_before_a_stop_is_still_sent<S: Subject>() {
    let (catcher, mut app) = reporting::<S>();
    catcher.set(Mode::Delay(Duration::from_millis(150)));
    for n in 0..5 {
        app.send(&fail("error", "", &format!("r-{n}"))).expect(500);
    }
    app.stop();
    assert_eq!(catcher.events().len(), 5);
}

pub fn a_panic_leaves_the_connection_open<S: Subject>() {
    let (_catcher, app) = reporting::<S>();
    let mut connection = Connection::open(app.addr());
    for _ in 0..3 {
        let problem = connection.ask(&fail("panic", "", "r-1")).expect(500);
        assert_eq!(
            problem.header("content-type"),
            Some("application/problem+json")
        );
        connection.get("/ping").expect(200);
    }
}

pub fn a_panic_among_pipelined_requests_is_answered_in_order<S: Subject>() {
    let (catcher, app) = reporting::<S>();
    let mut connection = Connection::open(app.addr());
    let requests = [
        Request::get("/ping"),
        fail("panic", "", "r-1"),
        Request::get("/ping"),
        fail("error", "", "r-2"),
        Request::get("/ping"),
    ];
    connection.send(requests.map(|request| request.bytes()).concat());
    for status in [200, 500, 200, 500, 200] {
        let answer = connection.receive().expect("all are answered");
        assert_eq!(answer.status, status);
    }
    wait_until("both events are there", || catcher.events().len() == 2);
}
