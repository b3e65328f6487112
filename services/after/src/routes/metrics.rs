//! Figures for Prometheus.

use axum::extract::State;
use http::header::{CONTENT_TYPE, HeaderName};
use shared::metrics;
use shared::work::tasks;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(metrics))
}

/// The service's figures in Prometheus' text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "health",
    responses((status = 200, description = "The figures.", body = str, content_type = "text/plain"))
)]
pub(crate) async fn metrics(State(app): State<App>) -> ([(HeaderName, &'static str); 1], Vec<u8>) {
    let sample = app.pool.sample();
    // Reads files of /proc, which only looks quick: a file may always block.
    let text = tasks::run_blocking(move || app.metrics.render(sample)).await;
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], text)
}
