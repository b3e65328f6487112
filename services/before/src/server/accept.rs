//! Accepting connections, whatever happens to them.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use shared::retry::Retry;
use shared::server::overload;

use super::stop::Stop;
use super::workers::Workers;
use crate::poll::wait_for;

/// How many connections wait in the kernel for being accepted (what std asks
/// for).
const BACKLOG: usize = 4096;

/// How long to leave connections there when the system has no file handles or
/// no memory left.
const BREATHER: Duration = Duration::from_millis(50);

/// Accepts until asked to stop.
pub(super) fn run(listener: &TcpListener, workers: &Workers, stop: &Stop) {
    if let Err(error) = listener.set_nonblocking(true) {
        tracing::error!("cannot accept: {error}");
        return;
    }
    let mut log = Retry::new();
    while !stop.is_rung() {
        let interest = PollFlags::IN;
        wait_for(
            &mut [PollFd::new(listener, interest), PollFd::new(stop, interest)],
            None,
        );
        // When it has rung: those that the kernel has accepted for us already
        // are served, too.
        accept_all(listener, workers, stop, &mut log);
    }
}

/// Accepts what is there; no more at once than the kernel keeps.
fn accept_all(listener: &TcpListener, workers: &Workers, stop: &Stop, log: &mut Retry) {
    for _ in 0..BACKLOG {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Err(stream) = workers.submit(stream) {
                    refuse(stream);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) if is_exhaustion(&error) => {
                if log.is_news(&error.to_string()) {
                    tracing::warn!("cannot accept at this moment: {error}");
                }
                workers.relieve();
                if stop.wait(BREATHER) {
                    return;
                }
            }
            // The connection itself went wrong before it was accepted; the
            // next one may be fine.
            Err(error) => tracing::debug!("a connection was lost: {error}"),
        }
    }
}

/// Whether the system has run out of something.
fn is_exhaustion(error: &io::Error) -> bool {
    let exhausted = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| exhausted.contains(&errno))
}

/// Answers 503 without a thread. Reads what has been sent already, since the
/// kernel would reset a connection that is closed with unread bytes.
fn refuse(mut stream: TcpStream) {
    let mut answer = || -> io::Result<()> {
        stream.set_nonblocking(true)?;
        stream.write_all(&overload())?;
        stream.shutdown(Shutdown::Write)?;
        let mut sent = [0; 4096];
        while stream.read(&mut sent)? > 0 {}
        Ok(())
    };
    // A client that is gone, or slow, gets no second try.
    let _ = answer();
}
