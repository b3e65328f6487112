//! `lab serve`: results on a page.
//!
//! By hand on the standard library, since there is no well-kept blocking HTTP
//! server to build it on (as for `before`: README.md, "Where the difference is"),
//! and since this is little: files of one folder, read only, one request for each
//! connection, and a bound to everything.

// Pages are put together from pieces; the lints would have a `write!` whose result
// nobody needs in each of them.
#![expect(
    clippy::format_push_string,
    clippy::write_with_newline,
    reason = "see above"
)]

mod answer;
mod list;
mod request;
#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use self::answer::Answer;
use self::request::Request;

/// The most connections at a time; more are told to come again.
const CONNECTIONS: usize = 64;
/// How long a request may take to arrive.
const REQUEST_WITHIN: Duration = Duration::from_secs(10);
/// How long an answer may take to be taken.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// How long a client may take to close, when it has its answer.
const LINGER: Duration = Duration::from_secs(1);
/// How soon a wish to stop is seen.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Serves all runs below a folder until it is told to stop.
///
/// # Errors
/// If the address cannot be listened on.
pub fn serve(folder: &Path, listen: SocketAddr, stop: &AtomicBool) -> io::Result<()> {
    Server::bind(folder, listen)?.run(stop)
}

/// A server that listens, and does not serve yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    folder: PathBuf,
}

impl Server {
    /// Listens. The folder need not be there yet.
    ///
    /// # Errors
    /// If the address cannot be listened on.
    pub fn bind(folder: &Path, listen: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(listen)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            folder: folder.to_owned(),
        })
    }

    /// Where it listens: with port 0, the port that it was given.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until it is told to stop. Answers under way may end after that.
    ///
    /// # Errors
    /// If waiting for connections fails.
    pub fn run(&self, stop: &AtomicBool) -> io::Result<()> {
        let served = Arc::new(AtomicUsize::new(0));
        let wait = Timespec::try_from(LOOK_EVERY).map_err(io::Error::other)?;
        while !stop.load(Ordering::Relaxed) {
            match poll(
                &mut [PollFd::new(&self.listener, PollFlags::IN)],
                Some(&wait),
            ) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            match self.listener.accept() {
                Ok((stream, _)) => self.take(stream, &served),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The client was gone, or file handles have run out: the next one
                // may do better, but not at once.
                Err(_) => thread::sleep(LOOK_EVERY),
            }
        }
        Ok(())
    }

    fn take(&self, stream: TcpStream, served: &Arc<AtomicUsize>) {
        let place = Place::of(served);
        let folder = self.folder.clone();
        let full = place.number > CONNECTIONS;
        if full {
            // What the buffer of a new connection takes does not block.
            let _ = stream.set_nonblocking(true);
            let _ = (&stream).write(&Answer::text(503, "Too many connections.").head());
            return;
        }
        let work = move || {
            let _place = place;
            // Who talks to a client that has gone has nobody to tell.
            let _ = exchange(&stream, &folder);
        };
        // Without a thread the connection is closed, which says enough.
        let _ = thread::Builder::new().name("serve".to_owned()).spawn(work);
    }
}

/// One of the connections, until it is dropped.
struct Place {
    served: Arc<AtomicUsize>,
    number: usize,
}

impl Place {
    fn of(served: &Arc<AtomicUsize>) -> Self {
        Self {
            number: served.fetch_add(1, Ordering::Relaxed) + 1,
            served: served.clone(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.served.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One request and its answer.
fn exchange(stream: &TcpStream, folder: &Path) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    let answer = match Request::read(stream, Instant::now() + REQUEST_WITHIN)? {
        Ok(request) => (answer::to(&request, folder), request.head_only),
        Err(refusal) => (refusal, false),
    };
    let (answer, head_only) = answer;
    let deadline = Instant::now() + ANSWER_WITHIN;
    write(stream, &answer.head(), deadline)?;
    if !head_only {
        write(stream, &answer.body, deadline)?;
    }
    stream.shutdown(Shutdown::Write)?;
    // With a request closed half-read, the system would take the answer back.
    let mut rest = [0; 4096];
    for _ in 0..16 {
        stream.set_read_timeout(Some(request::left(deadline)?.min(LINGER)))?;
        if (&mut &*stream).read(&mut rest)? == 0 {
            break;
        }
    }
    Ok(())
}

/// Writes all, in time.
fn write(mut stream: &TcpStream, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(request::left(deadline)?))?;
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
