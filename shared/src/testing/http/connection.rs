//! A connection, and the reading of answers from it.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::{Request, Response};
use crate::testing::wait::PATIENCE;

/// More headers than any answer of ours has.
const HEADERS: usize = 64;

/// A connection to a service.
pub struct Connection {
    stream: TcpStream,
    /// What was read and does not belong to an answer yet.
    buffer: Vec<u8>,
    patience: Duration,
}

impl Connection {
    /// Connects.
    ///
    /// # Panics
    /// If nobody listens there.
    pub fn open(addr: SocketAddr) -> Self {
        Self::try_open(addr).unwrap_or_else(|error| panic!("no connection to {addr}: {error}"))
    }

    /// Connects, if somebody listens there.
    ///
    /// # Errors
    /// If not.
    pub fn try_open(addr: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&addr, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
            patience: PATIENCE,
        })
    }

    /// Waits for each answer only so long.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sends bytes.
    ///
    /// # Panics
    /// If the service has closed the connection.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes)
            .unwrap_or_else(|error| panic!("the service takes no bytes: {error}"));
    }

    /// Sends bytes to a service that may have closed the connection.
    ///
    /// # Errors
    /// If it has.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// Sends a request and reads its answer. A service may answer and close
    /// before it has read the whole request, so only the answer counts.
    ///
    /// # Panics
    /// If there is none.
    pub fn ask(&mut self, request: &Request) -> Response {
        let sent = self.try_send(request.bytes());
        let answer = if request.is_head() {
            self.receive_head()
        } else {
            self.receive()
        };
        answer.unwrap_or_else(|error| {
            let line = request.target().escape_ascii();
            panic!(
                "no answer to {} {line}: {error} (sent: {sent:?})",
                request.method()
            )
        })
    }

    /// Sends a request of its own making and reads its answer.
    ///
    /// # Panics
    /// If there is none.
    pub fn get(&mut self, target: &str) -> Response {
        self.ask(&Request::get(target))
    }

    /// Reads the next answer.
    ///
    /// # Errors
    /// If there is none: closed, broken off, too late or not HTTP.
    pub fn receive(&mut self) -> io::Result<Response> {
        self.read_response(true)
    }

    /// Reads the next answer, which is one to `HEAD`.
    ///
    /// # Errors
    /// As [`Self::receive`].
    pub fn receive_head(&mut self) -> io::Result<Response> {
        self.read_response(false)
    }

    /// Says that nothing more will be sent, as a client that shuts down its
    /// side does.
    pub fn finish_sending(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
    }

    /// Waits until the service closes the connection, by an end or a reset.
    /// What it had sent before is thrown away.
    ///
    /// # Panics
    /// If it does not close it.
    pub fn wait_for_close(&mut self) -> Duration {
        let started = Instant::now();
        let patience = self.patience;
        assert!(
            self.closes_within(patience),
            "the connection is still open after {patience:?}"
        );
        started.elapsed()
    }

    /// Whether the service closes the connection within so much time. What it
    /// sends is thrown away.
    pub fn closes_within(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        loop {
            match self.read(deadline) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() != ErrorKind::TimedOut,
            }
        }
    }

    /// Whether the service has closed the connection by now. What it has sent
    /// is kept.
    pub fn is_closed(&mut self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return true;
        }
        let mut piece = [0; 1];
        let seen = self.stream.peek(&mut piece);
        let _ = self.stream.set_nonblocking(false);
        match seen {
            Ok(length) => length == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }

    /// Leaves with a reset: what is on its way to either side is lost.
    pub fn reset(self) {
        let socket = socket2::Socket::from(self.stream);
        // One that is reset already needs no more.
        let _ = socket.set_linger(Some(Duration::ZERO));
    }

    fn read_response(&mut self, has_body: bool) -> io::Result<Response> {
        let deadline = Instant::now() + self.patience;
        let mut interim = Vec::new();
        loop {
            let mut response = self.read_head(deadline)?;
            if (100..200).contains(&response.status) {
                interim.push(response.status);
                continue;
            }
            if has_body && !matches!(response.status, 204 | 304) {
                response.body = self.read_body(&response, deadline)?;
            }
            response.interim = interim;
            return Ok(response);
        }
    }

    fn read_head(&mut self, deadline: Instant) -> io::Result<Response> {
        loop {
            if let Some((response, length)) = parse_head(&self.buffer)? {
                self.buffer.drain(..length);
                return Ok(response);
            }
            self.fill(deadline)?;
        }
    }

    fn read_body(&mut self, response: &Response, deadline: Instant) -> io::Result<Vec<u8>> {
        if response.header("transfer-encoding").is_some() {
            return self.read_chunks(deadline);
        }
        if let Some(length) = response.header("content-length") {
            let length = length.parse().map_err(io::Error::other)?;
            return self.take(length, deadline);
        }
        while self.read(deadline)? > 0 {}
        Ok(std::mem::take(&mut self.buffer))
    }

    fn read_chunks(&mut self, deadline: Instant) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            match httparse::parse_chunk_size(&self.buffer) {
                Ok(httparse::Status::Complete((head, size))) => {
                    self.buffer.drain(..head);
                    let size = usize::try_from(size).map_err(io::Error::other)?;
                    body.extend(self.take(size, deadline)?);
                    self.take(2, deadline)?;
                    if size == 0 {
                        return Ok(body);
                    }
                }
                Ok(httparse::Status::Partial) => self.fill(deadline)?,
                Err(_) => return Err(io::Error::other("a chunk without its size")),
            }
        }
    }

    fn take(&mut self, length: usize, deadline: Instant) -> io::Result<Vec<u8>> {
        while self.buffer.len() < length {
            self.fill(deadline)?;
        }
        Ok(self.buffer.drain(..length).collect())
    }

    /// Reads more; the end of the stream is an error here.
    fn fill(&mut self, deadline: Instant) -> io::Result<()> {
        if self.read(deadline)? == 0 {
            let part = self.buffer.escape_ascii();
            let text = format!("closed after {:?}", part.to_string());
            return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
        }
        Ok(())
    }

    fn read(&mut self, deadline: Instant) -> io::Result<usize> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut piece = [0; 16 * 1024];
        let length = self.stream.read(&mut piece).map_err(|error| {
            // What Linux calls it when the time is up.
            if error.kind() == ErrorKind::WouldBlock {
                ErrorKind::TimedOut.into()
            } else {
                error
            }
        })?;
        self.buffer.extend_from_slice(&piece[..length]);
        Ok(length)
    }
}

/// The head of an answer and its length; none if it is not all there.
fn parse_head(bytes: &[u8]) -> io::Result<Option<(Response, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let parsed = head.parse(bytes).map_err(|error| {
        io::Error::other(format!("not HTTP ({error}): {}", bytes.escape_ascii()))
    })?;
    let httparse::Status::Complete(length) = parsed else {
        return Ok(None);
    };
    let response = Response {
        minor_version: head.version.unwrap_or_default(),
        status: head.code.unwrap_or_default(),
        headers: head
            .headers
            .iter()
            .map(|header| (header.name.to_owned(), header.value.to_vec()))
            .collect(),
        body: Vec::new(),
        interim: Vec::new(),
    };
    Ok(Some((response, length)))
}
