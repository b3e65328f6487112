//! A wire between a service and its database that can be cut and mended.

use std::io::{self, copy};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::thread;

use socket2::{Domain, Socket, Type};
use url::Url;

use super::database::Database;
use super::wait::{PATIENCE, Watched};

/// A TCP relay to the server of a database. While it is cut, its port refuses
/// connections as a port does on which nobody listens.
pub struct Relay {
    addr: SocketAddr,
    target: SocketAddr,
    /// Bound and never listening: keeps the port ours while nobody listens.
    _reserved: Socket,
    state: Arc<Watched<State>>,
}

#[derive(Default)]
struct State {
    /// What is open; none while the wire is cut.
    open: Option<Open>,
    /// How many connections were accepted so far.
    accepted: usize,
}

struct Open {
    listener: Socket,
    streams: Vec<TcpStream>,
}

impl Relay {
    /// A wire that is cut from the beginning.
    ///
    /// # Panics
    /// If the server of the database cannot be found.
    pub fn cut_to(database: &Database) -> Self {
        let url: Url = database.url().parse().expect("it was made from a URL");
        let host = url.host_str().expect("the tests reach Postgres over TCP");
        let target = (host, url.port().unwrap_or(5432))
            .to_socket_addrs()
            .ok()
            .and_then(|mut found| found.next())
            .unwrap_or_else(|| panic!("no address for {host}"));
        let reserved = bound(0).expect("there is a free port");
        let addr = reserved
            .local_addr()
            .ok()
            .and_then(|addr| addr.as_socket())
            .expect("a bound socket has an address");
        Self {
            addr,
            target,
            _reserved: reserved,
            state: Arc::new(Watched::default()),
        }
    }

    /// A wire that works.
    pub fn to(database: &Database) -> Self {
        let relay = Self::cut_to(database);
        relay.mend();
        relay
    }

    /// Where to connect to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Ends all connections, and refuses new ones.
    pub fn cut(&self) {
        if let Some(open) = self.state.change(|state| state.open.take()) {
            // Wakes the thread that accepts, and ends the copying.
            let _ = open.listener.shutdown(Shutdown::Both);
            for stream in open.streams {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }

    /// Takes connections (again).
    ///
    /// # Panics
    /// If the port was taken by another program meanwhile.
    pub fn mend(&self) {
        self.listen(Some(self.target));
    }

    /// Takes connections and hangs up at once.
    ///
    /// # Panics
    /// As [`Self::mend`].
    pub fn hang_up(&self) {
        self.listen(None);
    }

    /// Waits until so many connections were accepted.
    ///
    /// # Panics
    /// If they do not come.
    pub fn wait_for_accepted(&self, count: usize) {
        self.state
            .wait(PATIENCE, |state| (state.accepted >= count).then_some(()))
            .unwrap_or_else(|| panic!("nobody tried {count} times to connect"));
    }

    fn listen(&self, target: Option<SocketAddr>) {
        self.cut();
        let listener = bound(self.addr.port()).expect("the port is reserved");
        listener.listen(128).expect("the port is reserved");
        let accepting = listener.try_clone().expect("there is a free file handle");
        let streams = Vec::new();
        self.state
            .change(|state| state.open = Some(Open { listener, streams }));
        let state = self.state.clone();
        thread::spawn(move || {
            while let Ok((socket, _)) = accepting.accept() {
                state.change(|state| state.accepted += 1);
                // One that fails is closed, and that is all it has to be.
                if let Some(target) = target {
                    let _ = relay(socket.into(), target, &state);
                }
            }
        });
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.cut();
    }
}

fn bound(port: u16) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into())?;
    Ok(socket)
}

/// Copies both ways, unless the wire was cut while this one was accepted.
fn relay(client: TcpStream, target: SocketAddr, state: &Watched<State>) -> io::Result<()> {
    let server = TcpStream::connect(target)?;
    for stream in [&client, &server] {
        stream.set_nodelay(true)?;
    }
    let kept = [client.try_clone()?, server.try_clone()?];
    let still_open = state.change(|state| {
        state
            .open
            .as_mut()
            .map(|open| open.streams.extend(kept))
            .is_some()
    });
    if !still_open {
        return Ok(());
    }
    for (mut from, mut to) in [(client.try_clone()?, server.try_clone()?), (server, client)] {
        thread::spawn(move || {
            let _ = copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
    Ok(())
}
