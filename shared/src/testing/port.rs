//! A port that stays ours while nobody listens on it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// A port of loopback, held by a socket that is bound and never listens: nobody
/// else is given it, whoever is told of it may listen on it, and as long as
/// nobody does, it refuses connections.
pub struct Reserved {
    addr: SocketAddr,
    _socket: Socket,
}

impl Reserved {
    /// Any free port.
    ///
    /// # Panics
    /// If there is none.
    pub fn any() -> Self {
        let socket = bound(0).expect("there is a free port");
        let addr = socket
            .local_addr()
            .ok()
            .and_then(|addr| addr.as_socket())
            .expect("a bound socket has an address");
        Self {
            addr,
            _socket: socket,
        }
    }

    /// Its address.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Listens on it.
    ///
    /// # Panics
    /// If another program does already.
    pub(super) fn listen(&self) -> Socket {
        let listener = bound(self.addr.port()).expect("the port is reserved");
        listener.listen(128).expect("the port is reserved");
        listener
    }
}

fn bound(port: u16) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into())?;
    Ok(socket)
}
