//! Markets and their books.

use shared::api::Market;
use shared::domain::{BookRow, MarketId, MarketsQuery};

use crate::db::Connection;
use crate::error::Error;

/// A page of markets, with one more row than the page has if there is a next.
pub(crate) async fn page(db: &mut Connection, query: MarketsQuery) -> Result<Vec<Market>, Error> {
    let rows = sqlx::query_file_as!(
        Market,
        "../../shared/sql/markets.sql",
        query.after(),
        query.rows()
    );
    Ok(db.work.run(rows.fetch_all(&mut db.sqlx)).await?)
}

/// All open orders of a market.
pub(crate) async fn open_orders(
    db: &mut Connection,
    market: MarketId,
) -> Result<Vec<BookRow>, Error> {
    let rows = sqlx::query_file_as!(BookRow, "../../shared/sql/book.sql", market.get());
    Ok(db.work.run(rows.fetch_all(&mut db.sqlx)).await?)
}

/// Whether there is such a market.
pub(crate) async fn exists(db: &mut Connection, market: MarketId) -> Result<bool, Error> {
    let exists = sqlx::query_file_scalar!("../../shared/sql/market_exists.sql", market.get());
    Ok(db.work.run(exists.fetch_one(&mut db.sqlx)).await?)
}
