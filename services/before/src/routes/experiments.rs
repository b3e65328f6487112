//! Routes for experiments, served with `EXPERIMENTS=on` only.

use std::thread;

use http::StatusCode;
use shared::domain::{FailKind, FailQuery, SleepQuery};
use shared::error::{Error as SharedError, Unavailable};
use shared::middleware::blocking;
use shared::work::threads;

use crate::crew;
use crate::error::Error;
use crate::respond::IntoResponse as _;
use crate::router::Builder;

pub(crate) fn routes(router: Builder) -> Builder {
    router
        .route::<__path_sleep>(|_, request| {
            let answer = || sleep(request.query()?);
            answer().into_response()
        })
        .route::<__path_fail>(|_, request| {
            let answer = || fail(request.query()?);
            answer().into_response()
        })
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
pub(crate) fn sleep(query: SleepQuery) -> Result<&'static str, Error> {
    // Nobody can stop a thread that sleeps: it has to know how long it may.
    let limit = blocking::at_most(query.duration())?;
    if !crew::may_wait() {
        return Err(SharedError::Unavailable(Unavailable::Line).into());
    }
    crew::asleep(|| thread::sleep(limit));
    if limit < query.duration() {
        return Err(SharedError::Unavailable(Unavailable::Deadline).into());
    }
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
pub(crate) fn fail(query: FailQuery) -> Result<StatusCode, Error> {
    match query.kind() {
        FailKind::Error => Err(SharedError::internal("asked to fail").into()),
        FailKind::Panic => panic!("asked to panic"),
        FailKind::Background => {
            threads::spawn("asked to fail", None, || {
                Err(SharedError::internal("asked to fail in the background"))
            })
            .map_err(SharedError::internal)?;
            Ok(StatusCode::ACCEPTED)
        }
    }
}
