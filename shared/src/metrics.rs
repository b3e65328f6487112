//! Figures for Prometheus, from both services under the same names.
//!
//! A route has its histogram at hand from the moment the routes are built, and a
//! counter from the first answer of its method and status on, which looks it up
//! under a lock. All later ones find atomics.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{Method, StatusCode};
use prometheus::core::Collector;
use prometheus::process_collector::ProcessCollector;
use prometheus::{
    Encoder as _, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    Opts, Registry, TextEncoder,
};

/// The content type of [`Metrics::render`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Bounds of the latency histograms in seconds: fine where a ping lies, coarse
/// up to the default time limit of a request.
const SECONDS: [f64; 15] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    10.0,
];

/// The label of requests that no route matched.
pub const UNMATCHED: &str = "unmatched";

/// Methods with a label of their own; others share `OTHER`, so that a client
/// cannot make up labels.
const METHODS: [Method; 7] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::PATCH,
    Method::OPTIONS,
];
const OTHER_METHOD: usize = METHODS.len();

/// All statuses that the services answer.
const STATUSES: [u16; 15] = [
    200, 201, 202, 204, 308, 400, 404, 405, 408, 409, 413, 415, 422, 500, 503,
];

/// All figures of one service.
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    duration: HistogramVec,
    /// Requests being served.
    pub in_flight: IntGauge,
    /// Requests whose client left before the answer.
    pub abandoned: IntCounter,
    /// Connections that are open.
    pub connections: IntGauge,
    /// Connections accepted since the start.
    pub connections_accepted: IntCounter,
    /// Those of them that got at least one answer of the service. (hyper's own
    /// bare 400 is none.)
    pub connections_served: IntCounter,
    /// Connections refused with 503 since the start.
    pub connections_refused: IntCounter,
    /// How long requests waited for a database connection.
    pub pool_wait: Histogram,
    pool_size: IntGauge,
    pool_in_use: IntGauge,
    pool_limit: IntGauge,
    tasks: IntGauge,
}

/// What is not counted but read when somebody asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Connections that the pool has open.
    pub pool_size: usize,
    /// Those of them that are lent out.
    pub pool_in_use: usize,
    /// The most it may open.
    pub pool_limit: usize,
    /// Tasks alive on the runtime; 0 without one.
    pub tasks: usize,
}

