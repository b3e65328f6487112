//! From the text of a request to checked values: one core for both services,
//! so that they refuse the same things in the same words. The rules themselves are
//! in the constructors of [`crate::domain`].

use std::borrow::Cow;

use http::{HeaderMap, header};
use percent_encoding::percent_decode_str;
use serde::de::IgnoredAny;

use crate::api::PlaceOrder;
use crate::domain::{
    BookQuery, FailQuery, IdempotencyKey, MarketId, MarketsQuery, OrderId, SleepQuery,
};
use crate::error::Error;

/// What can be read from a segment of a path.
pub trait FromSegment: Sized {
    /// The name to give in an error.
    const NAME: &'static str;

    /// Reads a segment without percent-encoding.
    ///
    /// # Errors
    /// 400, naming the segment.
    fn from_segment(segment: &str) -> Result<Self, Error>;
}

/// What can be read from a query string.
pub trait FromQuery: Sized {
    /// Reads a query string, if there is one.
    ///
    /// # Errors
    /// 400 or 422, naming the parameter.
    fn from_query(query: Option<&str>) -> Result<Self, Error>;
}

/// What can be read from headers.
pub trait FromHeaders: Sized {
    /// Reads the headers.
    ///
    /// # Errors
    /// 400, naming the header.
    fn from_headers(headers: &HeaderMap) -> Result<Self, Error>;
}

/// What can be read from a body.
pub trait FromBody: Sized {
    /// Reads a whole body, of the kind that the headers say.
    ///
    /// # Errors
    /// 400, 415 or 422, naming the field where there is one.
    fn from_body(headers: &HeaderMap, body: &[u8]) -> Result<Self, Error>;
}

macro_rules! from_segment {
    ($($id:ty = $name:literal),*) => {$(
        impl FromSegment for $id {
            const NAME: &'static str = $name;

            fn from_segment(segment: &str) -> Result<Self, Error> {
                Self::parse(segment)
            }
        }
    )*};
}
from_segment!(MarketId = "market", OrderId = "order");

macro_rules! from_query {
    ($($query:ty),*) => {$(
        impl FromQuery for $query {
            fn from_query(query: Option<&str>) -> Result<Self, Error> {
                Self::parse(query)
            }
        }
    )*};
}
from_query!(BookQuery, FailQuery, MarketsQuery, SleepQuery);

impl FromHeaders for IdempotencyKey {
    fn from_headers(headers: &HeaderMap) -> Result<Self, Error> {
        Self::parse(headers.get_all("idempotency-key"))
    }
}

impl FromBody for PlaceOrder {
    fn from_body(headers: &HeaderMap, body: &[u8]) -> Result<Self, Error> {
        place_order(headers, body)
    }
}

/// Undoes the percent-encoding of one segment of a path.
///
/// # Errors
/// 400 if it is not UTF-8 afterwards.
pub fn path_segment<'a>(raw: &'a str, field: &'static str) -> Result<Cow<'a, str>, Error> {
    percent_decode_str(raw)
        .decode_utf8()
        .map_err(|_| Error::malformed(field, "must be UTF-8"))
}

/// 415 unless the content type is JSON, 400 if the body is not JSON, 422 if it
/// is JSON of another shape; the field is named where there is one.
fn place_order(headers: &HeaderMap, body: &[u8]) -> Result<PlaceOrder, Error> {
    if !is_json(headers) {
        return Err(Error::UnsupportedMediaType);
    }
    if !body.trim_ascii_start().starts_with(b"{") {
        // Also because serde would take an array for a struct.
        return Err(match serde_json::from_slice::<IgnoredAny>(body) {
            Ok(_) => Error::Invalid {
                field: None,
                detail: "the body must be a JSON object".into(),
            },
            Err(error) => malformed_json(&error),
        });
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let order = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        if error.inner().is_data() {
            let path = error.path().to_string();
            match FIELDS.iter().find(|(field, _)| *field == path) {
                Some((field, rule)) => Error::invalid(field, *rule),
                // A field that is unknown or given twice: the detail names it.
                None => Error::Invalid {
                    field: None,
                    detail: error.inner().to_string().into(),
                },
            }
        } else {
            malformed_json(&error.into_inner())
        }
    })?;
    json.end().map_err(|error| malformed_json(&error))?;
    Ok(order)
}

/// The fields of an order, and what is said of a value of another type.
const FIELDS: [(&str, &str); 4] = [
    ("contract", "must be a whole number"),
    ("side", "must be buy or sell"),
    ("price_bp", "must be a whole number"),
    ("quantity", "must be a whole number"),
];

fn malformed_json(error: &serde_json::Error) -> Error {
    Error::Malformed {
        field: None,
        detail: format!("the body is not JSON: {error}").into(),
    }
}

/// Whether the body is said to be JSON, whatever its parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let essence = value.to_str().unwrap_or_default().split(';').next();
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}
