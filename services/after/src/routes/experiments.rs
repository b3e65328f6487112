//! Routes for experiments, served with `EXPERIMENTS=on` only.

use http::StatusCode;
use shared::domain::{FailKind, FailQuery, SleepQuery};
use shared::error::Error as SharedError;
use shared::work::tasks;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::extract::Query;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(sleep))
        .routes(routes!(fail))
}

/// Waits, as for slow I/O, and answers.
#[utoipa::path(
    get,
    path = "/sleep",
    tag = "experiments",
    params(("ms" = Option<u16>, Query, description = "How many milliseconds; 50 if not given.", minimum = 0, maximum = 60_000)),
    responses(
        (status = 200, description = "`slept`", body = str, content_type = "text/plain"),
        (status = 422, description = "`ms` is out of its range."),
    )
)]
pub(crate) async fn sleep(Query(query): Query<SleepQuery>) -> Result<&'static str, Error> {
    // Whoever waits can be dropped: the middleware ends it when its time is up.
    tokio::time::sleep(query.duration()).await;
    Ok("slept")
}

/// Fails, to prove that Sentry is wired.
#[utoipa::path(
    post,
    path = "/fail",
    tag = "experiments",
    params(("kind" = String, Query, description = "How: `error`, `panic` or `background`.", pattern = "^(error|panic|background)$")),
    responses(
        (status = 202, description = "A background job was started, and will fail."),
        (status = 422, description = "`kind` is missing or not allowed."),
    )
)]
pub(crate) async fn fail(Query(query): Query<FailQuery>) -> Result<StatusCode, Error> {
    match query.kind() {
        FailKind::Error => Err(SharedError::internal("asked to fail").into()),
        FailKind::Panic => panic!("asked to panic"),
        FailKind::Background => {
            tasks::spawn("asked to fail", None, async {
                Err(SharedError::internal("asked to fail in the background"))
            });
            Ok(StatusCode::ACCEPTED)
        }
    }
}
