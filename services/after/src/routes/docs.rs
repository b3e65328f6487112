//! Swagger UI and the document that it shows. They are not part of the API, so
//! they do not stand in the document.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CONTENT_TYPE, HeaderName, LOCATION};
use http::{StatusCode, Uri};
use shared::docs::{self, DOCUMENT_PATH};
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::error::Error;

/// The patterns of these routes.
pub(crate) const PATTERNS: [&str; 4] = [DOCUMENT_PATH, "/docs", "/docs/", "/docs/{*file}"];

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .route(DOCUMENT_PATH, get(document))
        .route("/docs", get(docs))
        .route("/docs/", get(async || docs_file("")))
        .route(
            "/docs/{*file}",
            // As it was sent: axum's own `Path` would undo its percent-encoding.
            get(async |uri: Uri| docs_file(uri.path().strip_prefix("/docs/").unwrap_or_default())),
        )
}

/// The OpenAPI document.
async fn document(State(app): State<App>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], app.document.clone())
}

/// To the page with the slash at the end, beside which its files lie.
async fn docs() -> (StatusCode, [(HeaderName, &'static str); 1], &'static str) {
    (StatusCode::PERMANENT_REDIRECT, [(LOCATION, "/docs/")], "")
}

/// A file of Swagger UI.
fn docs_file(name: &str) -> Response {
    match docs::asset(name) {
        Ok(asset) => {
            let bytes = Body::from(asset.bytes);
            ([(CONTENT_TYPE, asset.content_type)], bytes).into_response()
        }
        Err(error) => Error::from(error).into_response(),
    }
}
