//! The little of HTTP/1.1 that is understood.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::answer::Answer;

/// The most bytes of a request's head.
const HEAD: usize = 8 * 1024;

/// A request that can be answered.
#[derive(Debug)]
pub(super) struct Request {
    /// The parts of its path, decoded. The last is empty if the path ends in `/`.
    pub(super) path: Vec<String>,
    /// Whether only the head of the answer is wanted.
    pub(super) head_only: bool,
}

impl Request {
    /// Reads one, or says what to answer in place of it.
    pub(super) fn read(
        mut stream: &TcpStream,
        deadline: Instant,
    ) -> io::Result<Result<Self, Answer>> {
        let mut head = Vec::new();
        let mut part = [0; 1024];
        loop {
            stream.set_read_timeout(Some(left(deadline)?))?;
            match stream.read(&mut part) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => head.extend_from_slice(&part[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if head.windows(4).any(|end| end == b"\r\n\r\n") {
                return Ok(Self::parse(&head));
            }
            if head.len() > HEAD {
                return Ok(Err(Answer::text(
                    431,
                    "The head of the request is too long.",
                )));
            }
        }
    }

    /// Its first line is all that counts: no header changes the answer.
    fn parse(head: &[u8]) -> Result<Self, Answer> {
        let bad = || Answer::text(400, "No request of HTTP.");
        let end = head
            .iter()
            .position(|byte| *byte == b'\r')
            .ok_or_else(bad)?;
        let line = std::str::from_utf8(&head[..end]).map_err(|_| bad())?;
        let mut words = line.split(' ');
        let (method, target) = words.next().zip(words.next()).ok_or_else(bad)?;
        let version = words.next().ok_or_else(bad)?;
        if !version.starts_with("HTTP/1.") || words.next().is_some() {
            return Err(bad());
        }
        let head_only = match method {
            "GET" => false,
            "HEAD" => true,
            _ => return Err(Answer::text(405, "Only GET and HEAD.")),
        };
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let path = path.strip_prefix('/').ok_or_else(bad)?;
        let path = path
            .split('/')
            .map(decode)
            .collect::<Option<_>>()
            .ok_or_else(bad)?;
        Ok(Self { path, head_only })
    }
}

/// A part of a path without its escapes; nothing if they are broken.
fn decode(part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes().iter();
    while let Some(byte) = rest.next() {
        if *byte == b'%' {
            let high = char::from(*rest.next()?).to_digit(16)?;
            let low = char::from(*rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(*byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// How much time is left, or that there is none.
pub(super) fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    Ok(left)
}
