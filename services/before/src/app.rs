//! The service without a server: a request in, a response out.

use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{Method, Request, Response};
use shared::config::Config;
use shared::error::Error as SharedError;
use shared::metrics::Metrics;
use shared::middleware::sentry::Tracker;
use shared::middleware::{Exchange, Head, Middleware, blocking, failure};
use shared::openapi;

use crate::pool::Pool;
use crate::router::Router;
use crate::routes;

/// The state that all handlers share. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<State>);

/// What is behind it. A missing piece fails the build, not a request.
pub struct State {
    pub(crate) pool: Pool,
    /// For `/ready` alone.
    pub(crate) readiness: Pool,
    pub(crate) metrics: Arc<Metrics>,
    /// The OpenAPI document, as it is sent.
    pub(crate) document: Bytes,
    middleware: Arc<Middleware>,
    router: Router,
}

impl std::ops::Deref for App {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl App {
    /// Sets the service up. Nothing is connected yet: it starts without a
    /// database, too.
    #[must_use]
    pub fn new(config: &Config, metrics: Arc<Metrics>, tracker: Tracker) -> Self {
        let builder = routes::all(config);
        let middleware =
            Middleware::new(metrics.clone(), tracker, &config.limits, builder.patterns());
        let (router, paths, components) = builder.finish();
        let document = openapi::complete(paths, components, config.service);
        Self(Arc::new(State {
            pool: Pool::new(&config.database, metrics.clone()),
            readiness: Pool::for_readiness(&config.database),
            metrics,
            document: openapi::to_json(&document).into(),
            middleware: Arc::new(middleware),
            router,
        }))
    }

    /// Answers a request as a plain call, without a server.
    #[must_use]
    pub fn call(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        let exchange = self.begin(&head);
        self.answer(exchange, &head, Ok(body))
    }

    /// Begins to serve a request of which the head is there.
    #[must_use]
    pub fn begin(&self, head: &Parts) -> Exchange {
        Exchange::begin(&self.middleware, Head::from(head))
    }

    /// Answers it when the body is there too, or could not be had. Blocks for
    /// as long as the handler does.
    #[must_use]
    pub fn answer(
        &self,
        exchange: Exchange,
        head: &Parts,
        body: Result<Bytes, SharedError>,
    ) -> Response<Bytes> {
        let method = &head.method;
        let mut response = blocking::serve(exchange, || {
            match (body, self.router.find(head.uri.path())) {
                (Ok(body), Some((resource, segment))) => resource.call(self, head, &body, segment),
                (Ok(_), None) => failure(SharedError::NotFound("route")),
                (Err(error), _) => failure(error),
            }
        });
        if method == Method::HEAD {
            // The body is not sent, but its length is, also if that is 0.
            let length = response.body().len().into();
            response.headers_mut().insert(CONTENT_LENGTH, length);
        }
        response
    }
}
