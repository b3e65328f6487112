//! The adapter for threads: the middleware around a function call.

use std::cell::Cell;
use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::time_limit::Deadline;
use super::{Exchange, failure, panic};
use crate::error::Error;

thread_local! {
    /// The deadline of the request that this thread serves. A thread serves one
    /// request at a time, so the thread itself can carry it; a task cannot rely
    /// on its thread, and carries its own.
    static DEADLINE: Cell<Option<Deadline>> = const { Cell::new(None) };
}

/// Serves a request: runs the handler with the request's hub, span and
/// deadline, and finishes its answer.
pub fn serve(exchange: Exchange, handler: impl FnOnce() -> Response<Bytes>) -> Response<Bytes> {
    DEADLINE.set(Some(exchange.deadline()));
    let mut response = exchange
        .enter(|| panic::catch(handler))
        .unwrap_or_else(failure);
    DEADLINE.set(None);
    exchange.answer(&mut response);
    response
}

/// How long this thread may wait for something that has a limit of its own
/// too: what is left of its request's time, if it serves one.
///
/// # Errors
/// 503 if no time is left.
pub fn at_most(limit: Duration) -> Result<Duration, Error> {
    DEADLINE
        .get()
        .map_or(Ok(limit), |deadline| deadline.at_most(limit))
}
