//! The lookout: who waits for the parked connections.
//!
//! While it is crowded, a thread without work is on the lookout. It serves what
//! comes itself, and looks again; only when it falls asleep in a handler does it
//! have another thread relieve it. So a request that waits for nothing costs no
//! switch from one thread to another. If all threads are asleep, or if it is not
//! crowded, the acceptor is on the lookout.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};

use super::line::{Line, Waiting};
use super::workers::Workers;
use crate::crew::Crew;

/// How long somebody looks out before seeing whether something else is due.
pub(super) const ROUND: Duration = Duration::from_millis(100);

/// Calls the acceptor to the lookout.
pub(super) struct Relief {
    /// Readable while it is called.
    bell: OwnedFd,
    /// Whether it looks out already.
    came: AtomicBool,
}

impl Relief {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            bell: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
            came: AtomicBool::new(false),
        })
    }

    pub(super) fn call(&self) {
        if !self.came.load(Ordering::SeqCst) {
            // Can only fail when the counter is full, and then it is called.
            let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
        }
    }

    /// The acceptor has heard it.
    pub(super) fn heard(&self) {
        // Can only fail when it was not called.
        let _ = rustix::io::read(&self.bell, &mut [0; 8]);
    }
}

impl AsFd for Relief {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

impl Workers {
    /// Whether a thread that has nothing to do is to look out.
    pub(super) fn is_lookout_free(&self, line: &Line) -> bool {
        !line.looks_out && self.is_crowded() && self.has_room(line)
    }

    /// Looks out, and puts those who can go on into the line.
    pub(super) fn look_out<'a>(&'a self, mut line: MutexGuard<'a, Line>) -> MutexGuard<'a, Line> {
        line.looks_out = true;
        drop(line);
        let ready = self.parking.ready(ROUND);
        let mut line = self.line();
        line.looks_out = false;
        // All of them before anyone is woken, who would then have the processor
        // while the others are in nobody's line.
        for connection in ready {
            self.put(&mut line, Waiting::Parked(connection));
        }
        line
    }

    /// Tells one of the threads without work that there is some.
    pub(super) fn wake_one(&self, line: MutexGuard<'_, Line>) {
        let resting = line.resting();
        let looks_out = line.looks_out;
        drop(line);
        if resting > 0 {
            self.work.notify_one();
        } else if looks_out {
            self.parking.call();
        }
    }

    /// Whether nobody but the acceptor can look out. It asks before it waits.
    pub(super) fn needs_relief(&self) -> bool {
        // Whoever changes the answer holds the lock while it calls.
        let line = self.line();
        let needs = !self.is_crowded() || (!line.looks_out && self.are_all_asleep(&line));
        self.relief.came.store(needs, Ordering::SeqCst);
        needs
    }
}

/// Only where it is crowded does anybody wait for a thread to fall asleep.
impl Crew for Workers {
    fn falls_asleep(&self) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
        if !self.is_crowded() {
            return;
        }
        let mut line = self.line();
        if line.looks_out && line.queue.is_empty() {
            return;
        }
        self.has_thread(&mut line);
        if line.spare > 0 {
            self.wake_one(line);
        } else if self.are_all_asleep(&line) {
            self.relief.call();
        }
    }

    fn wakes(&self) {
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}
