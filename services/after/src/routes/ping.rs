//! Liveness.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(ping))
}

/// Answers as long as the process lives, and touches nothing.
#[utoipa::path(
    get,
    path = "/ping",
    tag = "health",
    responses((status = 200, description = "`pong`", body = str, content_type = "text/plain"))
)]
pub(crate) async fn ping() -> &'static str {
    "pong"
}
