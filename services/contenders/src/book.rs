//! The route that asks the database: what is the same for every driver.

use shared::api::Book;
use shared::domain::{BookRow, MarketId};
use tokio_postgres::Row;

/// The statement of the pair.
pub const SQL: &str = include_str!("../../../shared/sql/book.sql");

/// How many price levels a side: what the pair gives when it is not asked.
const DEPTH: usize = 5;

/// A row as tokio-postgres and postgres give it: they are the same type.
#[must_use]
pub fn decode(row: &Row) -> BookRow {
    BookRow {
        market_name: row.get(0),
        contract_id: row.get(1),
        contract_name: row.get(2),
        is_buy: row.get(3),
        price_bp: row.get(4),
        quantity: row.get(5),
    }
}

/// The book of these rows; none if there is no such market.
#[must_use]
pub fn of(market: MarketId, rows: Vec<BookRow>) -> Option<Book> {
    Book::of(market, rows, DEPTH)
}
