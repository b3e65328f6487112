//! From the open orders of a market to its book.

use std::cmp::Reverse;

use super::MarketId;
use crate::api::{Book, Contract, Level};

/// A row of `sql/book.sql`, its fields in the order of the columns: a contract
/// and its open orders, the values of one order at the same place of each list.
#[derive(Clone, Debug)]
pub struct BookRow {
    /// The market's name.
    pub market_name: String,
    /// The contract, if the market has any.
    pub contract_id: Option<i64>,
    /// The contract's name.
    pub contract_name: Option<String>,
    /// Whether each order buys; none if the contract has no open order.
    pub is_buy: Option<Vec<bool>>,
    /// The orders' prices in basis points.
    pub price_bp: Option<Vec<i32>>,
    /// The orders' quantities in units.
    pub quantity: Option<Vec<i32>>,
}

impl Book {
    /// Makes the book of a market from its rows, which come sorted by contract:
    /// the best `depth` price levels of each side. None if there are no rows,
    /// which means that there is no such market.
    #[must_use]
    pub fn of(market: MarketId, mut rows: Vec<BookRow>, depth: usize) -> Option<Self> {
        let name = std::mem::take(&mut rows.first_mut()?.market_name);
        let contracts = rows.into_iter().filter_map(|row| contract(row, depth));
        Some(Self {
            market: market.get(),
            name,
            contracts: contracts.collect(),
        })
    }
}

fn contract(row: BookRow, depth: usize) -> Option<Contract> {
    let sides = row.is_buy.unwrap_or_default();
    let prices = row.price_bp.unwrap_or_default();
    let quantities = row.quantity.unwrap_or_default();
    let mut buys = Vec::with_capacity(sides.len());
    let mut sells = Vec::with_capacity(sides.len());
    for ((is_buy, price), quantity) in sides.into_iter().zip(prices).zip(quantities) {
        let side = if is_buy { &mut buys } else { &mut sells };
        side.push((price, quantity));
    }
    buys.sort_unstable_by_key(|order| Reverse(order.0));
    sells.sort_unstable_by_key(|order| order.0);
    Some(Contract {
        id: row.contract_id?,
        name: row.contract_name?,
        buys: levels(&buys, depth),
        sells: levels(&sells, depth),
    })
}

/// The first `depth` levels of orders that are sorted by price.
fn levels(orders: &[(i32, i32)], depth: usize) -> Vec<Level> {
    orders
        .chunk_by(|a, b| a.0 == b.0)
        .take(depth)
        .map(|level| Level {
            price_bp: level[0].0,
            quantity: level.iter().map(|order| i64::from(order.1)).sum(),
            orders: level.len(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(contract: i64, orders: &[(bool, i32, i32)]) -> BookRow {
        BookRow {
            market_name: "Winner".into(),
            contract_id: Some(contract),
            contract_name: Some(format!("contract {contract}")),
            is_buy: Some(orders.iter().map(|order| order.0).collect()),
            price_bp: Some(orders.iter().map(|order| order.1).collect()),
            quantity: Some(orders.iter().map(|order| order.2).collect()),
        }
    }

    fn market() -> MarketId {
        MarketId::new(7).unwrap()
    }

    #[test]
    fn buys_fall_sells_rise_and_equal_prices_are_one_level() {
        let orders = [
            (true, 100, 5),
            (true, 120, 1),
            (true, 100, 7),
            (false, 140, 2),
            (false, 130, 3),
        ];
        let without_orders = BookRow {
            is_buy: None,
            price_bp: None,
            quantity: None,
            ..row(2, &[])
        };
        let rows = vec![row(1, &orders), without_orders];
        let book = Book::of(market(), rows, 5).unwrap();
        let level = |price_bp, quantity, orders| Level {
            price_bp,
            quantity,
            orders,
        };
        assert_eq!(
            book.contracts[0].buys,
            [level(120, 1, 1), level(100, 12, 2)]
        );
        assert_eq!(
            book.contracts[0].sells,
            [level(130, 3, 1), level(140, 2, 1)]
        );
        assert!(book.contracts[1].buys.is_empty() && book.contracts[1].sells.is_empty());
    }

    #[test]
    fn depth_counts_levels_and_quantities_do_not_overflow() {
        let mut orders = vec![(true, 50, i32::MAX); 3];
        orders.push((true, 40, 1));
        let book = Book::of(market(), vec![row(1, &orders)], 1).unwrap();
        assert_eq!(book.contracts[0].buys.len(), 1);
        assert_eq!(book.contracts[0].buys[0].quantity, 3 * i64::from(i32::MAX));
    }

    #[test]
    fn no_rows_is_no_market_and_no_contracts_is_an_empty_book() {
        assert!(Book::of(market(), Vec::new(), 5).is_none());
        let bare = BookRow {
            contract_id: None,
            contract_name: None,
            ..row(1, &[])
        };
        assert!(
            Book::of(market(), vec![bare], 5)
                .unwrap()
                .contracts
                .is_empty()
        );
    }
}
