//! Markets and their books.

use shared::api::Market;
use shared::domain::{BookRow, MarketId, MarketsQuery};
use sqlx::PgConnection;

use crate::error::Error;

/// A page of markets, with one more row than the page has if there is a next.
pub(crate) async fn page(db: &mut PgConnection, query: MarketsQuery) -> Result<Vec<Market>, Error> {
    Ok(sqlx::query_file_as!(
        Market,
        "../../shared/sql/markets.sql",
        query.after(),
        query.rows()
    )
    .fetch_all(db)
    .await?)
}

/// All open orders of a market.
pub(crate) async fn open_orders(
    db: &mut PgConnection,
    market: MarketId,
) -> Result<Vec<BookRow>, Error> {
    Ok(
        sqlx::query_file_as!(BookRow, "../../shared/sql/book.sql", market.get())
            .fetch_all(db)
            .await?,
    )
}

/// Whether there is such a market.
pub(crate) async fn exists(db: &mut PgConnection, market: MarketId) -> Result<bool, Error> {
    Ok(
        sqlx::query_file_scalar!("../../shared/sql/market_exists.sql", market.get())
            .fetch_one(db)
            .await?,
    )
}
