//! The line before the threads.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use shared::admission::{self, Admission};

use super::connection::Connection;

/// What the lock protects. A std mutex: it is held for a few instructions, once
/// or twice a connection, or a request of a parked one, and never while waiting
/// for anything.
#[derive(Default)]
pub(super) struct Line {
    pub(super) queue: VecDeque<Place>,
    /// Those for whom the line is too long.
    pub(super) door: VecDeque<Waiting>,
    pub(super) doormen: usize,
    pub(super) threads: usize,
    /// Threads that wait for somebody to serve.
    pub(super) spare: usize,
    /// Whether one of those waits for the parked connections.
    pub(super) looks_out: bool,
    /// Threads that serve somebody.
    pub(super) serving: usize,
    /// Connections in line, at the door, parked, and with a thread.
    pub(super) open: usize,
    /// No more connections will come.
    pub(super) complete: bool,
    pub(super) closed: bool,
}

impl Line {
    /// How many threads wait for nothing but being woken.
    pub(super) fn resting(&self) -> usize {
        self.spare - usize::from(self.looks_out)
    }
}

/// A place in line.
pub(super) struct Place {
    pub(super) since: Instant,
    pub(super) waiting: Waiting,
    /// None if nobody may be sent away from it.
    pub(super) admitted: Option<admission::Waiting<Arc<Admission>>>,
}

/// Who stands in line.
pub(super) enum Waiting {
    New(TcpStream),
    Parked(Connection),
}

impl Waiting {
    /// Whether nothing is due or half answered.
    pub(super) fn is_between_requests(&self) -> bool {
        match self {
            Self::New(_) => true,
            Self::Parked(connection) => connection.is_between_requests() && !connection.is_due(),
        }
    }
}
