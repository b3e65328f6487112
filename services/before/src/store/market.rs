//! Markets and their books.

use shared::api::Market;
use shared::domain::{BookRow, MarketId, MarketsQuery};

use crate::error::Error;
use crate::pool::Connection;

/// A page of markets, with one more row than the page has if there is a next.
pub(crate) fn page(db: &mut Connection, query: MarketsQuery) -> Result<Vec<Market>, Error> {
    let sql = db
        .client
        .prepared(include_str!("../../../../shared/sql/markets.sql"))?;
    let rows = db.client.query(&sql, &[&query.after(), &query.rows()])?;
    Ok(rows
        .iter()
        .map(|row| Market {
            id: row.get(0),
            event: row.get(1),
            name: row.get(2),
        })
        .collect())
}

/// All open orders of a market.
pub(crate) fn open_orders(db: &mut Connection, market: MarketId) -> Result<Vec<BookRow>, Error> {
    let sql = db
        .client
        .prepared(include_str!("../../../../shared/sql/book.sql"))?;
    let rows = db.client.query(&sql, &[&market.get()])?;
    Ok(rows
        .iter()
        .map(|row| BookRow {
            market_name: row.get(0),
            contract_id: row.get(1),
            contract_name: row.get(2),
            is_buy: row.get(3),
            price_bp: row.get(4),
            quantity: row.get(5),
        })
        .collect())
}

/// Whether there is such a market.
pub(crate) fn exists(db: &mut Connection, market: MarketId) -> Result<bool, Error> {
    let sql = db
        .client
        .prepared(include_str!("../../../../shared/sql/market_exists.sql"))?;
    Ok(db.client.query_one(&sql, &[&market.get()])?.get(0))
}
