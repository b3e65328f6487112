//! A wire between a service and its database that can be long, cut, dead and
//! mended.

mod wire;

use std::net::{Shutdown, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use socket2::Socket;
use url::Url;

use super::database::Database;
use super::port::Reserved;
use super::wait::{PATIENCE, Watched};
use wire::Wire;

/// A TCP relay to the server of a database. While it is cut, its port refuses
/// connections as a port does on which nobody listens.
pub struct Relay {
    port: Reserved,
    target: SocketAddr,
    state: Arc<Watched<State>>,
}

struct State {
    /// None while the wire is cut.
    listener: Option<Socket>,
    mode: Mode,
    /// One way.
    delay: Duration,
    wires: Vec<Arc<Wire>>,
    /// How many connections were accepted so far.
    accepted: usize,
}

/// What becomes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    PassOn,
    Swallow,
    HangUp,
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
        Self::cut_from(target)
    }

    fn cut_from(target: SocketAddr) -> Self {
        Self {
            port: Reserved::any(),
            target,
            state: Arc::new(Watched::new(State {
                listener: None,
                mode: Mode::PassOn,
                delay: Duration::ZERO,
                wires: Vec::new(),
                accepted: 0,
            })),
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
        self.port.addr()
    }

    /// From now on, all bytes arrive so much later, in each direction. They are
    /// late and not fewer: what is sent meanwhile is not held up.
    pub fn delay(&self, one_way: Duration) {
        self.state.change(|state| state.delay = one_way);
    }

    /// Ends all connections, and refuses new ones.
    pub fn cut(&self) {
        let (listener, wires) = self
            .state
            .change(|state| (state.listener.take(), std::mem::take(&mut state.wires)));
        if let Some(listener) = listener {
            // Wakes the thread that accepts.
            let _ = listener.shutdown(Shutdown::Both);
        }
        for wire in wires {
            wire.end();
        }
    }

    /// A dead wire: nothing is refused, reset or closed, and nothing arrives.
    /// New connections are accepted and get no answer. Bytes that are lost stay
    /// lost, so those that were open now stay mute for ever, mended or not.
    pub fn swallow(&self) {
        self.state.change(|state| {
            state.mode = Mode::Swallow;
            for wire in &state.wires {
                wire.mute();
            }
        });
        self.listen();
    }

    /// Takes connections (again).
    pub fn mend(&self) {
        self.state.change(|state| state.mode = Mode::PassOn);
        self.listen();
    }

    /// Takes connections and hangs up at once.
    pub fn hang_up(&self) {
        self.cut();
        self.state.change(|state| state.mode = Mode::HangUp);
        self.listen();
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

    /// Listens, if it does not.
    fn listen(&self) {
        let accepting = self.state.change(|state| {
            if state.listener.is_some() {
                return None;
            }
            let listener = self.port.listen();
            let accepting = listener.try_clone().expect("there is a free file handle");
            state.listener = Some(listener);
            Some(accepting)
        });
        let Some(accepting) = accepting else { return };
        let (state, target) = (self.state.clone(), self.target);
        thread::spawn(move || {
            while let Ok((socket, _)) = accepting.accept() {
                accepted(socket, target, &state);
            }
        });
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.cut();
    }
}

/// Makes a wire of a connection. One for which there is no other end is closed,
/// and that is all it has to be.
fn accepted(socket: Socket, target: SocketAddr, state: &Arc<Watched<State>>) {
    let mode = state.change(|state| {
        state.accepted += 1;
        state.mode
    });
    let wire = match mode {
        Mode::HangUp => return,
        Mode::Swallow => Wire::to_nowhere(socket.into()),
        Mode::PassOn => match Wire::to(socket.into(), target) {
            Ok(wire) => wire,
            Err(_) => return,
        },
    };
    let wire = Arc::new(wire);
    // Unless the wire was cut, or died, in the meantime.
    let still_open = state.change(|state| {
        if state.mode == Mode::Swallow {
            wire.mute();
        }
        if state.listener.is_some() {
            state.wires.push(wire.clone());
        }
        state.listener.is_some()
    });
    if still_open {
        wire.run(state);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::time::Instant;

    use super::*;

    /// A relay to a server that sends back what it gets.
    fn to_an_echo() -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || std::io::copy(&mut &stream, &mut &stream));
            }
        });
        let relay = Relay::cut_from(target);
        relay.mend();
        relay
    }

    fn connect(relay: &Relay) -> TcpStream {
        let stream = TcpStream::connect(relay.addr()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn echoes(mut stream: &TcpStream) -> bool {
        let mut back = [0; 4];
        stream.write_all(b"ping").is_ok() && stream.read_exact(&mut back).is_ok()
    }

    #[test]
    fn bytes_are_late_and_not_fewer() {
        let relay = to_an_echo();
        let mut stream = connect(&relay);
        assert!(echoes(&stream));
        let one_way = Duration::from_millis(100);
        relay.delay(one_way);
        let started = Instant::now();
        // Ten pieces one after the other would take ten times as long.
        for _ in 0..10 {
            stream.write_all(b"ping").unwrap();
        }
        stream.read_exact(&mut [0; 40]).unwrap();
        let took = started.elapsed();
        assert!(took >= 2 * one_way, "{took:?}");
        assert!(took < 6 * one_way, "{took:?}");
    }

    #[test]
    fn a_dead_wire_is_mute_and_stays_so_for_those_who_were_on_it() {
        let relay = to_an_echo();
        let old = connect(&relay);
        assert!(echoes(&old));
        relay.swallow();
        let on_the_dead_wire = connect(&relay);
        relay.wait_for_accepted(2);
        relay.mend();
        for mut stream in [&old, &on_the_dead_wire] {
            stream
                .set_read_timeout(Some(Duration::from_millis(100)))
                .unwrap();
            stream.write_all(b"ping").unwrap();
            let answer = stream.read(&mut [0; 1]).unwrap_err();
            assert_eq!(answer.kind(), std::io::ErrorKind::WouldBlock);
        }
        assert!(echoes(&connect(&relay)));
        relay.cut();
        assert!(TcpStream::connect(relay.addr()).is_err());
        assert!(!echoes(&old));
        relay.mend();
        assert!(echoes(&connect(&relay)));
    }
}
