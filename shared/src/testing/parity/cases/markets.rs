//! `GET /markets`

use super::{Row, gets};
use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};

const ROWS: &[Row] = &[
    ("/markets", 200, "the first 50"),
    ("/markets?limit=2", 200, "the first two, and where to go on"),
    ("/markets?limit=2&after=2", 200, "the next two"),
    ("/markets?after=2&limit=2", 200, "in any order"),
    ("/markets?limit=1", 200, "the least limit"),
    ("/markets?limit=200", 200, "the greatest limit"),
    ("/markets?limit=0", 422, "under the least"),
    ("/markets?limit=201", 422, "over the greatest"),
    (
        "/markets?limit=256",
        422,
        "no number of eight bits wraps around",
    ),
    (
        "/markets?limit=9223372036854775807",
        422,
        "the greatest of 64 bits",
    ),
    (
        "/markets?limit=9223372036854775808",
        400,
        "is no number of 64 bits",
    ),
    (
        "/markets?limit=0000000000000000000000002",
        200,
        "zeros in front mean nothing",
    ),
    ("/markets?limit=-1", 400, "digits only"),
    (
        "/markets?limit=+5",
        400,
        "a plus is a space in a query string",
    ),
    ("/markets?limit=%2B5", 400, "digits only, no sign"),
    ("/markets?limit=5.0", 400, "digits only"),
    ("/markets?limit=5e0", 400, "digits only"),
    ("/markets?limit=0x5", 400, "digits only"),
    ("/markets?limit=x", 400, "not a number"),
    (
        "/markets?limit=",
        400,
        "an empty value is not a number either",
    ),
    ("/markets?limit", 400, "nor is none at all"),
    ("/markets?limit=%20", 400, "nor a space"),
    ("/markets?limit=5%20", 400, "spaces are not trimmed"),
    ("/markets?limit=%00", 400, "nor is a NUL anything"),
    ("/markets?limit=5%00", 400, "and nothing ends at it"),
    ("/markets?limit=%35", 200, "values are decoded"),
    ("/markets?%6cimit=3", 200, "and so are names"),
    (
        "/markets?limit=%zz",
        400,
        "not a number, whatever it is decoded to",
    ),
    ("/markets?limit=%ff", 400, "not a number, nor UTF-8"),
    (
        "/markets?limit=%D9%A1",
        400,
        "an Arabic digit is no ASCII digit",
    ),
    (
        "/markets?limit=2&limit=2",
        400,
        "given twice, there is a choice that is not ours",
    ),
    (
        "/markets?limit=2&limit=3",
        400,
        "all the more so with two values",
    ),
    ("/markets?limit=2&&&after=1", 200, "empty pairs are nothing"),
    (
        "/markets?Limit=2",
        200,
        "a parameter of another name: ignored",
    ),
    (
        "/markets?limit[]=2",
        200,
        "a parameter of another name: ignored",
    ),
    (
        "/markets?utm_source=x&limit=2",
        200,
        "unknown parameters are ignored",
    ),
    (
        "/markets?x=1&x=2&limit=1",
        200,
        "even when they are given twice",
    ),
    (
        "/markets?limit=2;after=2",
        400,
        "a semicolon separates nothing",
    ),
    ("/markets?after=0", 200, "from the beginning"),
    (
        "/markets?limit=3&after=998",
        200,
        "the last page, and nowhere to go on",
    ),
    (
        "/markets?limit=2&after=998",
        200,
        "exactly the last ones are a last page too",
    ),
    (
        "/markets?after=1000",
        200,
        "behind the last market: an empty page",
    ),
    (
        "/markets?after=9223372036854775807",
        200,
        "the greatest id there can be",
    ),
    (
        "/markets?after=9223372036854775808",
        400,
        "is no number of 64 bits",
    ),
    ("/markets?after=-1", 400, "digits only"),
    (
        "/markets?after=null",
        400,
        "what a page says at the end is no parameter",
    ),
    (
        "/markets?limit=0&after=x",
        422,
        "of two mistakes, the first parameter of the document counts",
    ),
];

/// Limits, pages, and parameters of all sorts.
pub fn markets() -> Table {
    let mut cases = gets(ROWS);
    cases.push(Case::new(
        "a query string in UTF-8 that is not encoded",
        "not a number",
        Request::get("/markets?limit=é"),
        400,
    ));
    cases.push(Case::new(
        "a body on a GET",
        "it is read and means nothing",
        Request::get("/markets?limit=1").body(r#"{"limit":2}"#),
        200,
    ));
    cases.push(Case::new(
        "an Accept header for something else",
        "there is only JSON, which a client may still prefer to an error",
        Request::get("/markets?limit=1").header("Accept", "application/xml"),
        200,
    ));
    Table::new("markets", cases)
}
