//! Orders: placing, showing and cancelling them.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use http::header::{HeaderName, LOCATION};
use shared::api::{Order, PlaceOrder};
use shared::domain::{IdempotencyKey, MarketId, NewOrder, OrderId};
use shared::error::Error as SharedError;
use shared::work::tasks;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::extract::{Body, Headers, Segment};
use crate::store;
use crate::store::order::Placing;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(place_order))
        .routes(routes!(order, cancel_order))
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
pub(crate) async fn place_order(
    State(app): State<App>,
    Segment(market): Segment<MarketId>,
    Headers(key): Headers<IdempotencyKey>,
    Body(asked): Body<PlaceOrder>,
) -> Result<Created, Error> {
    let new = NewOrder::new(market, &asked)?;
    // A future is dropped when its client leaves, wherever it waits, also
    // between two statements: the write runs to its end as a task of its own.
    let order = tasks::shield(async move { place(&app, &key, &new).await }).await?;
    let location = format!("/orders/{}", order.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(order)))
}

/// Stores the order, or finds the one that was stored with the key before.
async fn place(app: &App, key: &IdempotencyKey, new: &NewOrder) -> Result<Order, Error> {
    let mut db = app.pool.get().await?;
    match store::order::place(&mut db, key, new).await? {
        Placing::Placed(order) => Ok(order),
        Placing::NoSuchContract if store::market::exists(&mut db, new.market()).await? => {
            Err(SharedError::invalid("contract", "is not a contract of this market").into())
        }
        Placing::NoSuchContract => Err(SharedError::NotFound("market").into()),
        Placing::KeyTaken => match store::order::by_key(&mut db, key).await? {
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
pub(crate) async fn order(
    State(app): State<App>,
    Segment(id): Segment<OrderId>,
) -> Result<Json<Order>, Error> {
    let mut db = app.pool.get().await?;
    let order = store::order::find(&mut db, id).await?;
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
pub(crate) async fn cancel_order(
    State(app): State<App>,
    Segment(id): Segment<OrderId>,
) -> Result<StatusCode, Error> {
    if tasks::shield(async move { cancel(&app, id).await }).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(SharedError::NotFound("order").into())
    }
}

/// Cancels the order, if there is one.
async fn cancel(app: &App, id: OrderId) -> Result<bool, Error> {
    let mut db = app.pool.get().await?;
    store::order::cancel(&mut db, id).await
}
