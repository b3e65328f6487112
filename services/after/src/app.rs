//! The service without a server: an axum router in its middleware.

use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use shared::config::Config;
use shared::error::Error as SharedError;
use shared::metrics::Metrics;
use shared::middleware::sentry::Tracker;
use shared::middleware::{Middleware, tower};
use shared::openapi;

use crate::error::Error;
use crate::pool::{Pool, Pools};
use crate::routes;

/// The whole service: a tower service, for this server or another.
pub type Service = tower::Service<Router>;

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
}

impl std::ops::Deref for App {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

/// Sets the service up, with so many database connections at the most. Nothing
/// is connected yet: it starts without a database, too.
///
/// To be called within the runtime that serves it, to which the pool belongs.
pub fn app(
    config: &Config,
    pool: usize,
    pools: &Pools,
    metrics: Arc<Metrics>,
    tracker: Tracker,
) -> Service {
    let (routes, documented) = routes::all(config).split_for_parts();
    let patterns = documented.paths.paths.keys().map(String::as_str);
    let patterns = patterns.chain(routes::UNDOCUMENTED);
    let middleware = Middleware::new(metrics.clone(), tracker, &config.limits, patterns);
    let components = documented.components.unwrap_or_default();
    let document = openapi::complete(documented.paths, components, config.service);
    let app = App(Arc::new(State {
        pool: Pool::new(&config.database, pool, pools, metrics.clone()),
        readiness: Pool::for_readiness(&config.database),
        metrics,
        document: openapi::to_json(&document).into(),
    }));
    let within = routes
        .fallback(async || Error::from(SharedError::NotFound("route")))
        .method_not_allowed_fallback(async || Error::from(SharedError::MethodNotAllowed))
        .with_state(app);
    // Outermost, so that it sees what no route has matched, too.
    Service::new(Arc::new(middleware), within)
}
