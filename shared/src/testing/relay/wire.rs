//! One connection through the relay: two sockets, and what is on its way
//! between them.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::State;
use crate::testing::wait::Watched;

/// The two ends of a connection.
pub(super) struct Wire {
    client: TcpStream,
    /// None if nobody was ever called on the other side.
    server: Option<TcpStream>,
    /// Whatever comes is taken and lost, and no end is passed on.
    mute: AtomicBool,
}

impl Wire {
    /// A wire to a server.
    pub(super) fn to(client: TcpStream, server: SocketAddr) -> io::Result<Self> {
        let server = TcpStream::connect(server)?;
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
        }
        Ok(Self {
            client,
            server: Some(server),
            mute: AtomicBool::new(false),
        })
    }

    /// A wire to nowhere.
    pub(super) fn to_nowhere(client: TcpStream) -> Self {
        Self {
            client,
            server: None,
            mute: AtomicBool::new(true),
        }
    }

    /// Passes nothing on any more, what is on its way included.
    pub(super) fn mute(&self) {
        self.mute.store(true, Ordering::SeqCst);
    }

    fn is_mute(&self) -> bool {
        self.mute.load(Ordering::SeqCst)
    }

    /// Ends both connections.
    pub(super) fn end(&self) {
        for stream in [Some(&self.client), self.server.as_ref()]
            .into_iter()
            .flatten()
        {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Passes bytes on in both directions, on threads of their own.
    pub(super) fn run(self: Arc<Self>, state: &Arc<Watched<State>>) {
        pass_on(&self, state, |wire| {
            (Some(&wire.client), wire.server.as_ref())
        });
        pass_on(&self, state, |wire| {
            (wire.server.as_ref(), Some(&wire.client))
        });
    }
}

/// Where bytes come from and where they go.
type Direction = fn(&Wire) -> (Option<&TcpStream>, Option<&TcpStream>);

/// Some bytes and when they arrive.
type Piece = (Instant, Vec<u8>);

/// One thread reads at once whatever comes, so that the sender is not held up;
/// another one writes it when its time has come.
fn pass_on(wire: &Arc<Wire>, state: &Arc<Watched<State>>, direction: Direction) {
    let (on_its_way, arrived) = mpsc::channel::<Piece>();
    thread::spawn({
        let (wire, state) = (wire.clone(), state.clone());
        move || {
            let Some(mut from) = direction(&wire).0 else {
                return;
            };
            let mut piece = [0; 16 * 1024];
            // An error is an end as well; nobody could pass a reset on.
            while let Ok(length @ 1..) = from.read(&mut piece) {
                let due = Instant::now() + state.lock().delay;
                if on_its_way.send((due, piece[..length].to_vec())).is_err() {
                    break;
                }
            }
        }
    });
    let wire = wire.clone();
    thread::spawn(move || deliver(&wire, &arrived, direction));
}

fn deliver(wire: &Wire, arrived: &Receiver<Piece>, direction: Direction) {
    let (from, to) = direction(wire);
    for (due, piece) in arrived {
        let left = due.saturating_duration_since(Instant::now());
        if left > Duration::ZERO {
            // Not waiting for anything: this is the length of the wire.
            thread::sleep(left);
        }
        if wire.is_mute() {
            continue;
        }
        if to.is_none_or(|mut to| to.write_all(&piece).is_err()) {
            // The sender learns of it by its next bytes.
            let _ = from.map(|from| from.shutdown(Shutdown::Both));
            break;
        }
    }
    if !wire.is_mute() {
        let _ = to.map(|to| to.shutdown(Shutdown::Write));
    }
}
