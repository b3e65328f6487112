//! Figures for Prometheus.

use http::header::{CONTENT_TYPE, HeaderName};
use shared::metrics;

use crate::app::App;
use crate::respond::IntoResponse as _;
use crate::router::Builder;

pub(crate) fn routes(router: Builder) -> Builder {
    router.route::<__path_metrics>(|app, _| metrics(app).into_response())
}

/// The service's figures in Prometheus' text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "health",
    responses((status = 200, description = "The figures.", body = str, content_type = "text/plain"))
)]
pub(crate) fn metrics(app: &App) -> ([(HeaderName, &'static str); 1], Vec<u8>) {
    let text = app.metrics.render(app.pool.sample());
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], text)
}
