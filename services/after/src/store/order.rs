//! Orders and their idempotency keys.

use std::time::Duration;

use shared::api::Order;
use shared::domain::{IdempotencyKey, NewOrder, OrderId, PlacedOrder};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use crate::db::Connection;
use crate::error::Error;

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
pub(crate) async fn place(
    db: &mut Connection,
    key: &IdempotencyKey,
    new: &NewOrder,
) -> Result<Placing, Error> {
    Ok(db.work.transaction(placing(&mut db.sqlx, key, new)).await?)
}

async fn placing(
    db: &mut PgConnection,
    key: &IdempotencyKey,
    new: &NewOrder,
) -> Result<Placing, sqlx::Error> {
    let mut transaction = db.begin().await?;
    let row = sqlx::query_file!(
        "../../shared/sql/insert_order.sql",
        new.market().get(),
        new.contract().get(),
        new.side().as_str(),
        new.price().get(),
        new.quantity().get()
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else {
        transaction.rollback().await?;
        return Ok(Placing::NoSuchContract);
    };
    let order = Order::placed(new, row.id, row.created_at);
    let hash = new.request_hash();
    let taken = sqlx::query_file!(
        "../../shared/sql/take_key.sql",
        key.as_str(),
        hash.as_bytes(),
        order.id
    )
    .execute(&mut *transaction)
    .await?;
    if taken.rows_affected() == 0 {
        transaction.rollback().await?;
        return Ok(Placing::KeyTaken);
    }
    transaction.commit().await?;
    Ok(Placing::Placed(order))
}

/// The order that a key stands for.
pub(crate) async fn by_key(
    db: &mut Connection,
    key: &IdempotencyKey,
) -> Result<Option<PlacedOrder>, Error> {
    let row = sqlx::query_file!("../../shared/sql/order_by_key.sql", key.as_str());
    let row = db.work.run(row.fetch_optional(&mut db.sqlx)).await?;
    Ok(row.map(|row| PlacedOrder {
        request_hash: row.request_hash,
        order: Order {
            id: row.id,
            market: row.market,
            contract: row.contract,
            side: row.side,
            price_bp: row.price_bp,
            quantity: row.quantity,
            state: row.state,
            created_at: row.created_at,
        },
    }))
}

/// Forgets keys that are older. Says how many: none if there are no more.
pub(crate) async fn forget_keys(db: &mut Connection, keep: Duration) -> Result<u64, Error> {
    let forget = sqlx::query_file!("../../shared/sql/forget_keys.sql", keep.as_secs_f64());
    let done = db.work.run(forget.execute(&mut db.sqlx)).await?;
    Ok(done.rows_affected())
}

/// The order with this id.
pub(crate) async fn find(db: &mut Connection, id: OrderId) -> Result<Option<Order>, Error> {
    let order = sqlx::query_file_as!(Order, "../../shared/sql/order.sql", id.get());
    Ok(db.work.run(order.fetch_optional(&mut db.sqlx)).await?)
}

/// Cancels an order. Says whether there is such an order.
pub(crate) async fn cancel(db: &mut Connection, id: OrderId) -> Result<bool, Error> {
    let cancel = sqlx::query_file!("../../shared/sql/cancel_order.sql", id.get());
    let done = db.work.run(cancel.execute(&mut db.sqlx)).await?;
    Ok(done.rows_affected() > 0)
}
