//! For the service on tasks: [`spawn`] and [`round`] for jobs, [`shield`] for
//! writes, [`run_blocking`] for what blocks.

use std::future::poll_fn;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::Poll;

use ::sentry::Hub;
use tokio::task::{JoinError, JoinHandle};
use tokio_util::task::TaskTracker;

use super::{Context, finished, step};
use crate::error::Error;
use crate::middleware::report;

/// Starts a background job as a task of its own, under supervision: if it
/// fails or panics there is one log line and one Sentry event, from the hub
/// given, or else from the caller's, which names the request that started it.
pub fn spawn(
    job: &'static str,
    hub: Option<Arc<Hub>>,
    run: impl Future<Output = Result<(), Error>> + Send + 'static,
) {
    let context = Context::new(hub);
    tokio::spawn(supervised(job, context, run));
}

/// Runs one round of a job that goes on whatever comes of it: if the round fails
/// or panics there is one log line and one Sentry event, from the hub given.
pub async fn round(
    job: &'static str,
    hub: Option<Arc<Hub>>,
    run: impl Future<Output = Result<(), Error>>,
) {
    supervised(job, Context::new(hub), run).await;
}

async fn supervised(
    job: &'static str,
    context: Context,
    run: impl Future<Output = Result<(), Error>>,
) {
    let mut run = pin!(run);
    let outcome = poll_fn(|cx| match step(&context, || run.as_mut().poll(cx)) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await;
    context.enter(|| finished(job, outcome));
}

/// The shielded futures that run. One for the process, so that no caller has to
/// carry it: a stop waits for them all.
static SHIELDED: LazyLock<TaskTracker> = LazyLock::new(|| {
    let tracker = TaskTracker::new();
    tracker.close(); // It may be waited for at any time, also while more come.
    tracker
});

/// Waits until no shielded future runs: at a stop, for those whose callers have
/// gone.
pub async fn shielded_done() {
    SHIELDED.wait().await;
}

/// Runs a future to its end even if whoever awaits it is dropped: for writes.
///
/// A handler's future is dropped when its client leaves or its time is up,
/// wherever it stands, also between two statements. What must not be left
/// half-done runs as a task of its own, and the handler only waits for it. A
/// panic inside goes on in the caller.
///
/// # Errors
/// The future's own. If its caller has gone, it is reported as the caller's
/// request would have been: a thread does that, too.
pub async fn shield<T, E>(run: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: Into<Error> + Send + 'static,
{
    let context = Context::new(None);
    let outcome = joined(SHIELDED.spawn(async move {
        let mut run = pin!(run);
        let outcome = poll_fn(|cx| context.enter(|| run.as_mut().poll(cx))).await;
        Outcome(Some(outcome), context)
    }));
    outcome.await.take()
}

/// What a shielded future came to. Whether somebody still waits for it is known
/// only when it is taken, or dropped.
struct Outcome<T, E: Into<Error>>(Option<Result<T, E>>, Context);

impl<T, E: Into<Error>> Outcome<T, E> {
    fn take(mut self) -> Result<T, E> {
        self.0.take().expect("it is taken once")
    }
}

impl<T, E: Into<Error>> Drop for Outcome<T, E> {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.0.take() {
            let error = Arc::new(error.into());
            self.1.enter(|| report(&error));
        }
    }
}

/// The one door to blocking work. Which work goes where:
///
/// - waiting for a socket or a timer: on the runtime, with `.await`;
/// - what can only block (files, DNS through the C library, a blocking client)
///   and computing of more than about 100 µs now and then: here, on tokio's
///   blocking threads;
/// - steady computing: on threads of its own with a bounded queue, or it takes
///   all blocking threads from those that wait.
///
/// The request's id, span and Sentry hub go along, and a panic inside goes on in
/// the caller, so that it becomes the caller's 500. The closure itself cannot
/// be cancelled: a caller that is dropped leaves it running.
pub async fn run_blocking<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let context = Context::new(None);
    joined(tokio::task::spawn_blocking(move || context.enter(run))).await
}

async fn joined<T>(handle: JoinHandle<T>) -> T {
    match handle.await.map_err(JoinError::try_into_panic) {
        Ok(value) => value,
        // The hook has reported it on the thread where it happened.
        Err(Ok(panic)) => resume_unwind(panic),
        // Only a runtime that is being shut down cancels a task of ours; then
        // nobody is left to answer to.
        Err(Err(_cancelled)) => std::future::pending().await,
    }
}
