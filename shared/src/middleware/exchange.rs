//! One request and its answer, from the head of the one to the head of the other.

use std::sync::Arc;
use std::time::Instant;

use ::sentry::HubSwitchGuard;
use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{HeaderMap, Method, Response, Uri, request};
use tracing::Span;

use super::request_id::{RequestId, X_REQUEST_ID};
use super::sentry::{Facts, RequestHub};
use super::time_limit::Deadline;
use super::{Middleware, access, sentry};
use crate::error::Error;
use crate::metrics::RouteMetrics;

/// How many seconds a client is asked to wait after a 503.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");
const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The error that a response stands for, until the middleware has filled it in.
#[derive(Clone)]
struct Failure(Arc<Error>);

/// The response for an error. Its body is written by the middleware, which
/// knows the request's id.
pub fn failure<B: From<Bytes>>(error: impl Into<Arc<Error>>) -> Response<B> {
    let error = error.into();
    let mut response = Response::new(Bytes::new().into());
    *response.status_mut() = error.status();
    response.extensions_mut().insert(Failure(error));
    response
}

/// A request that is being served: from [`Exchange::begin`] to
/// [`Exchange::answer`], or until it is dropped, since its client has left.
///
/// Order matters: the id comes first, since all others use it; the request
/// counts as in flight from here; the hub and the span are entered around the
/// handler and around the reporting of its error.
pub struct Exchange {
    middleware: Arc<Middleware>,
    started: Instant,
    route: Arc<RouteMetrics>,
    request: Arc<Facts>,
    hub: Option<RequestHub>,
    span: Span,
    answered: bool,
}

impl Exchange {
    /// Begins to serve a request whose head has arrived now.
    #[must_use]
    pub fn begin(middleware: &Arc<Middleware>, head: Head<'_>) -> Self {
        let started = Instant::now();
        let route = middleware.route(head.uri.path()).clone();
        let request = Arc::new(Facts::new(head, route.pattern()));
        let span = access::span(&request.id);
        middleware.metrics.in_flight.inc();
        Self {
            hub: middleware.tracker.request_hub(&request),
            middleware: middleware.clone(),
            started,
            route,
            request,
            span,
            answered: false,
        }
    }

    /// When the request has to be answered.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        Deadline::new(self.started, self.middleware.request_timeout)
    }

    /// The longest body that is taken.
    #[must_use]
    pub fn body_limit(&self) -> usize {
        self.middleware.body_limit
    }

    /// Runs code of the request with its id, its span and its hub.
    pub fn enter<T>(&self, run: impl FnOnce() -> T) -> T {
        let _id = RequestId::enter(Some(self.request.id));
        let hub = self.hub.as_ref().map(|request| request.hub().clone());
        let _hub = hub.map(HubSwitchGuard::new);
        self.span.in_scope(run)
    }

    /// Finishes the answer: writes the problem if it stands for an error and
    /// reports that error, sets the id, counts, and logs the access line.
    pub fn answer<B: From<Bytes>>(mut self, response: &mut Response<B>) {
        self.answered = true;
        if let Some(Failure(error)) = response.extensions_mut().remove() {
            let problem = self.problem(&error);
            problem_headers(&error, problem.len(), response.headers_mut());
            *response.body_mut() = problem.into();
            self.enter(|| report(&error));
        }
        response
            .headers_mut()
            .insert(X_REQUEST_ID, self.request.id.to_header());
        let took = self.started.elapsed();
        self.route
            .answered(&self.request.method, response.status(), took);
        access::answered(&self.request, response.status(), took);
    }

    fn problem(&self, error: &Error) -> Bytes {
        let problem = error.problem(self.request.id.as_str());
        serde_json::to_vec(&problem)
            .expect("a problem is plain data")
            .into()
    }
}

/// The parts of a request's head that the middleware looks at.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path and the query string.
    pub uri: &'a Uri,
    /// The headers.
    pub headers: &'a HeaderMap,
}

impl<'a> From<&'a request::Parts> for Head<'a> {
    fn from(parts: &'a request::Parts) -> Self {
        Self {
            method: &parts.method,
            uri: &parts.uri,
            headers: &parts.headers,
        }
    }
}

impl<'a, B> From<&'a http::Request<B>> for Head<'a> {
    fn from(request: &'a http::Request<B>) -> Self {
        Self {
            method: request.method(),
            uri: request.uri(),
            headers: request.headers(),
        }
    }
}

/// A request whose future is dropped, since its client left, ends here and
/// nowhere else. A thread does not notice and answers all the same.
impl Drop for Exchange {
    fn drop(&mut self) {
        let metrics = &self.middleware.metrics;
        metrics.in_flight.dec();
        if !self.answered {
            metrics.abandoned.inc();
            let took = self.started.elapsed();
            access::abandoned(&self.request, took);
        }
    }
}

fn problem_headers(error: &Error, length: usize, headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_TYPE, PROBLEM_JSON);
    // In place of that of the empty body, if a router has set it.
    headers.insert(header::CONTENT_LENGTH, length.into());
    match error {
        Error::Unavailable(_) => {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        // The rest of the body is still on its way: the connection cannot be
        // used for another request.
        Error::BodyTooLarge { .. } | Error::BodyTimeout => {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
}

/// Logs the cause of an error that is not the client's, once, where it is
/// handled, and tells the tracker of those that are bugs.
pub(crate) fn report(error: &Arc<Error>) {
    match **error {
        Error::Internal(_) => tracing::error!("{}", error.chain()),
        Error::Unavailable(_) => tracing::warn!("{}", error.chain()),
        _ => return,
    }
    sentry::error(error);
}
