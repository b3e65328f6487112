//! What every request goes through, on both services.
//!
//! Each concern is a file with a pure core that neither blocks nor awaits:
//! [`request_id`], [`access`], [`sentry`], [`mod@panic`], [`body_limit`],
//! [`time_limit`], and the figures in [`crate::metrics`]. [`Exchange`] puts them
//! in their order. The two adapters drive it: `blocking` around a function
//! call, `tower` around a future. One layer and not seven, since each layer of
//! boxed futures costs as much as all that the cores do.

pub mod access;
pub mod body_limit;
mod exchange;
pub mod panic;
pub mod request_id;
pub mod sentry;
pub mod time_limit;

#[cfg(feature = "blocking")]
pub mod blocking;
#[cfg(feature = "tower")]
pub mod tower;

use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "tower")]
pub(crate) use exchange::report;
pub use exchange::{Exchange, Head, failure};

use crate::config::Limits;
use crate::metrics::{Metrics, RouteMetrics, UNMATCHED};
use sentry::Tracker;

/// What the middleware of one service shares between requests.
pub struct Middleware {
    /// The service's figures.
    pub metrics: Arc<Metrics>,
    /// The error tracker.
    pub tracker: Tracker,
    /// The longest body in bytes.
    pub body_limit: usize,
    /// How long a request may take.
    pub request_timeout: Duration,
    /// By the path of a request, as both services route it.
    routes: matchit::Router<Arc<RouteMetrics>>,
    unmatched: Arc<RouteMetrics>,
}

impl Middleware {
    /// Sets up the middleware for the routes with these patterns.
    ///
    /// # Panics
    /// If two patterns cannot be told apart; then no router takes them either.
    pub fn new<'a>(
        metrics: Arc<Metrics>,
        tracker: Tracker,
        limits: &Limits,
        patterns: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        panic::report_panics();
        let mut routes = matchit::Router::new();
        for pattern in patterns {
            routes
                .insert(pattern, Arc::new(metrics.route(pattern)))
                .expect("no two routes have the same pattern");
        }
        Self {
            routes,
            unmatched: Arc::new(metrics.route(UNMATCHED)),
            metrics,
            tracker,
            body_limit: limits.body_limit,
            request_timeout: limits.request_timeout,
        }
    }

    /// The figures of the route to which a path leads, or of requests without
    /// one.
    #[must_use]
    pub fn route(&self, path: &str) -> &Arc<RouteMetrics> {
        self.routes
            .at(path)
            .map_or(&self.unmatched, |found| found.value)
    }
}
