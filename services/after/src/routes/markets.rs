//! The list of markets.

use axum::Json;
use axum::extract::State;
use shared::api::Markets;
use shared::domain::MarketsQuery;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::extract::Query;
use crate::store;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(markets))
}

/// A page of markets in the order of their ids.
#[utoipa::path(
    get,
    path = "/markets",
    tag = "markets",
    params(
        ("limit" = Option<u8>, Query, description = "How many markets to show; 50 if not given.", minimum = 1, maximum = 200),
        ("after" = Option<i64>, Query, description = "The id after which to start: `next` of the page before.", minimum = 0),
    ),
    responses(
        (status = 200, description = "The page; empty behind the last market.", body = Markets),
        (status = 422, description = "A parameter is out of its range."),
    )
)]
pub(crate) async fn markets(
    State(app): State<App>,
    Query(query): Query<MarketsQuery>,
) -> Result<Json<Markets>, Error> {
    let mut db = app.pool.get().await?;
    let rows = store::market::page(&mut db, query).await?;
    Ok(Json(Markets::page(rows, query.limit())))
}
