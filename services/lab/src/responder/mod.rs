//! The bare responder: an HTTP/1.1 server that does nothing, as quickly as it
//! can. What a load tool reaches against it is the most that the tool can reach
//! on this machine.
//!
//! With slots it is a service of which the capacity is known: requests wait in
//! line for one of so many slots, each of which is busy for a time. By Little's
//! law N closed loops then wait N times the delay over the slots.
//!
//! It runs as a process of its own, so that it can be pinned to the processors
//! of the subjects.

mod line;
mod worker;

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use self::worker::Worker;
use crate::handles;

/// How many connections may wait to be taken. A load tool opens all at once;
/// one that does not fit tries again after a second.
const BACKLOG: i32 = 4096;

/// What it answers, and when.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long a slot is busy with a request; with no slots, how long each
    /// answer takes.
    pub delay: Duration,
    /// How many requests are served at once; all if 0.
    pub slots: usize,
    /// The status of the answers.
    pub status: u16,
    /// The share of the answers with this status, 0 to 1; the others are 200.
    pub share: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            delay: Duration::ZERO,
            slots: 0,
            status: 200,
            share: 1.0,
        }
    }
}

/// Answers every request with the same few bytes until its standard input is
/// closed: nobody starts it but the lab, which holds the other end. Its first
/// line on standard output is the address that it listens on.
///
/// A thread for each processor that it may use; with a delay one, so that there
/// is one line.
///
/// # Errors
/// If the system refuses what it needs.
pub fn run(options: Options) -> io::Result<()> {
    handles::raise();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    // Once more, for the longer queue.
    rustix::net::listen(&listener, BACKLOG)?;
    listener.set_nonblocking(true)?;
    let threads = if options.delay.is_zero() {
        std::thread::available_parallelism()?.get()
    } else {
        1
    };
    let workers = (0..threads)
        .map(|_| Worker::start(options))
        .collect::<io::Result<Vec<_>>>()?;

    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", listener.local_addr()?)?;
    stdout.flush()?;
    serve(&listener, &workers)
}

/// Gives connections to the workers in turn. A port for each, shared by the
/// kernel, would give one of them most where connections are few.
fn serve(listener: &TcpListener, workers: &[Worker]) -> io::Result<()> {
    let stdin = io::stdin();
    let mut turns = workers.iter().cycle();
    loop {
        let mut looked_at = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(listener, PollFlags::IN),
        ];
        match poll(&mut looked_at, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [input, clients] = looked_at.map(|each| !each.revents().is_empty());
        if input && stdin.lock().read(&mut [0; 64])? == 0 {
            return Ok(());
        }
        while clients && let Some(stream) = accept(listener) {
            if let Some(worker) = turns.next() {
                worker.take(stream)?;
            }
        }
    }
}

/// The next connection. One that failed has left, or there are no file handles:
/// either is seen by the load tool.
fn accept(listener: &TcpListener) -> Option<TcpStream> {
    let (stream, _) = listener.accept().ok()?;
    stream.set_nonblocking(true).ok()?;
    stream.set_nodelay(true).ok()?;
    Some(stream)
}
