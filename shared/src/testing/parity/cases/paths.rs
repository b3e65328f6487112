//! Which paths lead somewhere: exactly those of the routes, to the byte.

use super::{Row, gets};
use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};

const ROWS: &[Row] = &[
    ("/ping", 200, "the route itself"),
    ("/ping?", 200, "an empty query string changes nothing"),
    ("/ping?x=1", 200, "nor does one that nobody asked for"),
    ("/", 404, "there is no page there"),
    ("/nope", 404, "no route has this path"),
    (
        "/ping/",
        404,
        "a path with a slash at the end is another path",
    ),
    ("//ping", 404, "and so is one with two at the beginning"),
    (
        "/%70ing",
        404,
        "paths are compared as they were sent, not decoded",
    ),
    ("/PING", 404, "paths are compared with their case"),
    ("/./ping", 404, "dots are the client's to resolve"),
    ("/docs/../ping", 404, "and lead out of no folder"),
    ("/ping;v=1", 404, "no parameters within a path"),
    (
        "/ping%00",
        404,
        "an encoded NUL is a character like others here",
    ),
    ("/markets/", 404, "a list has no slash at the end"),
    ("/markets/1", 404, "a market alone has no page"),
    ("/markets/1/book/", 404, "nor has a book a folder"),
    ("/markets/1/2/book", 404, "an id is one segment"),
    ("/markets//book", 400, "an id that is empty is no id"),
    ("/orders", 404, "orders are not listed"),
    ("/orders/", 404, "an id is not empty"),
    ("/orders/1/2", 404, "an id is one segment"),
    ("/{id}", 404, "braces mean nothing in a path"),
    (
        "/metrics/",
        404,
        "a path with a slash at the end is another path",
    ),
    (
        "/openapi.json/",
        404,
        "a path with a slash at the end is another path",
    ),
];

/// Slashes, case, escapes, other forms of the target.
pub fn paths() -> Table {
    let mut cases = gets(ROWS);
    cases.extend([
        Case::new(
            "the absolute form of a target",
            "servers have to take it (RFC 9112, 3.2.2)",
            Request::get("http://exchange.test/ping"),
            200,
        ),
        Case::new(
            "the absolute form with a query string and another host",
            "no route depends on the host",
            Request::get("http://elsewhere.test:81/markets?limit=1"),
            200,
        ),
        Case::new(
            "the absolute form without a path",
            "that is the path /",
            Request::get("http://exchange.test"),
            404,
        ),
        Case::new(
            "OPTIONS of the server as a whole",
            "no route is named *",
            Request::new("OPTIONS", "*"),
            404,
        ),
        Case::new(
            "CONNECT to another host",
            "the service is no proxy, and has no route for that target",
            Request::new("CONNECT", "elsewhere.test:443"),
            404,
        ),
        Case::new(
            "a path in UTF-8 that is not encoded",
            "the engine lets it through, and no route has it",
            Request::get("/é"),
            404,
        ),
        Case::refused(
            "a path with a byte that is no UTF-8",
            "the engine refuses it",
            Request::get(b"/\xff"),
        ),
        Case::refused(
            "a path with a NUL",
            "the engine refuses control characters",
            Request::get("/pi\0ng"),
        ),
        Case::refused(
            "a path with a space",
            "the rest of the line is no version",
            Request::get("/pi ng"),
        ),
        Case::new(
            "a target without a slash at its beginning",
            "for the engine it is a host without a path, and no route has none",
            Request::get("ping"),
            404,
        ),
        Case::refused("an empty target", "it is nothing at all", Request::get("")),
        Case::new(
            "a path of 4,000 characters",
            "long, but no route has it",
            Request::get(format!("/{}", "x".repeat(4000))),
            404,
        ),
    ]);
    Table::new("paths", cases)
}
