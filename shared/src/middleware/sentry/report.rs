//! From a failure to an event, on a thread of its own.
//!
//! The symbols of a stack are looked up in the program's debug information: the
//! first time that takes some hundred milliseconds, later some. A request, and
//! the runtime's thread that serves it, must not wait for that. So whoever fails
//! only notes the addresses, and this thread makes the event of them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use ::sentry::protocol::{Event, Exception, Mechanism};
use ::sentry::{Hub, Level};

use super::stack::Stack;
use crate::error::{Error, Internal};

/// How many failures wait for the thread before new ones are not reported.
const QUEUE: usize = 1000;

/// What the thread is asked to do.
enum Task {
    Report(Arc<Hub>, Failure),
    Flush(SyncSender<()>),
}

/// What has failed, with the addresses of its stack.
enum Failure {
    Error(Arc<Error>),
    Panic(String, Stack),
}

/// The thread's queue. One for the process, as the panic hook is: what belongs
/// to one service, its client, comes along in the hub.
static REPORTER: LazyLock<SyncSender<Task>> = LazyLock::new(|| {
    let (sender, receiver) = sync_channel(QUEUE);
    let started = thread::Builder::new().name("sentry-reporter".to_owned());
    if let Err(error) = started.spawn(move || run(&receiver)) {
        tracing::error!("nothing can be reported to Sentry: no thread to be had: {error}");
    }
    sender
});

fn run(tasks: &Receiver<Task>) {
    for task in tasks {
        match task {
            Task::Report(hub, failure) => {
                hub.capture_event(failure.event());
            }
            Task::Flush(done) => {
                // Whoever asked may have stopped waiting.
                let _ = done.send(());
            }
        }
    }
}

/// Reports an error, within the current hub, if it is one of ours: an internal
/// one. Not what a client did wrong, not load, and not a panic, which its hook
/// has reported.
pub fn error(error: &Arc<Error>) {
    if let Error::Internal(_) = **error {
        report(|| Failure::Error(error.clone()));
    }
}

/// Reports a panic, within the current hub. To be called by its hook, on the
/// stack of the panic.
pub fn panic(message: &str) {
    report(|| Failure::Panic(message.to_owned(), Stack::here()));
}

fn report(failure: impl FnOnce() -> Failure) {
    let hub = Hub::current();
    if hub.client().is_some() && REPORTER.try_send(Task::Report(hub, failure())).is_err() {
        tracing::warn!("too many failures at once: one was not reported to Sentry");
    }
}

/// Waits until the events of all that has failed so far are made, for so long
/// at most. Says whether they are.
pub(super) fn flush(limit: Duration) -> bool {
    let (done, is_done) = sync_channel(1);
    REPORTER.try_send(Task::Flush(done)).is_ok() && is_done.recv_timeout(limit).is_ok()
}

impl Failure {
    fn event(&self) -> Event<'static> {
        match self {
            Self::Error(error) => match &**error {
                Error::Internal(internal) => of_error(internal),
                other => ::sentry::event_from_error(other),
            },
            Self::Panic(message, stack) => of_panic(message, stack),
        }
    }
}

/// The event of an internal error: its chain of causes, and the stack where it
/// became an internal error.
fn of_error(error: &Internal) -> Event<'static> {
    let mut event = ::sentry::event_from_error(error.cause());
    if let Some(exception) = event.exception.last_mut() {
        exception.stacktrace = error.stack().resolved();
    }
    event
}

/// The event of a panic, as the SDK's own hook would make it.
fn of_panic(message: &str, stack: &Stack) -> Event<'static> {
    let exception = Exception {
        ty: "panic".into(),
        value: Some(message.to_owned()),
        stacktrace: stack.resolved(),
        mechanism: Some(Mechanism {
            ty: "panic".into(),
            handled: Some(false),
            ..Mechanism::default()
        }),
        ..Exception::default()
    };
    Event {
        exception: vec![exception].into(),
        level: Level::Fatal,
        ..Event::default()
    }
}
