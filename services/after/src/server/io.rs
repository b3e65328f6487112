//! A socket that tells the connection's clock what happens on it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use shared::connection::ConnectionClock;
use shared::server::{ONE_PIECE, in_one_piece};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The socket of a connection.
pub(super) struct Io {
    stream: TcpStream,
    clock: Arc<ConnectionClock>,
}

impl Io {
    pub(super) fn new(stream: TcpStream, clock: Arc<ConnectionClock>) -> io::Result<Self> {
        // An answer goes out at once, not when the client has confirmed the
        // last packet: that would be 40 ms later.
        stream.set_nodelay(true)?;
        Ok(Self { stream, clock })
    }
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.clock.read();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.clock.wrote();
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Some(bytes) = in_one_piece(pieces, &mut [0; ONE_PIECE]) {
            return self.poll_write(cx, bytes);
        }
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, pieces))?;
        self.clock.wrote();
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.clock.flushed();
        Poll::Ready(Ok(()))
    }

    /// Closes the writing side, and drains what the client still sends if the
    /// answer came before the end of its body.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        if !self.clock.closing() {
            return Poll::Ready(Ok(()));
        }
        let mut scratch = [0; 8192];
        loop {
            let mut buffer = ReadBuf::new(&mut scratch);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.clock.drained();
        }
    }
}
