//! The list of markets.

use shared::api::Markets;
use shared::domain::MarketsQuery;

use crate::app::App;
use crate::error::Error;
use crate::respond::{IntoResponse as _, Json};
use crate::router::Builder;
use crate::store;

pub(crate) fn routes(router: Builder) -> Builder {
    router.route::<__path_markets>(|app, request| {
        let answer = || markets(app, request.query()?);
        answer().into_response()
    })
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
pub(crate) fn markets(app: &App, query: MarketsQuery) -> Result<Json<Markets>, Error> {
    let mut db = app.pool.get()?;
    let rows = store::market::page(&mut db, query)?;
    Ok(Json(Markets::page(rows, query.limit())))
}
