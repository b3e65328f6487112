//! From the open orders of a market to its book.

use std::cmp::Reverse;

use super::MarketId;
use crate::api::{Book, Contract, Level};

/// A row of `sql/book.sql`, its fields in the order of the columns.
#[derive(Clone, Debug)]
pub struct BookRow {
    /// The market's name.
    pub market_name: String,
    /// The contract, if the market has any.
    pub contract_id: Option<i64>,
    /// The contract's name.
    pub contract_name: Option<String>,
    /// Whether the order buys; none if the contract has no open order.
    pub is_buy: Option<bool>,
    /// The order's price in basis points.
    pub price_bp: Option<i32>,
    /// The order's quantity in units.
    pub quantity: Option<i32>,
}

impl Book {
    /// Makes the book of a market from the rows of its open orders, which come
    /// sorted by contract: the best `depth` price levels of each side. None if
    /// there are no rows, which means that there is no such market.
    #[must_use]
    pub fn of(market: MarketId, rows: Vec<BookRow>, depth: usize) -> Option<Self> {
        let name = rows.first()?.market_name.clone();
        let mut contracts: Vec<Contract> = Vec::new();
        let mut orders = Orders::default();
        for row in rows {
            let (Some(id), Some(contract_name)) = (row.contract_id, row.contract_name) else {
                continue;
            };
            if contracts.last().is_none_or(|contract| contract.id != id) {
                orders.close(contracts.last_mut(), depth);
                contracts.push(Contract {
                    id,
                    name: contract_name,
                    buys: Vec::new(),
                    sells: Vec::new(),
                });
            }
            if let (Some(is_buy), Some(price), Some(quantity)) =
                (row.is_buy, row.price_bp, row.quantity)
            {
                let side = if is_buy {
                    &mut orders.buys
                } else {
                    &mut orders.sells
                };
                side.push((price, quantity));
            }
        }
        orders.close(contracts.last_mut(), depth);
        Some(Self {
            market: market.get(),
            name,
            contracts,
        })
    }
}

/// The orders of the contract being read, as price and quantity.
#[derive(Default)]
struct Orders {
    buys: Vec<(i32, i32)>,
    sells: Vec<(i32, i32)>,
}

impl Orders {
    /// Turns what has been read into the contract's levels, and starts anew.
    fn close(&mut self, contract: Option<&mut Contract>, depth: usize) {
        if let Some(contract) = contract {
            self.buys.sort_unstable_by_key(|order| Reverse(order.0));
            self.sells.sort_unstable_by_key(|order| order.0);
            contract.buys = levels(&self.buys, depth);
            contract.sells = levels(&self.sells, depth);
        }
        self.buys.clear();
        self.sells.clear();
    }
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

    fn row(contract: i64, order: Option<(bool, i32, i32)>) -> BookRow {
        BookRow {
            market_name: "Winner".into(),
            contract_id: Some(contract),
            contract_name: Some(format!("contract {contract}")),
            is_buy: order.map(|order| order.0),
            price_bp: order.map(|order| order.1),
            quantity: order.map(|order| order.2),
        }
    }

    fn market() -> MarketId {
        MarketId::new(7).unwrap()
    }

    #[test]
    fn buys_fall_sells_rise_and_equal_prices_are_one_level() {
        let rows = vec![
            row(1, Some((true, 100, 5))),
            row(1, Some((true, 120, 1))),
            row(1, Some((true, 100, 7))),
            row(1, Some((false, 140, 2))),
            row(1, Some((false, 130, 3))),
            row(2, None),
        ];
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
        let rows = (0..3).map(|_| row(1, Some((true, 50, i32::MAX))));
        let rows = rows.chain([row(1, Some((true, 40, 1)))]).collect();
        let book = Book::of(market(), rows, 1).unwrap();
        assert_eq!(book.contracts[0].buys.len(), 1);
        assert_eq!(book.contracts[0].buys[0].quantity, 3 * i64::from(i32::MAX));
    }

    #[test]
    fn no_rows_is_no_market_and_no_contracts_is_an_empty_book() {
        assert!(Book::of(market(), Vec::new(), 5).is_none());
        let bare = BookRow {
            contract_id: None,
            contract_name: None,
            ..row(1, None)
        };
        assert!(
            Book::of(market(), vec![bare], 5)
                .unwrap()
                .contracts
                .is_empty()
        );
    }
}
