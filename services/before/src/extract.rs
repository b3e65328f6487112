//! What handlers take from a request. `after` makes axum's extractors of the
//! same cores; here they are methods.

use bytes::Bytes;
use http::request::Parts;
use shared::error::Error;
use shared::input::{FromBody, FromHeaders, FromQuery, FromSegment, path_segment};

/// A request on its route.
pub(crate) struct Request<'a> {
    pub(crate) head: &'a Parts,
    pub(crate) body: &'a Bytes,
    /// The one segment of the path that the route leaves open, if it does.
    pub(crate) segment: Option<&'a str>,
}

impl Request<'_> {
    /// The open segment of the path.
    pub(crate) fn segment<T: FromSegment>(&self) -> Result<T, Error> {
        T::from_segment(&path_segment(self.segment.unwrap_or_default(), T::NAME)?)
    }

    /// The query string.
    pub(crate) fn query<T: FromQuery>(&self) -> Result<T, Error> {
        T::from_query(self.head.uri.query())
    }

    /// The headers.
    pub(crate) fn headers<T: FromHeaders>(&self) -> Result<T, Error> {
        T::from_headers(&self.head.headers)
    }

    /// The body.
    pub(crate) fn body<T: FromBody>(&self) -> Result<T, Error> {
        T::from_body(&self.head.headers, self.body)
    }
}
