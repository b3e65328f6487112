//! For the service on threads: [`spawn`] and [`round`] for jobs. Its writes need
//! no shield, since a thread goes on when a client leaves, and it may block.

use std::io;
use std::sync::Arc;
use std::thread;

use ::sentry::Hub;

use super::{Context, finished, step};
use crate::error::Error;

/// Starts a background job on a thread of its own, under supervision: if it
/// fails or panics there is one log line and one Sentry event, from the hub
/// given, or else from the caller's, which names the request that started it.
///
/// # Errors
/// If the system has no thread to give.
pub fn spawn(
    job: &'static str,
    hub: Option<Arc<Hub>>,
    run: impl FnOnce() -> Result<(), Error> + Send + 'static,
) -> io::Result<()> {
    let context = Context::new(hub);
    thread::Builder::new()
        .name(job.to_owned())
        .spawn(move || supervised(job, &context, run))?;
    Ok(())
}

/// Runs one round of a job that goes on whatever comes of it: if the round fails
/// or panics there is one log line and one Sentry event, from the hub given.
pub fn round(job: &'static str, hub: Option<Arc<Hub>>, run: impl FnOnce() -> Result<(), Error>) {
    supervised(job, &Context::new(hub), run);
}

fn supervised(job: &'static str, context: &Context, run: impl FnOnce() -> Result<(), Error>) {
    let outcome = step(context, run);
    context.enter(|| finished(job, outcome));
}
