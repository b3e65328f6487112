//! Work that leaves the request's own thread or task. All of it goes through
//! these helpers, so that it keeps the request's id, span and Sentry hub, and so
//! that no failure is silent: `tasks` for `after`, `threads` for `before`.

#[cfg(feature = "tower")]
pub mod tasks;
#[cfg(feature = "blocking")]
pub mod threads;

use ::sentry::{Hub, HubSwitchGuard};
use std::sync::Arc;
use tracing::Span;

use crate::error::Error;
use crate::middleware::request_id::RequestId;
use crate::middleware::{panic, sentry};

/// What a piece of work takes with it from where it was started.
struct Context {
    id: Option<RequestId>,
    hub: Arc<Hub>,
    span: Span,
}

impl Context {
    /// The hub given or else the caller's, and the caller's id and span.
    fn new(hub: Option<Arc<Hub>>) -> Self {
        Self {
            id: RequestId::current(),
            hub: hub.unwrap_or_else(Hub::current),
            span: Span::current(),
        }
    }

    fn enter<T>(&self, run: impl FnOnce() -> T) -> T {
        let _id = RequestId::enter(self.id);
        let _hub = HubSwitchGuard::new(self.hub.clone());
        self.span.in_scope(run)
    }
}

/// The end of a background job: one log line and one event if it failed. A
/// panic has been reported by its hook, and is only said here by name.
fn finished(job: &'static str, outcome: Result<Result<(), Error>, Error>) {
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::error!(job, "the background job failed: {}", error.chain());
            sentry::error(&Arc::new(error));
        }
        Err(_) => tracing::error!(job, "the background job panicked"),
    }
}

/// Runs a piece of a job within its context, a panic caught.
fn step<T>(context: &Context, run: impl FnOnce() -> T) -> Result<T, Error> {
    context.enter(|| panic::catch(run))
}
