//! Several programs of a service on one port, by `REUSE_PORT`.

use std::collections::VecDeque;
use std::io::{self, Error, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread;

use crate::server::Stopped;
use crate::testing::database::Database;
use crate::testing::http::{Connection, Request, get};
use crate::testing::process::{Process, message};
use crate::testing::service::{App, Settings, Subject};
use crate::testing::wait::{PATIENCE, Watched, wait_for};

/// A free port.
const ANY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A program that is ready and shares its port. By the size of its pool its
/// figures are told from those of the others.
fn start<S: Subject>(database: &Database, listen: SocketAddr, pool: usize) -> Process {
    let settings = Settings::of(database)
        .set("LISTEN", listen)
        .set("REUSE_PORT", "on")
        .set("DB_POOL", pool)
        .set("RUST_LOG", "info,access=warn");
    let process = Process::start(S::BINARY, &settings);
    process.wait_for_line("ready: ");
    process
}

/// A connection to the program with this pool: the kernel gives it one sooner or
/// later.
fn met(addr: SocketAddr, pool: usize) -> Connection {
    wait_for("the program is met", || {
        let mut connection = Connection::open(addr);
        let page = connection.get("/metrics").expect(200);
        (page.figure::<usize>("db_pool_connections_max") == pool).then_some(connection)
    })
}

pub fn programs_on_one_port_all_get_connections<S: Subject>() {
    const FRESH: u64 = 200;
    let database = Database::fresh();
    let first = start::<S>(&database, ANY, 2);
    let addr = first.addr();
    let _others = [3, 4].map(|pool| start::<S>(&database, addr, pool));
    let mut askers = [2, 3, 4].map(|pool| met(addr, pool));
    let mut accepted = || {
        askers.each_mut().map(|asker| -> u64 {
            let page = asker.get("/metrics").expect(200);
            page.figure("http_connections_accepted_total")
        })
    };
    let before = accepted();
    for id in 1..=FRESH {
        get(addr, &format!("/orders/{id}")).expect(200);
    }
    let after = accepted();
    let shares: Vec<_> = after.iter().zip(before).map(|(a, b)| a - b).collect();
    assert_eq!(shares.iter().sum::<u64>(), FRESH, "{shares:?}");
    assert!(shares.iter().all(|share| *share > 0), "{shares:?}");
}

/// Clients that make a connection for each request.
struct Clients {
    state: Arc<Watched<State>>,
    threads: Vec<thread::JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    stopped: bool,
    answered: usize,
    failed: Vec<Error>,
}

impl Clients {
    fn start(addr: SocketAddr, count: usize) -> Self {
        let state = Arc::new(Watched::<State>::default());
        let client = |_| {
            let state = state.clone();
            thread::spawn(move || {
                while !state.lock().stopped {
                    let asked = ask(addr);
                    let failed = asked.is_err();
                    state.change(|state| match asked {
                        Ok(()) => state.answered += 1,
                        Err(error) => state.failed.push(error),
                    });
                    if failed {
                        return;
                    }
                }
            })
        };
        let threads = (0..count).map(client).collect();
        Self { state, threads }
    }

    /// Waits until so many more were answered, or one was not.
    fn wait_for_answered(&self, more: usize) {
        let before = self.state.lock().answered;
        let enough = |state: &State| {
            (state.answered >= before + more || !state.failed.is_empty()).then_some(())
        };
        let waited = self.state.wait(PATIENCE, enough);
        let state = self.state.lock();
        assert!(waited.is_some(), "{} answers", state.answered);
        assert!(state.failed.is_empty(), "{:?}", state.failed);
    }

    fn stop(self) {
        self.state.change(|state| state.stopped = true);
        for thread in self.threads {
            thread.join().expect("a client does not panic");
        }
        let state = self.state.lock();
        assert!(state.failed.is_empty(), "{:?}", state.failed);
    }
}

/// One request, on a connection that somebody has to take.
fn ask(addr: SocketAddr) -> io::Result<()> {
    let mut connection = Connection::try_open(addr)?;
    connection.try_send(Request::get("/ping").bytes())?;
    let answer = connection.receive()?;
    if answer.status == 200 {
        Ok(())
    } else {
        Err(Error::other(format!("{answer:?}")))
    }
}

/// One leaves and another comes, again and again. The others take whoever it
/// cannot take any more, so nobody at all may be cut, reset or refused.
fn leave_under_load<S: Subject>(rounds: usize) {
    let database = Database::fresh();
    let first = start::<S>(&database, ANY, 2);
    let addr = first.addr();
    let mut running = VecDeque::from([first]);
    running.extend([3, 4].map(|pool| start::<S>(&database, addr, pool)));
    let clients = Clients::start(addr, 16);
    for _ in 0..rounds {
        clients.wait_for_answered(300);
        let leaving = running.pop_front().expect("there are three");
        leaving.terminate();
        assert_eq!(leaving.wait_for_exit().code(), Some(0));
        let log = leaving.log();
        let last = log.last().map(message).unwrap_or_default();
        assert!(last.contains("finished"), "{last}");
        running.push_back(start::<S>(&database, addr, 2));
    }
    clients.wait_for_answered(300);
    clients.stop();
}

pub fn programs_that_leave_a_shared_port_under_load_cut_nobody<S: Subject>() {
    leave_under_load::<S>(3);
}

pub fn long_programs_that_leave_a_shared_port_under_load_cut_nobody<S: Subject>() {
    leave_under_load::<S>(30);
}

pub fn a_port_is_shared_only_by_those_that_say_so<S: Subject>() {
    for (first, second) in [("on", "off"), ("off", "on")] {
        let app = App::<S>::with(|settings| settings.set("REUSE_PORT", first));
        let settings = Settings::of(app.database())
            .set("LISTEN", app.addr())
            .set("REUSE_PORT", second);
        let Err(error) = S::start(settings.config(S::SERVICE)) else {
            panic!("it listens on a port that is not shared");
        };
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
        let told = error.to_string();
        assert!(told.contains(&app.addr().to_string()), "{told}");
        app.ping().expect(200);
    }
}

pub fn a_free_port_is_free_also_where_it_may_be_shared<S: Subject>() {
    let app = App::<S>::with(|settings| settings.set("REUSE_PORT", "on"));
    let settings = Settings::of(app.database()).set("REUSE_PORT", "on");
    let other = S::start(settings.config(S::SERVICE)).expect("there is a free port");
    assert_ne!(other.addr(), app.addr());
    get(other.addr(), "/ping").expect(200);
    assert_eq!(other.stop(), Stopped::Drained);
}
