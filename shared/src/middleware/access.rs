//! One log line a request, and the span around it.

use std::time::Duration;

use http::StatusCode;
use tracing::{Level, Span};

use super::request_id::RequestId;
use super::sentry::Facts;

/// The span around a request, for layers of `tracing` that follow spans (the
/// lines of the log have [the id](RequestId::current) without it). Its only field
/// is the id: the rest stands in the access line, once.
#[must_use]
pub fn span(id: &RequestId) -> Span {
    tracing::info_span!(target: "access", "request", request_id = id.as_str())
}

/// The line of a request that was answered. The query string is left out, since
/// callers put all sorts of things there.
pub fn answered(request: &Facts, status: StatusCode, took: Duration) {
    if !tracing::enabled!(target: "access", Level::INFO) {
        return;
    }
    let _id = RequestId::enter(Some(request.id));
    tracing::info!(
        target: "access",
        method = request.method.as_str(),
        path = request.uri.path(),
        route = &*request.route,
        status = status.as_u16(),
        duration_ms = millis(took),
        "answered"
    );
}

/// The line of a request whose client left before the answer.
pub fn abandoned(request: &Facts, took: Duration) {
    let _id = RequestId::enter(Some(request.id));
    tracing::info!(
        target: "access",
        method = request.method.as_str(),
        path = request.uri.path(),
        route = &*request.route,
        duration_ms = millis(took),
        "client left before the answer"
    );
}

/// Milliseconds with three digits.
fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
