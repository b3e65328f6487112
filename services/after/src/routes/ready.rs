//! Readiness.

use axum::Json;
use axum::extract::State;
use shared::api::Ready;
use shared::error::{Error as SharedError, Unavailable};
use shared::schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::store;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(ready))
}

/// Whether the database is reachable and its schema is the expected one.
#[utoipa::path(
    get,
    path = "/ready",
    tag = "health",
    responses((status = 200, description = "It is.", body = Ready))
)]
pub(crate) async fn ready(State(app): State<App>) -> Result<Json<Ready>, Error> {
    let mut db = app.readiness.get().await?;
    let applied = store::schema::applied(&mut db).await?;
    schema::check(&applied)
        .map_err(|error| SharedError::Unavailable(Unavailable::Schema(error.into())))?;
    Ok(Json(Ready::READY))
}
