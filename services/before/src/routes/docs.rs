//! Swagger UI and the document that it shows. They are not part of the API, so
//! they do not stand in the document.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{Method, Response, StatusCode};
use shared::docs::{self, DOCUMENT_PATH};

use crate::app::App;
use crate::error::Error;
use crate::respond::IntoResponse as _;
use crate::router::Builder;

pub(crate) fn routes(router: Builder) -> Builder {
    router
        .page(DOCUMENT_PATH, Method::GET, |app, _| document(app))
        .page("/docs", Method::GET, |_, _| docs())
        .page("/docs/", Method::GET, |_, _| docs_file(""))
        .page("/docs/{*file}", Method::GET, |_, request| {
            docs_file(request.segment.unwrap_or_default())
        })
}

/// The OpenAPI document.
fn document(app: &App) -> Response<Bytes> {
    ([(CONTENT_TYPE, "application/json")], app.document.clone()).into_response()
}

/// To the page with the slash at the end, beside which its files lie.
fn docs() -> Response<Bytes> {
    (
        StatusCode::PERMANENT_REDIRECT,
        [(LOCATION, "/docs/".to_owned())],
        "",
    )
        .into_response()
}

/// A file of Swagger UI.
fn docs_file(name: &str) -> Response<Bytes> {
    match docs::asset(name) {
        Ok(asset) => {
            let bytes = Bytes::from(asset.bytes.into_owned());
            ([(CONTENT_TYPE, &*asset.content_type)], bytes).into_response()
        }
        Err(error) => Error::from(error).into_response(),
    }
}
