//! Liveness.

use crate::respond::IntoResponse as _;
use crate::router::Builder;

pub(crate) fn routes(router: Builder) -> Builder {
    router.route::<__path_ping>(|_, _| ping().into_response())
}

/// Answers as long as the process lives, and touches nothing.
#[utoipa::path(
    get,
    path = "/ping",
    tag = "health",
    responses((status = 200, description = "`pong`", body = str, content_type = "text/plain"))
)]
pub(crate) fn ping() -> &'static str {
    "pong"
}
