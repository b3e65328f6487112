//! Logs: `tracing` to standard output, as text or JSON.

mod lines;
mod text;

use std::io;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use self::lines::Lines;
use crate::config::Log;

/// How many lines wait for a slow reader of the log before new ones are
/// dropped: some seconds of a busy service, and some megabytes.
const BUFFERED_LINES: usize = 20_000;

/// Keeps the log's writer alive. Dropping it writes the last lines, for a
/// second at most, since nobody may be reading them.
#[must_use = "the last lines are lost unless the guard lives until the end"]
pub struct Guard {
    _writer: WorkerGuard,
}

/// Starts logging for the whole process; to be called once, by `main`.
///
/// Lines go through a bounded queue to a thread of their own. When the reader
/// of the pipe stalls, lines are dropped and requests are not held up.
pub fn init(log: &Log) -> Guard {
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(BUFFERED_LINES)
        .thread_name("log-writer")
        // The writer's thread flushes when no more lines wait: a burst of them is
        // one write, and not one each.
        .finish(io::BufWriter::new(io::stdout()));
    let filter = EnvFilter::try_new(&log.filter).expect("the configuration has checked it");
    tracing_subscriber::registry()
        .with(filter)
        .with(Lines::new(log.format, writer))
        .init();
    Guard { _writer: guard }
}
