//! Runs the cases of a table against a service.

use std::fmt::Write as _;

use super::expected;
use super::transcript::{Names, transcript};
use super::{Case, KEY_IN_USE, Step, Table, World};
use crate::testing::contract::Contract;
use crate::testing::database::Database;
use crate::testing::http::{Connection, Request, Response, get};
use crate::testing::relay::Relay;
use crate::testing::service::{App, Settings, Subject};
use crate::testing::wait::wait_until;

/// Runs a table against a service.
///
/// # Panics
/// If an answer is not the expected one; says all that differ.
pub fn run<S: Subject>(table: &Table) {
    let (app, _relay) = prepare::<S>(table.world);
    let contract = Contract::new(get(app.addr(), "/openapi.json").expect(200).json());
    let mut faults = String::new();
    let mut transcripts = Vec::new();
    for case in &table.cases {
        let mut one = Run {
            app: &app,
            contract: &contract,
            names: Names::default(),
            connection: None,
            faults: Vec::new(),
        };
        let text = one.case(case);
        for fault in one.faults {
            let _ = writeln!(faults, "{}\n  {fault}\n{text}", case.name);
        }
        transcripts.push(text);
    }
    if let Err(difference) = expected::compare(S::SERVICE, table.name, &transcripts) {
        faults += &difference;
    }
    assert!(faults.is_empty(), "{}:\n{faults}", S::SERVICE.name());
}

/// A service in its world, and the wire to its database.
fn prepare<S: Subject>(world: World) -> (App<S>, Option<Relay>) {
    match world {
        World::Seeded => (App::start(), None),
        World::Experiments => (App::with(Settings::with_experiments), None),
        World::NoSchema => {
            let database = Database::empty();
            let settings = Settings::of(&database);
            (App::on(database, &settings), None)
        }
        World::OldSchema => {
            let app = App::<S>::start();
            app.database()
                .execute("DELETE FROM _sqlx_migrations WHERE version = 3");
            (app, None)
        }
        World::EditedSchema => {
            let app = App::<S>::start();
            app.database().execute(
                "UPDATE _sqlx_migrations SET checksum = sha384(checksum) WHERE version = 2",
            );
            (app, None)
        }
        World::Impatient => {
            let app = App::with(|settings| settings.set("REQUEST_TIMEOUT_MS", 500));
            (app, None)
        }
        World::KeyInUse => {
            let app = App::<S>::start();
            app.database().execute(&format!(
                "ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_order_id_fkey;
                 INSERT INTO idempotency_keys (key, request_hash, order_id)
                 VALUES ('{KEY_IN_USE}', sha256('in use'), 999999999)"
            ));
            (app, None)
        }
        World::DatabaseGone => {
            let database = Database::fresh();
            let relay = Relay::to(&database);
            let settings = Settings::of(&database)
                .set("DATABASE_URL", database.url_over(relay.addr()))
                .set("DB_ACQUIRE_TIMEOUT_MS", 200);
            let app = App::<S>::on(database, &settings);
            wait_until("the service is ready", || app.ready().status == 200);
            relay.cut();
            (app, Some(relay))
        }
    }
}

/// One case being run.
struct Run<'a, S: Subject> {
    app: &'a App<S>,
    contract: &'a Contract,
    names: Names,
    connection: Option<Connection>,
    faults: Vec<String>,
}

impl<S: Subject> Run<'_, S> {
    fn case(&mut self, case: &Case) -> String {
        let mut text = format!("=== {}\n    {}\n", case.name, case.why);
        for step in &case.steps {
            let request = self.names.fill(&step.request);
            let mut connection = self
                .connection
                .take()
                .unwrap_or_else(|| Connection::open(self.app.addr()));
            let response = connection.ask(&request);
            self.names.learn(&response);
            self.check(step, &request, &response);
            if request.is_head() {
                self.check_like_get(&request, &response);
            }
            text += &transcript(&step.request, &response, &self.names);
            if response.closes() {
                connection.wait_for_close();
            } else {
                self.connection = Some(connection);
            }
        }
        // A body that was left on the wire would be taken for this request.
        if let Some(mut connection) = self.connection.take() {
            let ping = connection.get("/ping");
            self.fault_unless(ping.status == 200 && ping.body == b"pong", || {
                format!("the connection was said to stay open, and then: {ping:?}")
            });
        }
        text
    }

    fn fault_unless(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(fault());
        }
    }

    /// What is true of every answer.
    fn check(&mut self, step: &Step, request: &Request, response: &Response) {
        self.fault_unless(response.status == step.status, || {
            format!("{} was expected, and not {}", step.status, response.status)
        });
        self.fault_unless(response.header("date").is_some(), || "no Date".to_owned());
        if step.by_engine {
            self.fault_unless(response.body.is_empty(), || {
                "a body of the engine".to_owned()
            });
            return;
        }
        let id = response.header("x-request-id").unwrap_or_default();
        self.fault_unless(!id.is_empty(), || "no X-Request-Id".to_owned());
        if response.status >= 400 && !request.is_head() {
            let problem = response.try_json().unwrap_or_default();
            self.fault_unless(problem["request_id"] == id, || {
                "another request_id".to_owned()
            });
            self.fault_unless(problem["status"] == response.status, || {
                "another status in the body".to_owned()
            });
        }
        if response.status >= 400 {
            let kind = response.header("content-type");
            self.fault_unless(kind == Some("application/problem+json"), || {
                format!("a problem of type {kind:?}")
            });
        }
        for (status, header) in [(201, "location"), (405, "allow"), (503, "retry-after")] {
            let missing = response.status == status && response.header(header).is_none();
            self.fault_unless(!missing, || format!("no {header}"));
        }
        if let Err(fault) = self.contract.check(request, response) {
            self.faults.push(fault);
        }
    }

    /// `HEAD` answers as `GET`, without the body.
    fn check_like_get(&mut self, request: &Request, head: &Response) {
        let get = self.app.send(&request.clone().method_is("GET"));
        // The figures differ from one moment to the next.
        let varies = request.target() == b"/metrics";
        let told = |response: &Response| {
            let mut headers = response.headers.clone();
            headers.retain(|(name, _)| match name.as_str() {
                "date" | "x-request-id" => false,
                "content-length" => !varies,
                _ => true,
            });
            headers.sort();
            (response.status, headers)
        };
        let (head, get) = (told(head), told(&get));
        self.fault_unless(head == get, || {
            format!("HEAD says {head:?}, GET says {get:?}")
        });
    }
}
