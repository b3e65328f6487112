//! The book of a market: the route that asks the database for much.

use axum::Json;
use axum::extract::State;
use shared::api::Book;
use shared::domain::{BookQuery, MarketId};
use shared::error::Error as SharedError;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::extract::{Query, Segment};
use crate::store;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(book))
}

/// What is on offer in a market: the best price levels of each side, for every
/// contract.
#[utoipa::path(
    get,
    path = "/markets/{id}/book",
    tag = "markets",
    params(
        ("id" = i64, Path, description = "The market's id.", minimum = 1),
        ("depth" = Option<u8>, Query, description = "How many price levels a side; 5 if not given.", minimum = 1, maximum = 20),
    ),
    responses(
        (status = 200, description = "The book.", body = Book),
        (status = 404, description = "There is no such market."),
        (status = 422, description = "`depth` is out of its range."),
    )
)]
pub(crate) async fn book(
    State(app): State<App>,
    Segment(market): Segment<MarketId>,
    Query(query): Query<BookQuery>,
) -> Result<Json<Book>, Error> {
    let mut db = app.pool.get().await?; // waits: the thread serves others
    let orders = store::market::open_orders(&mut db, market).await?; // waits: the thread serves others
    let book = Book::of(market, orders, query.depth());
    Ok(Json(book.ok_or(SharedError::NotFound("market"))?))
}
