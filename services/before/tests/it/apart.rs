//! The service without a server: a plain call.

use std::sync::Arc;

use before::App;
use bytes::Bytes;
use http::{Request, Response};
use shared::config::Service;
use shared::metrics::Metrics;
use shared::middleware::sentry::Tracker;
use shared::testing::database::Database;
use shared::testing::service::Settings;

#[test]
fn the_app_answers_without_a_server() {
    let database = Database::fresh();
    let config = Settings::of(&database).config(Service::Before);
    let tracker = Tracker::start(None, Service::Before);
    let app = App::new(&config, Arc::new(Metrics::new()), tracker);
    let get = |path: &str| -> Response<Bytes> {
        let request = Request::get(path).body(Bytes::new());
        app.call(request.expect("the path is valid"))
    };
    let book = get("/markets/1/book");
    assert_eq!(book.status(), 200);
    assert!(
        book.body().starts_with(b"{\"market\":1,"),
        "{:?}",
        book.body()
    );
    assert_eq!(get("/none").status(), 404);
}
