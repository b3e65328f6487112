//! Readiness.

use shared::api::Ready;
use shared::error::{Error as SharedError, Unavailable};
use shared::schema;

use crate::app::App;
use crate::error::Error;
use crate::respond::{IntoResponse as _, Json};
use crate::router::Builder;
use crate::store;

pub(crate) fn routes(router: Builder) -> Builder {
    router.route::<__path_ready>(|app, _| ready(app).into_response())
}

/// Whether the database is reachable and its schema is the expected one.
#[utoipa::path(
    get,
    path = "/ready",
    tag = "health",
    responses((status = 200, description = "It is.", body = Ready))
)]
pub(crate) fn ready(app: &App) -> Result<Json<Ready>, Error> {
    let mut db = app.readiness.get()?;
    let applied = store::schema::applied(&mut db.client)?;
    schema::check(&applied)
        .map_err(|error| SharedError::Unavailable(Unavailable::Schema(error.into())))?;
    Ok(Json(Ready::READY))
}
