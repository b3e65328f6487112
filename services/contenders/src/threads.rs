//! HTTP/1.1 on a thread for each connection, as bare as it can be: requests
//! without a body, one buffer in and one buffer out.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use httparse::{EMPTY_HEADER, Request, Status};

use crate::answer::Answer;

/// The longest head of a request.
const HEAD: usize = 8192;

/// Serves for ever.
///
/// # Errors
/// If the address cannot be listened on.
pub fn serve(
    listen: SocketAddr,
    answer: impl Fn(&str) -> Answer + Send + Sync + 'static,
) -> io::Result<()> {
    let answer = Arc::new(answer);
    for stream in TcpListener::bind(listen)?.incoming() {
        // Without a stream the client has left, or there are no file handles.
        let Ok(stream) = stream else { continue };
        let answer = answer.clone();
        thread::Builder::new().spawn(move || connection(stream, &*answer))?;
    }
    Ok(())
}

/// Serves a connection until the client leaves or asks to close.
fn connection(mut stream: TcpStream, answer: &impl Fn(&str) -> Answer) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = [0; HEAD];
    let mut filled = 0;
    let mut output = Vec::new();
    loop {
        let read = stream.read(&mut input[filled..])?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        // Whatever came together is answered together.
        let mut taken = 0;
        let mut close = false;
        while let Some(head) = take(&input[taken..filled], answer, &mut output)? {
            taken += head.length;
            close |= head.close;
        }
        input.copy_within(taken..filled, 0);
        filled -= taken;
        stream.write_all(&output)?;
        output.clear();
        if close {
            return Ok(());
        }
    }
}

/// What was read of a request.
struct Head {
    length: usize,
    close: bool,
}

/// Answers the first request in the buffer, if it is there as a whole.
fn take(
    input: &[u8],
    answer: &impl Fn(&str) -> Answer,
    output: &mut Vec<u8>,
) -> io::Result<Option<Head>> {
    let mut headers = [EMPTY_HEADER; 32];
    let mut request = Request::new(&mut headers);
    let Status::Complete(length) = request.parse(input).map_err(io::Error::other)? else {
        return Ok(None);
    };
    let Answer {
        status,
        content_type,
        body,
    } = answer(request.path.unwrap_or_default());
    write!(
        output,
        "HTTP/1.1 {status} -\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )?;
    output.extend_from_slice(&body);
    let close = request.version == Some(0)
        || request.headers.iter().any(|header| {
            header.name.eq_ignore_ascii_case("connection")
                && header.value.eq_ignore_ascii_case(b"close")
        });
    Ok(Some(Head { length, close }))
}
