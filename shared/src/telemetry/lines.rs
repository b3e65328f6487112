//! A line for each event.
//!
//! Not `tracing_subscriber::fmt`, whose line costs more than all the rest of the
//! middleware (the figures: `scripts/bench`): it keeps each span's fields as
//! text, takes the time apart anew for each line, and quotes what needs no
//! quotes. What is the same for every line of a request, its id, comes here from
//! the request itself and not from a span: so it stands on every line, also
//! where spans are filtered out.

use std::cell::Cell;
use std::fmt;
use std::io::Write as _;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_appender::non_blocking::NonBlocking;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::text::{self, Text};
use crate::config::LogFormat;
use crate::middleware::request_id::RequestId;

thread_local! {
    /// The memory of the last line, for the next.
    static BUFFER: Cell<String> = const { Cell::new(String::new()) };
}

/// Writes lines.
pub(super) struct Lines {
    format: LogFormat,
    writer: NonBlocking,
}

impl Lines {
    pub(super) fn new(format: LogFormat, writer: NonBlocking) -> Self {
        Self { format, writer }
    }
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = BUFFER.take();
        line.clear();
        match self.format {
            LogFormat::Text => text_line(event, &mut line),
            LogFormat::Json => line.push_str(&json_line(event).to_string()),
        }
        line.push('\n');
        // Lossy: a line is dropped when the queue is full, and never an error.
        let _ = self.writer.clone().write_all(line.as_bytes());
        BUFFER.set(line);
    }
}

fn text_line(event: &Event<'_>, line: &mut String) {
    let metadata = event.metadata();
    text::push_now(line);
    for part in [" ", metadata.level().as_str(), " ", metadata.target(), ":"] {
        line.push_str(part);
    }
    event.record(&mut Text(line));
    if let Some(id) = RequestId::current() {
        line.push_str(" request_id=");
        line.push_str(id.as_str());
    }
}

fn json_line(event: &Event<'_>) -> Value {
    let metadata = event.metadata();
    let mut time = String::new();
    text::push_now(&mut time);
    let mut line = Map::new();
    line.insert("timestamp".to_owned(), time.into());
    line.insert("level".to_owned(), metadata.level().as_str().into());
    line.insert("target".to_owned(), metadata.target().into());
    if let Some(id) = RequestId::current() {
        line.insert("request_id".to_owned(), id.as_str().into());
    }
    event.record(&mut Json(&mut line));
    Value::Object(line)
}

/// The fields of an event as JSON.
struct Json<'a>(&'a mut Map<String, Value>);

impl Json<'_> {
    fn insert(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Json<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.insert(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.insert(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.insert(field, format!("{value:?}"));
    }
}
