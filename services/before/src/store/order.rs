//! Orders and their idempotency keys.

use std::time::Duration;

use shared::api::Order;
use shared::domain::{IdempotencyKey, NewOrder, OrderId, PlacedOrder};
use tokio_postgres::Row;

use crate::db::Client;
use crate::error::Error;
use crate::pool::Connection;

/// What became of an order that was to be placed.
pub(crate) enum Placing {
    /// It is stored.
    Placed(Order),
    /// The contract is not one of the market's.
    NoSuchContract,
    /// The key was taken before.
    KeyTaken,
}

/// Stores an order and its key in one transaction: both or neither.
pub(crate) fn place(
    db: &mut Connection,
    key: &IdempotencyKey,
    new: &NewOrder,
) -> Result<Placing, Error> {
    let insert = db
        .client
        .prepared(include_str!("../../../../shared/sql/insert_order.sql"))?;
    let take = db
        .client
        .prepared(include_str!("../../../../shared/sql/take_key.sql"))?;
    let mut transaction = db.client.transaction()?;
    let row = transaction.query_opt(
        &insert,
        &[
            &new.market().get(),
            &new.contract().get(),
            &new.side().as_str(),
            &new.price().get(),
            &new.quantity().get(),
        ],
    )?;
    let Some(row) = row else {
        transaction.rollback()?;
        return Ok(Placing::NoSuchContract);
    };
    let order = Order::placed(new, row.get(0), row.get(1));
    let hash = new.request_hash();
    let taken = transaction.execute(&take, &[&key.as_str(), &hash.as_bytes(), &order.id])?;
    if taken == 0 {
        transaction.rollback()?;
        return Ok(Placing::KeyTaken);
    }
    transaction.commit()?;
    Ok(Placing::Placed(order))
}

/// The order that a key stands for.
pub(crate) fn by_key(
    db: &mut Connection,
    key: &IdempotencyKey,
) -> Result<Option<PlacedOrder>, Error> {
    let sql = db
        .client
        .prepared(include_str!("../../../../shared/sql/order_by_key.sql"))?;
    let row = db.client.query_opt(&sql, &[&key.as_str()])?;
    Ok(row.map(|row| PlacedOrder {
        request_hash: row.get(0),
        order: order(&row, 1),
    }))
}

/// Forgets keys that are older. Says how many: none if there are no more.
pub(crate) fn forget_keys(db: &mut Client, keep: Duration) -> Result<u64, Error> {
    let sql = db.prepared(include_str!("../../../../shared/sql/forget_keys.sql"))?;
    Ok(db.execute(&sql, &[&keep.as_secs_f64()])?)
}

/// The order with this id.
pub(crate) fn find(db: &mut Connection, id: OrderId) -> Result<Option<Order>, Error> {
    let sql = db
        .client
        .prepared(include_str!("../../../../shared/sql/order.sql"))?;
    let row = db.client.query_opt(&sql, &[&id.get()])?;
    Ok(row.map(|row| order(&row, 0)))
}

/// Cancels an order. Says whether there is such an order.
pub(crate) fn cancel(db: &mut Connection, id: OrderId) -> Result<bool, Error> {
    let sql = db
        .client
        .prepared(include_str!("../../../../shared/sql/cancel_order.sql"))?;
    Ok(db.client.execute(&sql, &[&id.get()])? > 0)
}

/// An order from the columns that start there.
fn order(row: &Row, at: usize) -> Order {
    Order {
        id: row.get(at),
        market: row.get(at + 1),
        contract: row.get(at + 2),
        side: row.get(at + 3),
        price_bp: row.get(at + 4),
        quantity: row.get(at + 5),
        state: row.get(at + 6),
        created_at: row.get(at + 7),
    }
}
