//! A panic becomes a 500, one log line and one Sentry event; the connection lives.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use ::sentry::integrations::panic::message_from_panic_info;

use super::sentry;
use crate::error::Error;

/// Makes panics reported where they happen: on the right stack, within the span
/// and with the hub of the request. Takes effect once for the process.
///
/// Not `sentry`'s own panic integration: its hook waits until the event is
/// sent, up to the client's shutdown time-out, on the thread that panicked. A
/// slow tracker would stall a worker with all the tasks on it. This hook only
/// notes what has happened.
pub fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if tracing::dispatcher::has_been_set() {
                log(info);
            } else {
                previous(info);
            }
            sentry::panic(message_from_panic_info(info));
        }));
    });
}

fn log(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(location, "panic: {}", message_from_panic_info(info));
}

/// Runs a piece of a handler and turns a panic into an error.
///
/// Unwind safety is asserted: what a handler leaves half-done are its own
/// values, which go with it; shared state is kept in atomics and in pools that
/// check what is given back.
///
/// # Errors
/// [`Error::Panic`] if it panicked.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Error> {
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|_| Error::Panic)
}
