//! A server in the test itself, that counts and misbehaves.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use url::Url;

/// How long a condition may take to come true.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is done with each request.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    /// An answer with this status.
    Answer(u16),
    /// An answer after this time.
    Late(Duration),
    /// The connection is closed instead.
    Close,
    /// Nothing.
    Silence,
}

/// What has come so far.
#[derive(Clone, Default)]
pub(crate) struct Come {
    pub(crate) connections: usize,
    pub(crate) open: usize,
    pub(crate) requests: u64,
    pub(crate) paths: HashSet<String>,
}

pub(crate) struct Stub {
    address: SocketAddr,
    come: Arc<(Mutex<Come>, Condvar)>,
}

impl Stub {
    /// Serves each connection on a thread of its own, until the test ends.
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let come = Arc::<(Mutex<Come>, Condvar)>::default();
        let all = come.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let come = all.clone();
                thread::spawn(move || serve(stream, manner, &come));
            }
        });
        Self { address, come }
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).expect("an address")
    }

    pub(crate) fn come(&self) -> Come {
        self.come.0.lock().expect("no thread panics").clone()
    }

    /// Waits until something is true of what has come.
    pub(crate) fn wait(&self, what: &str, holds: impl Fn(&Come) -> bool) {
        let (come, changed) = &*self.come;
        let come = come.lock().expect("no thread panics");
        let waited = changed
            .wait_timeout_while(come, PATIENCE, |come| !holds(come))
            .expect("no thread panics");
        assert!(!waited.1.timed_out(), "not in time: {what}");
    }
}

fn change(come: &(Mutex<Come>, Condvar), how: impl FnOnce(&mut Come)) {
    how(&mut come.0.lock().expect("no thread panics"));
    come.1.notify_all();
}

fn serve(mut stream: TcpStream, manner: Manner, come: &(Mutex<Come>, Condvar)) {
    // wrk tries an address with a connection of its own, without a request.
    let mut asked = false;
    let mut lines = BufReader::new(stream.try_clone().expect("a handle")).lines();
    while let Some(Ok(line)) = lines.next() {
        if let Some(path) = line.strip_prefix("GET ") {
            let path = path.trim_end_matches(" HTTP/1.1").to_owned();
            change(come, |come| {
                if !asked {
                    come.connections += 1;
                    come.open += 1;
                }
                come.requests += 1;
                come.paths.insert(path);
            });
            asked = true;
        }
        if !line.is_empty() {
            continue;
        }
        let status = match manner {
            Manner::Answer(status) => status,
            Manner::Late(delay) => {
                thread::sleep(delay); // it is what is tested
                200
            }
            Manner::Close => break,
            Manner::Silence => continue,
        };
        let answer = format!("HTTP/1.1 {status} \r\nContent-Length: 0\r\n\r\n");
        if stream.write_all(answer.as_bytes()).is_err() {
            break;
        }
    }
    if asked {
        change(come, |come| come.open -= 1);
    }
}
