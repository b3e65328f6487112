//! The other side: what the programs that ask have in common.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use httparse::{EMPTY_HEADER, Header, Response, Status};
use socket2::{Domain, Socket, Type};

/// What was answered.
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Whether it says when to come again.
    pub retry_after: bool,
    /// Whether it is the connection's last answer.
    pub last: bool,
}

/// The text of a request.
#[must_use]
pub fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n")
}

/// The answer in these bytes, if it is there as a whole.
///
/// # Errors
/// If it is no HTTP, or HTTP that no server here sends: without its length.
pub fn parse(bytes: &[u8]) -> io::Result<Option<Reply>> {
    let mut headers = [EMPTY_HEADER; 32];
    let mut response = Response::new(&mut headers);
    let Status::Complete(head) = response.parse(bytes).map_err(io::Error::other)? else {
        return Ok(None);
    };
    let length = value(response.headers, "content-length")
        .and_then(|length| length.parse::<usize>().ok())
        .ok_or_else(|| io::Error::other("an answer without its length"))?;
    Ok((bytes.len() >= head + length).then(|| Reply {
        status: response.code.unwrap_or_default(),
        retry_after: value(response.headers, "retry-after").is_some(),
        last: value(response.headers, "connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close")),
    }))
}

fn value<'a>(headers: &[Header<'a>], name: &str) -> Option<&'a str> {
    let header = headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(header.value).ok()
}

/// Connects from an address of our own, waiting so long at the most, here and
/// at every read.
///
/// # Errors
/// Those of the system.
pub fn connect(to: SocketAddr, from: SocketAddr, patience: Duration) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(to), Type::STREAM, None)?;
    socket.bind(&from.into())?;
    socket.connect_timeout(&to.into(), patience)?;
    socket.set_read_timeout(Some(patience))?;
    Ok(socket.into())
}

/// Asks, and waits for the answer.
///
/// # Errors
/// Those of the system, and an answer that is none.
pub fn ask(stream: &mut TcpStream, path: &str) -> io::Result<Reply> {
    stream.write_all(request(path).as_bytes())?;
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&piece[..read]);
        if let Some(reply) = parse(&bytes)? {
            return Ok(reply);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_when_its_body_is_there() {
        let answer = b"HTTP/1.1 503 -\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nbusy";
        let reply = parse(answer).unwrap().unwrap();
        assert_eq!(
            (reply.status, reply.retry_after, reply.last),
            (503, true, false)
        );
        assert!(parse(&answer[..answer.len() - 1]).unwrap().is_none());
        assert!(parse(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
