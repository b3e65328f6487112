//! What handlers take from a request: axum's extractors over the cores that
//! `before` calls as methods. axum's own would refuse in other words.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use http::request::Parts;
use shared::error::Error as SharedError;
use shared::input::{FromBody, FromHeaders, FromQuery, FromSegment};

use crate::error::Error;

/// The open segment of the path.
pub(crate) struct Segment<T>(pub(crate) T);

impl<S: Send + Sync, T: FromSegment> FromRequestParts<S> for Segment<T> {
    type Rejection = Error;

    async fn from_request_parts(head: &mut Parts, state: &S) -> Result<Self, Error> {
        let segments = RawPathParams::from_request_parts(head, state)
            .await
            .map_err(|_| SharedError::malformed(T::NAME, "must be UTF-8"))?;
        let segment = segments.iter().next().map(|(_, value)| value);
        Ok(Self(T::from_segment(segment.unwrap_or_default())?))
    }
}

/// The query string.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: FromQuery> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(head: &mut Parts, _: &S) -> Result<Self, Error> {
        Ok(Self(T::from_query(head.uri.query())?))
    }
}

/// The headers.
pub(crate) struct Headers<T>(pub(crate) T);

impl<S: Send + Sync, T: FromHeaders> FromRequestParts<S> for Headers<T> {
    type Rejection = Error;

    async fn from_request_parts(head: &mut Parts, _: &S) -> Result<Self, Error> {
        Ok(Self(T::from_headers(&head.headers)?))
    }
}

/// The body.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: FromBody> FromRequest<S> for Body<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        let (head, body) = request.into_parts();
        // It is in memory already: the middleware has read it, within its limits.
        let body = Bytes::from_request(Request::new(body), state)
            .await
            .map_err(SharedError::internal)?;
        Ok(Self(T::from_body(&head.headers, &body)?))
    }
}
