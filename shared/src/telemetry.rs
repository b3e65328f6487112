//! Logs: `tracing` to standard output, as text or JSON.

use std::io;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{Log, LogFormat};

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
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        .with_span_events(FmtSpan::NONE);
    match log.format {
        LogFormat::Text => subscriber.init(),
        LogFormat::Json => subscriber
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .init(),
    }
    Guard { _writer: guard }
}
