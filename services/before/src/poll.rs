//! Driving the engines of hyper and of the Postgres driver on a thread: poll
//! them, and sleep in `poll(2)` while they have to wait. No runtime, no other
//! thread.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake};
use std::time::Duration;

use rustix::event::{PollFd, Timespec, poll};

/// Sleeps in `poll(2)` until one of the handles is ready or the time is up. An
/// interrupted sleep ends early, as its callers look again anyway.
pub(crate) fn wait_for(handles: &mut [PollFd<'_>], limit: Option<Duration>) {
    let limit = limit.map(|limit| Timespec {
        tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    });
    let _ = poll(handles, limit.as_ref());
}

/// Tries to read from or write to a non-blocking socket. `Pending` wakes nobody:
/// the thread that polls waits for the socket itself, and `waits` tells it so.
pub(crate) fn attempt<T>(
    waits: &AtomicBool,
    mut run: impl FnMut() -> io::Result<T>,
) -> Poll<io::Result<T>> {
    loop {
        match run() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                waits.store(true, Ordering::Relaxed);
                return Poll::Pending;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return Poll::Ready(done),
        }
    }
}

/// Whether an engine woke itself: between its halves, on this very thread.
#[derive(Default)]
pub(crate) struct Woken(AtomicBool);

impl Woken {
    /// Whether it has since the last look.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
