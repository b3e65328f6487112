//! The book of a market: the route that asks the database for much.

use shared::api::Book;
use shared::domain::{BookQuery, MarketId};
use shared::error::Error as SharedError;

use crate::app::App;
use crate::error::Error;
use crate::respond::{IntoResponse as _, Json};
use crate::router::Builder;
use crate::store;

pub(crate) fn routes(router: Builder) -> Builder {
    router.route::<__path_book>(|app, request| {
        let answer = || book(app, request.segment()?, request.query()?);
        answer().into_response()
    })
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
pub(crate) fn book(app: &App, market: MarketId, query: BookQuery) -> Result<Json<Book>, Error> {
    let mut db = app.pool.get()?; // waits: this thread sleeps
    let orders = store::market::open_orders(&mut db, market)?; // waits: this thread sleeps
    let book = Book::of(market, orders, query.depth());
    Ok(Json(book.ok_or(SharedError::NotFound("market"))?))
}
