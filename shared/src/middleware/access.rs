//! One log line a request, and the span that gives every other line of the
//! request its id.

use std::time::Duration;

use http::StatusCode;
use tracing::Span;

use super::request_id::RequestId;
use super::sentry::Facts;

/// The span around a request. Its only field is the id: the rest stands in the
/// access line, once. Of the highest level, so that the warnings and errors of
/// a request have its id even where nothing else is logged.
#[must_use]
pub fn span(id: &RequestId) -> Span {
    tracing::error_span!(target: "access", "request", request_id = id.as_str())
}

/// The line of a request that was answered; to be called within the span. The
/// query string is left out, since callers put all sorts of things there.
pub fn answered(request: &Facts, status: StatusCode, took: Duration) {
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
