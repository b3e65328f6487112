//! The bell that asks everyone to stop.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd};

use crate::poll::wait_for;

/// Rung once and never silenced: a file handle that threads can wait for
/// together with their socket, so that nobody has to look again and again.
pub struct Stop {
    rung: AtomicBool,
    bell: OwnedFd,
}

impl Stop {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            rung: AtomicBool::new(false),
            bell: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?,
        })
    }

    /// Asks everyone to stop.
    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        // Can only fail when the counter is full, and then it has rung already.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Whether it was rung.
    pub(crate) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::SeqCst)
    }

    /// Sleeps for so long, or until it is rung. Says whether it was.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        wait_for(&mut [PollFd::new(&self.bell, PollFlags::IN)], Some(limit));
        self.is_rung()
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
