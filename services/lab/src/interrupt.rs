//! Ctrl-C: the first one ends the work in order, the second one at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// How often a wait looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(20);

/// Whether somebody wants the lab to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens for SIGINT, SIGTERM and SIGHUP.
    ///
    /// # Errors
    /// If the system does not let it.
    pub fn listen() -> io::Result<Self> {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the second signal finds the flag set and ends the
            // process; whatever it started ends with it (see `subject::process`).
            flag::register_conditional_shutdown(signal, 130, interrupt.0.clone())?;
            flag::register(signal, interrupt.0.clone())?;
        }
        Ok(interrupt)
    }

    /// Whether it is time to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// The flag itself.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Sleeps for so long, or until interrupted. Says whether it was.
    pub fn sleep(&self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while !self.is_set() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            thread::sleep(left.min(LOOK));
        }
        self.is_set()
    }
}
