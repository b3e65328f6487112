//! The socket to Postgres, non-blocking, which remembers what it waits for.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use shared::config::{DatabaseUrl, Host};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::crew;
use crate::poll::{attempt, wait_for};

/// The socket, shared between the engine and the thread's wait.
pub(super) struct Socket {
    inner: socket2::Socket,
    wants_read: AtomicBool,
    wants_write: AtomicBool,
    /// The last read got all that was there: the next would find nothing until
    /// `poll(2)` says otherwise.
    drained: AtomicBool,
}

impl Socket {
    pub(super) fn connect(url: &DatabaseUrl, until: Instant) -> io::Result<Arc<Self>> {
        let inner: socket2::Socket = match url.host() {
            Host::Tcp(host) => tcp(host, url.port(), until)?.into(),
            Host::Unix(folder) => {
                UnixStream::connect(folder.join(format!(".s.PGSQL.{}", url.port())))?.into()
            }
        };
        inner.set_nonblocking(true)?;
        Ok(Arc::new(Self {
            inner,
            wants_read: AtomicBool::new(false),
            wants_write: AtomicBool::new(false),
            drained: AtomicBool::new(true),
        }))
    }

    /// Sleeps until the socket is ready for what the engine wants, or until
    /// then. Says whether there was time left.
    pub(super) fn wait(&self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        let mut interest = PollFlags::empty();
        interest.set(
            PollFlags::IN,
            self.wants_read.swap(false, Ordering::Relaxed),
        );
        interest.set(
            PollFlags::OUT,
            self.wants_write.swap(false, Ordering::Relaxed),
        );
        let mut handles = [PollFd::new(&self.inner, interest)];
        crew::asleep(|| wait_for(&mut handles, Some(left)));
        let came = handles[0].revents();
        if came.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.drained.store(false, Ordering::Relaxed);
        }
        true
    }
}

/// Connects to the first address of a name that answers.
fn tcp(host: &str, port: u16, until: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, format!("{host} has no address"));
    for addr in (host, port).to_socket_addrs()? {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        match TcpStream::connect_timeout(&addr, left) {
            Ok(stream) => {
                // A statement goes out at once, not when the server has
                // confirmed the last packet: that would be 40 ms later.
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// What the engine sees of the socket.
pub(super) struct Io(pub(super) Arc<Socket>);

impl AsyncRead for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let socket = &self.0;
        if socket.drained.load(Ordering::Relaxed) {
            socket.wants_read.store(true, Ordering::Relaxed);
            return Poll::Pending;
        }
        attempt(&socket.wants_read, || {
            let room = buffer.initialize_unfilled();
            let read = (&socket.inner).read(room)?;
            socket.drained.store(read < room.len(), Ordering::Relaxed);
            buffer.advance(read);
            Ok(())
        })
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let socket = &self.0;
        attempt(&socket.wants_write, || (&socket.inner).write(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.inner.shutdown(Shutdown::Write))
    }
}
