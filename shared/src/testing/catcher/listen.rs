//! The HTTP side of the catcher: a thread that accepts and one a connection.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use flate2::read::GzDecoder;

use super::{Mode, State, envelope};
use crate::testing::wait::Watched;

/// How long a thread waits before it looks whether the catcher has stopped.
const FOR_EVER: Duration = Duration::from_secs(3600);

pub(super) fn start(state: &Arc<Watched<State>>) -> (SocketAddr, JoinHandle<()>) {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port on loopback");
    let addr = listener.local_addr().expect("a listener has an address");
    let state = state.clone();
    let acceptor = thread::spawn(move || {
        for stream in listener.incoming() {
            if state.lock().stopped {
                break;
            }
            let state = state.clone();
            if let Ok(stream) = stream {
                // It ends when the client closes the connection.
                thread::spawn(move || serve(stream, &state));
            }
        }
    });
    (addr, acceptor)
}

/// Serves the requests of a connection, until it is closed or broken.
fn serve(mut stream: TcpStream, state: &Watched<State>) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Some((head, body)) = read_request(&mut stream, &mut buffer)? {
        let refused = state.change(|state| {
            let refused = matches!(state.mode, Mode::Refuse(_));
            if !refused {
                state.events.extend(envelope::events(&body));
            }
            state.raw.push([head, body].concat());
            refused
        });
        answer(&mut stream, state, refused)?;
    }
    Ok(())
}

/// Answers as the mode says; waits on a change of the mode and not by sleeping.
fn answer(stream: &mut TcpStream, state: &Watched<State>, refused: bool) -> io::Result<()> {
    let mode = state.lock().mode;
    let changed = |now: &State| (now.stopped || now.mode != mode).then_some(());
    match mode {
        Mode::Delay(time) => drop(state.wait(time, changed)),
        Mode::Hang => drop(state.wait(FOR_EVER, changed)),
        Mode::Answer | Mode::Refuse(_) => {}
    }
    let text = match mode {
        Mode::Refuse(seconds) if refused => format!(
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: {seconds}\r\nContent-Length: 0\r\n\r\n"
        ),
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
    };
    stream.write_all(text.as_bytes())
}

/// Reads a request's head and decoded body; none at the end of the stream.
fn read_request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let (length, head) = loop {
        if let Some(head) = parse_head(buffer)? {
            break head;
        }
        if read(stream, buffer)? == 0 {
            return Ok(None);
        }
    };
    let raw_head: Vec<_> = buffer.drain(..length).collect();
    let mut body = match head.length {
        Some(length) => {
            while buffer.len() < length {
                if read(stream, buffer)? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            buffer.drain(..length).collect()
        }
        None => read_chunks(stream, buffer)?,
    };
    if head.is_gzip {
        let mut plain = Vec::new();
        GzDecoder::new(&body[..]).read_to_end(&mut plain)?;
        body = plain;
    }
    Ok(Some((raw_head, body)))
}

struct Head {
    /// None: the body comes in chunks.
    length: Option<usize>,
    is_gzip: bool,
}

fn parse_head(buffer: &[u8]) -> io::Result<Option<(usize, Head)>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = request.parse(buffer).map_err(io::Error::other)?
    else {
        return Ok(None);
    };
    let mut head = Head {
        length: Some(0),
        is_gzip: false,
    };
    for header in request.headers {
        let value = str::from_utf8(header.value).unwrap_or_default();
        match header.name.to_ascii_lowercase().as_str() {
            "content-length" => head.length = value.parse().ok(),
            "transfer-encoding" => head.length = None,
            "content-encoding" => head.is_gzip = value == "gzip",
            _ => {}
        }
    }
    Ok(Some((length, head)))
}

fn read_chunks(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match httparse::parse_chunk_size(buffer) {
            Ok(httparse::Status::Complete((head, size))) => {
                let size = usize::try_from(size).map_err(io::Error::other)?;
                let whole = head + size + 2;
                if buffer.len() >= whole {
                    body.extend_from_slice(&buffer[head..head + size]);
                    buffer.drain(..whole);
                    if size == 0 {
                        return Ok(body);
                    }
                    continue;
                }
            }
            Ok(httparse::Status::Partial) => {}
            Err(_) => return Err(io::ErrorKind::InvalidData.into()),
        }
        if read(stream, buffer)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let mut piece = [0; 16 * 1024];
    let length = stream.read(&mut piece)?;
    buffer.extend_from_slice(&piece[..length]);
    Ok(length)
}
