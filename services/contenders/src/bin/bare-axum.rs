//! A bare axum router, and books through tokio-postgres and deadpool.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::serve::ListenerExt as _;
use axum::{Json, Router};
use contenders::Failure;
use contenders::pooled::Pool;
use contenders::settings::Settings;
use shared::api::Book;
use shared::domain::MarketId;
use tokio::net::TcpListener;

fn main() -> Result<(), Failure> {
    let settings = Settings::read()?;
    let router = Router::new()
        .route("/ping", get(ping))
        .route("/markets/{id}/book", get(book))
        .with_state(Pool::new(&settings)?);
    settings.runtime()?.block_on(async {
        let listener = TcpListener::bind(settings.listen).await?;
        let listener = listener.tap_io(|stream| {
            // If this fails the client has left, and reading says so.
            let _ = stream.set_nodelay(true);
        });
        Ok(axum::serve(listener, router).await?)
    })
}

async fn ping() -> &'static str {
    "pong"
}

async fn book(State(pool): State<Pool>, Path(id): Path<i64>) -> Result<Json<Book>, StatusCode> {
    let market = MarketId::new(id).map_err(|_| StatusCode::NOT_FOUND)?;
    let book = pool.book(market).await;
    let book = book.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    book.map(Json).ok_or(StatusCode::NOT_FOUND)
}