impl Metrics {
    /// Makes the figures of a service, all at zero.
    ///
    /// # Panics
    /// Never: names and labels are constants, which the tests have seen.
    #[must_use]
    pub fn new() -> Self {
        fn registered<C: Collector + Clone + 'static>(registry: &Registry, metric: C) -> C {
            registry
                .register(Box::new(metric.clone()))
                .expect("the name is used once");
            metric
        }
        let registry = Registry::new();
        let gauge = |name: &str, help: &str| {
            registered(
                &registry,
                IntGauge::new(name, help).expect("the name is valid"),
            )
        };
        let counter = |name: &str, help: &str| {
            registered(
                &registry,
                IntCounter::new(name, help).expect("the name is valid"),
            )
        };
        let histogram =
            |name: &str, help: &str| HistogramOpts::new(name, help).buckets(SECONDS.to_vec());
        let requests = IntCounterVec::new(
            Opts::new("http_requests_total", "Requests answered."),
            &["route", "method", "status"],
        )
        .expect("the labels are valid");
        let duration = HistogramVec::new(
            histogram(
                "http_request_duration_seconds",
                "From the head of a request to its answer.",
            ),
            &["route"],
        )
        .expect("the labels are valid");
        let pool_wait = Histogram::with_opts(histogram(
            "db_pool_wait_seconds",
            "How long requests waited for a database connection.",
        ))
        .expect("the bounds are sorted");
        registry
            .register(Box::new(ProcessCollector::for_self()))
            .expect("its names are used once");
        Self {
            requests: registered(&registry, requests),
            duration: registered(&registry, duration),
            in_flight: gauge("http_requests_in_flight", "Requests being served."),
            abandoned: counter(
                "http_requests_abandoned_total",
                "Requests whose client left before the answer.",
            ),
            connections: gauge("http_connections", "Connections that are open."),
            connections_accepted: counter(
                "http_connections_accepted_total",
                "Connections accepted.",
            ),
            connections_served: counter(
                "http_connections_served_total",
                "Connections that got at least one answer.",
            ),
            connections_refused: counter(
                "http_connections_refused_total",
                "Connections refused with 503.",
            ),
            pool_wait: registered(&registry, pool_wait),
            pool_size: gauge("db_pool_connections", "Database connections that are open."),
            pool_in_use: gauge(
                "db_pool_connections_in_use",
                "Database connections lent out.",
            ),
            pool_limit: gauge("db_pool_connections_max", "The most database connections."),
            tasks: gauge(
                "runtime_tasks",
                "Tasks alive on the async runtime; 0 without one.",
            ),
            registry,
        }
    }

    /// The figures of one route, to be kept by whoever serves it.
    #[must_use]
    pub fn route(&self, pattern: &str) -> RouteMetrics {
        RouteMetrics {
            pattern: pattern.into(),
            requests: self.requests.clone(),
            duration: self.duration.with_label_values(&[pattern]),
            counters: Default::default(),
        }
    }

    /// All figures as Prometheus' text format. Reads a few files of `/proc`.
    ///
    /// # Panics
    /// Never: writing to memory cannot fail.
    #[must_use]
    pub fn render(&self, sample: Sample) -> Vec<u8> {
        let set =
            |gauge: &IntGauge, value: usize| gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        set(&self.pool_size, sample.pool_size);
        set(&self.pool_in_use, sample.pool_in_use);
        set(&self.pool_limit, sample.pool_limit);
        set(&self.tasks, sample.tasks);
        let mut text = Vec::new();
        TextEncoder::new()
            .encode(&self.registry.gather(), &mut text)
            .expect("writing to memory cannot fail");
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

/// The figures of one route.
pub struct RouteMetrics {
    pattern: Arc<str>,
    requests: IntCounterVec,
    duration: Histogram,
    /// Counters by method and status, made when the first such answer is given,
    /// so that the page shows no rows of zeros.
    counters: [[OnceLock<IntCounter>; STATUSES.len()]; METHODS.len() + 1],
}

impl RouteMetrics {
    /// The route's pattern, such as `/markets/{id}/book`.
    #[must_use]
    pub fn pattern(&self) -> &Arc<str> {
        &self.pattern
    }

    /// Counts an answer.
    pub fn answered(&self, method: &Method, status: StatusCode, took: Duration) {
        self.duration.observe(took.as_secs_f64());
        let at = METHODS
            .iter()
            .position(|known| known == method)
            .unwrap_or(OTHER_METHOD);
        let label = METHODS.get(at).map_or("OTHER", Method::as_str);
        let counter = |status: &str| {
            self.requests
                .with_label_values(&[&*self.pattern, label, status])
        };
        match STATUSES.binary_search(&status.as_u16()) {
            Ok(known) => self.counters[at][known]
                .get_or_init(|| counter(status.as_str()))
                .inc(),
            Err(_) => counter(status.as_str()).inc(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_method_and_status() {
        let metrics = Metrics::new();
        let route = metrics.route("/orders/{id}");
        let brew = Method::from_bytes(b"BREW").unwrap();
        for method in [&Method::GET, &Method::GET, &brew] {
            route.answered(method, StatusCode::OK, Duration::from_millis(3));
        }
        let text = String::from_utf8(metrics.render(Sample::default())).unwrap();
        for line in [
            r#"http_requests_total{method="GET",route="/orders/{id}",status="200"} 2"#,
            r#"http_requests_total{method="OTHER",route="/orders/{id}",status="200"} 1"#,
            r#"http_request_duration_seconds_bucket{route="/orders/{id}",le="0.005"} 3"#,
            "process_resident_memory_bytes",
            "process_threads",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }

    #[test]
    fn the_known_statuses_are_sorted_as_the_search_needs_them() {
        assert!(STATUSES.is_sorted());
    }
}
