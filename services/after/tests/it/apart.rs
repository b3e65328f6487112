//! The service without a server: a tower service.

use std::sync::Arc;

use after::Pools;
use after::app::app;
use axum::body::{Body, to_bytes};
use http::{Request, Response};
use shared::config::Service;
use shared::metrics::Metrics;
use shared::middleware::sentry::Tracker;
use shared::testing::database::Database;
use shared::testing::service::Settings;

#[test]
fn the_app_answers_without_a_server() {
    // Outside of the runtime: its client blocks.
    let database = Database::fresh();
    let config = Settings::of(&database).config(Service::After);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system has a runtime to give");
    runtime.block_on(async {
        let tracker = Tracker::start(None, Service::After);
        let metrics = Arc::new(Metrics::new());
        let app = app(&config, 1, &Pools::default(), metrics, tracker);
        let get = async |path: &str| -> Response<Body> {
            let request = Request::get(path).body(Body::empty());
            let answer = app.serve(request.expect("the path is valid")).await;
            answer.expect("a router always answers")
        };
        let book = get("/markets/1/book").await;
        assert_eq!(book.status(), 200);
        let body = to_bytes(book.into_body(), 1 << 20).await;
        let body = body.expect("it is in memory");
        assert!(body.starts_with(b"{\"market\":1,"), "{body:?}");
        assert_eq!(get("/none").await.status(), 404);
    });
}
