//! Accepting connections, and looking after the parked ones when no thread does.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use shared::config::Config;
use shared::retry::Retry;
use shared::server::{last_call, overload};
use socket2::{Domain, Protocol, Socket, Type};

use super::lookout::ROUND;
use super::stop::Stop;
use super::workers::Workers;
use crate::poll::wait_for;

/// How many connections wait in the kernel for being accepted.
const BACKLOG: u16 = 4096;

/// How long to leave connections there when the system has no file handles or
/// no memory left.
const BREATHER: Duration = Duration::from_millis(50);

/// Listens: alone, or with `REUSE_PORT` beside other processes, between which
/// the kernel then shares the connections.
pub(super) fn bind(config: &Config) -> io::Result<TcpListener> {
    let addr = config.listen;
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // A port on which connections of a former process linger is free.
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(config.reuse_port)?;
    socket.set_nonblocking(true)?;
    socket
        .bind(&addr.into())
        .and_then(|()| socket.listen(BACKLOG.into()))
        .map_err(|error| io::Error::new(error.kind(), format!("LISTEN {addr}: {error}")))?;
    Ok(socket.into())
}

/// Accepts until asked to stop, and looks after the parked connections until
/// there are none.
pub(super) fn run(listener: TcpListener, reuse_port: bool, workers: &Workers, stop: &Stop) {
    let mut log = Retry::new();
    let mut looked = Instant::now();
    while !stop.is_rung() {
        // Without connections nobody can have waited too long.
        let limit = workers.has_connections().then_some(ROUND);
        if wait(workers, [listener.as_fd(), stop.as_fd()], limit) {
            accept_all(&listener, workers, stop, &mut log);
        }
        look(workers, &mut looked);
    }
    // Those that the kernel has accepted for us already are served, too.
    let until = Instant::now() + last_call(&listener, reuse_port);
    loop {
        accept_all(&listener, workers, stop, &mut log);
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        workers.parking.stop();
        wait(workers, [listener.as_fd()], Some(left));
        look(workers, &mut looked);
    }
    drop(listener);
    workers.accepts_no_more();
    while workers.has_connections() {
        workers.parking.stop();
        wait(workers, [], Some(ROUND));
        look(workers, &mut looked);
    }
}

/// Waits for one of the handles, and for the parked connections if nobody else
/// does. Says whether the first handle is ready.
fn wait<const N: usize>(
    workers: &Workers,
    handles: [BorrowedFd<'_>; N],
    limit: Option<Duration>,
) -> bool {
    let mut all: Vec<_> = handles.to_vec();
    all.push(workers.relief.as_fd());
    if workers.needs_relief() {
        all.push(workers.parking.as_fd());
    }
    let mut all: Vec<_> = all
        .into_iter()
        .map(|handle| PollFd::from_borrowed_fd(handle, PollFlags::IN))
        .collect();
    wait_for(&mut all, limit);
    workers.relief.heard();
    !all[0].revents().is_empty()
}

/// Brings everyone on who can go on, or has waited too long.
fn look(workers: &Workers, looked: &mut Instant) {
    workers.resume(workers.parking.ready(Duration::ZERO));
    if looked.elapsed() > ROUND {
        *looked = Instant::now();
        workers.resume(workers.parking.due());
        workers.hurry();
    }
}

/// Accepts what is there; no more at once than the kernel keeps.
fn accept_all(listener: &TcpListener, workers: &Workers, stop: &Stop, log: &mut Retry) {
    for _ in 0..BACKLOG {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Err(stream) = workers.submit(stream) {
                    refuse(&stream);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) if is_exhaustion(&error) => {
                if log.is_news(&error.to_string()) {
                    tracing::warn!("cannot accept at this moment: {error}");
                }
                stop.wait(BREATHER);
                return;
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
fn refuse(mut stream: &TcpStream) {
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
