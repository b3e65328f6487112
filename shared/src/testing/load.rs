//! Clients that go on placing orders while something happens to the service or
//! to its database, and remember what they were told.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::database::Database;
use super::http::Connection;
use super::service::{ORDER, place};
use super::wait::{PATIENCE, Watched};

/// How long a client waits before it tries again to connect.
const KNOCKING: Duration = Duration::from_millis(10);

/// How long a client waits after a 503: what `Retry-After` says.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The stack of a client, of which there are many.
const STACK: usize = 256 * 1024;

/// What became of one order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 201: the order has this id.
    Placed(i64),
    /// Another answer.
    Refused(u16),
    /// The connection ended without a whole answer.
    Unanswered,
}

/// What clients were told, by the key of the order, which was also the id of
/// the request.
pub type Outcomes = BTreeMap<String, Outcome>;

#[derive(Default)]
struct State {
    stopped: bool,
    placed: usize,
    outcomes: Outcomes,
}

/// The clients; each sends one order after the other.
pub struct Load {
    state: Arc<Watched<State>>,
    clients: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts so many clients. Their keys begin with a name of their own.
    ///
    /// # Panics
    /// If the system has no threads to give.
    pub fn start(name: &str, addr: SocketAddr, clients: usize) -> Self {
        let state = Arc::new(Watched::<State>::default());
        let clients = (0..clients)
            .map(|client| {
                let (state, name) = (state.clone(), format!("{name}-{client}"));
                thread::Builder::new()
                    .stack_size(STACK)
                    .spawn(move || run(&name, addr, &state))
                    .expect("the system has threads to give")
            })
            .collect();
        Self { state, clients }
    }

    /// Waits until so many more orders were acknowledged.
    ///
    /// # Panics
    /// If they are not.
    pub fn wait_for_placed(&self, more: usize) {
        let before = self.state.lock().placed;
        let enough = |state: &State| (state.placed >= before + more).then_some(());
        self.state.wait(PATIENCE, enough).unwrap_or_else(|| {
            let placed = self.state.lock().placed;
            panic!("{placed} orders were placed, and {before} before")
        });
    }

    /// Lets each client finish what it is at.
    ///
    /// # Panics
    /// If a client gets no answer and no end of its connection.
    pub fn stop(self) -> Outcomes {
        self.state.change(|state| state.stopped = true);
        for client in self.clients {
            client.join().expect("a client gets an answer or an end");
        }
        std::mem::take(&mut self.state.lock().outcomes)
    }
}

fn run(name: &str, addr: SocketAddr, state: &Watched<State>) {
    let mut open = None;
    let mut number = 0;
    while !state.lock().stopped {
        let kept = open.is_some();
        let Some(mut connection) = open.take().or_else(|| Connection::try_open(addr).ok()) else {
            pause(state, KNOCKING);
            continue;
        };
        let key = format!("{name}-{number}");
        number += 1;
        let (mut outcome, mut goes_on) = ask(&mut connection, &key);
        // A service may close a connection that is idle, and a request that
        // crosses with that is sent again, once, as HTTP clients do.
        if kept
            && outcome == Outcome::Unanswered
            && let Ok(fresh) = Connection::try_open(addr)
        {
            connection = fresh;
            (outcome, goes_on) = ask(&mut connection, &key);
        }
        open = goes_on.then_some(connection);
        let refused = outcome == Outcome::Refused(503);
        state.change(|state| {
            state.placed += usize::from(matches!(outcome, Outcome::Placed(_)));
            state.outcomes.insert(key, outcome);
        });
        if refused {
            pause(state, RETRY_AFTER);
        }
    }
}

/// Places an order; says also whether the connection can be used again.
fn ask(connection: &mut Connection, key: &str) -> (Outcome, bool) {
    let request = place(1, key, ORDER).header("X-Request-Id", key);
    // Also after an error an answer may be there.
    let _ = connection.try_send(request.bytes());
    match connection.receive() {
        Ok(answer) if answer.status == 201 => {
            let id = answer.json()["id"].as_i64().expect("an order has an id");
            (Outcome::Placed(id), !answer.closes())
        }
        Ok(answer) => (Outcome::Refused(answer.status), !answer.closes()),
        Err(error) if error.kind() == ErrorKind::TimedOut => {
            panic!("{key}: no answer, and no end of the connection")
        }
        Err(_) => (Outcome::Unanswered, false),
    }
}

/// Waits for so long, or until the load is stopped.
fn pause(state: &Watched<State>, time: Duration) {
    state.wait(time, |state| state.stopped.then_some(()));
}

/// Sends all orders again with their keys, as clients do who want to know, and
/// checks that each is there once: also those that were acknowledged before, and
/// with the same id.
///
/// # Panics
/// If not.
pub fn settle(addr: SocketAddr, database: &Database, outcomes: &Outcomes) {
    check_acknowledged(database, outcomes);
    let all: Vec<_> = outcomes.iter().collect();
    thread::scope(|scope| {
        for some in all.chunks(all.len().div_ceil(8).max(1)) {
            scope.spawn(move || {
                let mut open = None;
                for (key, outcome) in some {
                    let mut connection = open.take().unwrap_or_else(|| Connection::open(addr));
                    let (again, goes_on) = ask(&mut connection, key);
                    open = goes_on.then_some(connection);
                    assert!(matches!(again, Outcome::Placed(_)), "{key}: {again:?}");
                    if matches!(outcome, Outcome::Placed(_)) {
                        assert_eq!(again, **outcome, "{key}");
                    }
                }
            });
        }
    });
    let stored = stored(database);
    assert!(
        stored.keys().eq(outcomes.keys()),
        "other keys than were sent"
    );
}

/// Checks that each order that was acknowledged is in the table, under its key.
///
/// # Panics
/// If not.
pub fn check_acknowledged(database: &Database, outcomes: &Outcomes) {
    let stored = stored(database);
    for (key, outcome) in outcomes {
        if let Outcome::Placed(id) = outcome {
            assert_eq!(stored.get(key), Some(id), "{key} was acknowledged");
        }
    }
}

/// The orders that were placed, by their keys. Checks that no order is there
/// without its key, and none twice.
///
/// # Panics
/// If one is.
pub fn stored(database: &Database) -> BTreeMap<String, i64> {
    let mut session = database.connect();
    let rows = session
        .query(
            "SELECT k.key, o.id FROM idempotency_keys k JOIN orders o ON o.id = k.order_id",
            &[],
        )
        .expect("the tables are there");
    let stored: BTreeMap<_, _> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let mut ids: Vec<_> = stored.values().collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), rows.len(), "one order for two keys");
    let placed = usize::try_from(database.placed()).expect("orders only become more");
    assert_eq!(placed, stored.len(), "orders without a key");
    stored
}
