//! Orders: placing, showing and cancelling them.

use http::StatusCode;
use http::header::{HeaderName, LOCATION};
use shared::api::{Order, PlaceOrder};
use shared::domain::{IdempotencyKey, MarketId, NewOrder, OrderId};
use shared::error::Error as SharedError;

use crate::app::App;
use crate::error::Error;
use crate::respond::{IntoResponse as _, Json};
use crate::router::Builder;
use crate::store;
use crate::store::order::Placing;

pub(crate) fn routes(router: Builder) -> Builder {
    router
        .route::<__path_place_order>(|app, request| {
            let answer = || {
                place_order(
                    app,
                    request.segment()?,
                    &request.headers()?,
                    &request.body()?,
                )
            };
            answer().into_response()
        })
        .route::<__path_order>(|app, request| {
            let answer = || order(app, request.segment()?);
            answer().into_response()
        })
        .route::<__path_cancel_order>(|app, request| {
            let answer = || cancel_order(app, request.segment()?);
            answer().into_response()
        })
}

/// The order with its address.
type Created = (StatusCode, [(HeaderName, String); 1], Json<Order>);

/// Places an order. Sent again with the same key it gives the same answer and
/// no second order, so that a client may retry until it has one.
#[utoipa::path(
    post,
    path = "/markets/{id}/orders",
    tag = "orders",
    params(
        ("id" = i64, Path, description = "The market's id.", minimum = 1),
        ("Idempotency-Key" = String, Header, description = "A new one for each order.", min_length = 1, max_length = 64, pattern = "^[!-~]+$"),
    ),
    request_body = PlaceOrder,
    responses(
        (status = 201, description = "The order.", body = Order, headers(("Location" = String, description = "The order's address."))),
        (status = 404, description = "There is no such market."),
        (status = 409, description = "The key is in use at this moment."),
        (status = 415, description = "The body is not `application/json`."),
        (status = 422, description = "A field is missing or not allowed, or the key was used for another order."),
    )
)]
pub(crate) fn place_order(
    app: &App,
    market: MarketId,
    key: &IdempotencyKey,
    asked: &PlaceOrder,
) -> Result<Created, Error> {
    let new = NewOrder::new(market, asked)?;
    // A thread goes on when its client leaves: the write needs no shield.
    let order = place(app, key, &new)?;
    let location = format!("/orders/{}", order.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(order)))
}

/// Stores the order, or finds the one that was stored with the key before.
fn place(app: &App, key: &IdempotencyKey, new: &NewOrder) -> Result<Order, Error> {
    let mut db = app.pool.get()?;
    match store::order::place(&mut db, key, new)? {
        Placing::Placed(order) => Ok(order),
        Placing::NoSuchContract if store::market::exists(&mut db, new.market())? => {
            Err(SharedError::invalid("contract", "is not a contract of this market").into())
        }
        Placing::NoSuchContract => Err(SharedError::NotFound("market").into()),
        Placing::KeyTaken => match store::order::by_key(&mut db, key)? {
            Some(placed) => Ok(placed.replay(new)?),
            None => Err(SharedError::Conflict("the key is in use; try again").into()),
        },
    }
}

/// Shows an order.
#[utoipa::path(
    get,
    path = "/orders/{id}",
    tag = "orders",
    params(("id" = i64, Path, description = "The order's id.", minimum = 1)),
    responses(
        (status = 200, description = "The order.", body = Order),
        (status = 404, description = "There is no such order."),
    )
)]
pub(crate) fn order(app: &App, id: OrderId) -> Result<Json<Order>, Error> {
    let mut db = app.pool.get()?;
    let order = store::order::find(&mut db, id)?;
    Ok(Json(order.ok_or(SharedError::NotFound("order"))?))
}

/// Cancels an order; the second time there is nothing left to do, and that is
/// no error.
#[utoipa::path(
    delete,
    path = "/orders/{id}",
    tag = "orders",
    params(("id" = i64, Path, description = "The order's id.", minimum = 1)),
    responses(
        (status = 204, description = "The order is cancelled."),
        (status = 404, description = "There is no such order."),
    )
)]
pub(crate) fn cancel_order(app: &App, id: OrderId) -> Result<StatusCode, Error> {
    if cancel(app, id)? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(SharedError::NotFound("order").into())
    }
}

/// Cancels the order, if there is one.
fn cancel(app: &App, id: OrderId) -> Result<bool, Error> {
    let mut db = app.pool.get()?;
    store::order::cancel(&mut db, id)
}
