//! A non-blocking socket for hyper, which remembers what it waits for.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hyper::rt::ReadBufCursor;
use rustix::event::PollFlags;
use shared::connection::ConnectionClock;
use shared::server::{ONE_PIECE, in_one_piece};

use crate::poll::attempt;

/// The socket of a connection, shared between hyper and the thread's wait.
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) clock: ConnectionClock,
    wants_read: AtomicBool,
    wants_write: AtomicBool,
    /// The last read got all that was there: the next would find nothing until
    /// `poll(2)` or the parking lot says otherwise.
    drained: AtomicBool,
    /// The client has closed its sending side, or all.
    ended: AtomicBool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, clock: ConnectionClock) -> io::Result<Arc<Self>> {
        stream.set_nonblocking(true)?;
        // An answer goes out at once, not when the client has confirmed the
        // last packet: that would be 40 ms later.
        stream.set_nodelay(true)?;
        Ok(Arc::new(Self {
            stream,
            clock,
            wants_read: AtomicBool::new(false),
            wants_write: AtomicBool::new(false),
            drained: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }))
    }

    /// Forgets what was waited for, before hyper runs again.
    pub(super) fn reset(&self) {
        self.wants_read.store(false, Ordering::Relaxed);
        self.wants_write.store(false, Ordering::Relaxed);
    }

    /// What hyper could not do without waiting.
    pub(super) fn interest(&self) -> PollFlags {
        let mut interest = PollFlags::empty();
        interest.set(PollFlags::IN, self.wants_read.load(Ordering::Relaxed));
        interest.set(PollFlags::OUT, self.wants_write.load(Ordering::Relaxed));
        interest
    }

    /// Notes whether there may be something to read.
    pub(super) fn came(&self, readable: bool) {
        if readable {
            self.drained.store(false, Ordering::Relaxed);
        }
    }

    /// Notes that the client will send no more: nobody will say so again, so from
    /// now on only a read that finds the end has got all.
    pub(super) fn ended(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// What hyper sees of it. `Pending` wakes nobody: the thread that polls hyper
/// waits for the socket itself.
pub(super) struct Io {
    socket: Arc<Socket>,
    /// hyper's buffer can only be advanced with `unsafe`; small reads through
    /// this one cost next to nothing.
    scratch: Box<[u8; 8192]>,
}

impl Io {
    pub(super) fn new(socket: Arc<Socket>) -> Self {
        Self {
            socket,
            scratch: Box::new([0; 8192]),
        }
    }
}

impl hyper::rt::Read for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { socket, scratch } = &mut *self;
        let most = scratch.len().min(buffer.remaining());
        if socket.drained.load(Ordering::Relaxed) {
            socket.wants_read.store(true, Ordering::Relaxed);
            return Poll::Pending;
        }
        attempt(&socket.wants_read, || {
            let read = (&socket.stream).read(&mut scratch[..most])?;
            if read > 0 {
                let got_all = read < most && !socket.ended.load(Ordering::Relaxed);
                socket.drained.store(got_all, Ordering::Relaxed);
                socket.clock.read();
                buffer.put_slice(&scratch[..read]);
            }
            Ok(())
        })
    }
}

impl hyper::rt::Write for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let socket = &self.socket;
        attempt(&socket.wants_write, || {
            let written = (&socket.stream).write(bytes)?;
            socket.clock.wrote();
            Ok(written)
        })
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Some(bytes) = in_one_piece(pieces, &mut [0; ONE_PIECE]) {
            return self.poll_write(context, bytes);
        }
        let socket = &self.socket;
        attempt(&socket.wants_write, || {
            let written = (&socket.stream).write_vectored(pieces)?;
            socket.clock.wrote();
            Ok(written)
        })
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.clock.flushed();
        Poll::Ready(Ok(()))
    }

    /// Closes the writing side, and drains what the client still sends if the
    /// answer came before the end of its body.
    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { socket, scratch } = &mut *self;
        let _ = socket.stream.shutdown(Shutdown::Write);
        if !socket.clock.closing() {
            return Poll::Ready(Ok(()));
        }
        attempt(&socket.wants_read, || {
            while (&socket.stream).read(&mut scratch[..])? > 0 {
                socket.clock.drained();
            }
            Ok(())
        })
    }
}
