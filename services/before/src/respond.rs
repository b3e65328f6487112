//! From what a handler returns to a response. `after` has this from axum.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use serde::Serialize;

use crate::error::Error;

/// What can be an answer.
pub(crate) trait IntoResponse {
    /// The answer.
    fn into_response(self) -> Response<Bytes>;
}

/// A value as JSON.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response<Bytes> {
        match serde_json::to_vec(&self.0) {
            Ok(json) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
            Err(error) => Error::from(shared::error::Error::internal(error)).into_response(),
        }
    }
}

impl IntoResponse for &'static str {
    fn into_response(self) -> Response<Bytes> {
        let text = Bytes::from_static(self.as_bytes());
        ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
    }
}

impl IntoResponse for StatusCode {
    fn into_response(self) -> Response<Bytes> {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = self;
        response
    }
}

impl<B: Into<Bytes>, const N: usize> IntoResponse for ([(HeaderName, &str); N], B) {
    fn into_response(self) -> Response<Bytes> {
        with_headers(self.0, Response::new(self.1.into()))
    }
}

impl<R: IntoResponse, const N: usize> IntoResponse for (StatusCode, [(HeaderName, String); N], R) {
    fn into_response(self) -> Response<Bytes> {
        let mut response = with_headers(self.1, self.2.into_response());
        *response.status_mut() = self.0;
        response
    }
}

impl<T: IntoResponse> IntoResponse for Result<T, Error> {
    fn into_response(self) -> Response<Bytes> {
        self.map_or_else(Error::into_response, T::into_response)
    }
}

fn with_headers<V: AsRef<str>, const N: usize>(
    headers: [(HeaderName, V); N],
    mut response: Response<Bytes>,
) -> Response<Bytes> {
    for (name, value) in headers {
        let value = HeaderValue::from_str(value.as_ref()).expect("handlers send visible ASCII");
        response.headers_mut().insert(name, value);
    }
    response
}
