//! Bodies: their type, their length, their coding. The limit is the default,
//! 65,536 bytes.

use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};
use crate::testing::service::{ORDER, place};

const LIMIT: usize = 65_536;

/// A good order, as long as that.
fn padded(length: usize) -> String {
    format!("{ORDER}{}", " ".repeat(length - ORDER.len()))
}

fn typed(number: usize, kinds: &[&str]) -> Request {
    let request = place(1, &format!("typed-{number}"), ORDER).without("Content-Type");
    kinds.iter().fold(request, |request, kind| {
        request.header("Content-Type", kind)
    })
}

/// Content types: the values of the header, the status, why.
const TYPES: [(&[&str], u16, &str); 16] = [
    (&["application/json"], 201, "JSON"),
    (
        &["application/json; charset=utf-8"],
        201,
        "with a parameter that says nothing new",
    ),
    (&["application/json;charset=UTF-8"], 201, "without a space"),
    (
        &["application/json;"],
        201,
        "with none behind the semicolon",
    ),
    (
        &["APPLICATION/Json"],
        201,
        "types are compared without their case",
    ),
    (
        &["application/json; charset=latin-1"],
        201,
        "JSON has no charset parameter (RFC 8259, 11)",
    ),
    (&[], 415, "nobody says that it is JSON"),
    (&[""], 415, "nor here"),
    (&["text/plain"], 415, "another type"),
    (&["text/json"], 415, "not the type of JSON"),
    (&["application/json5"], 415, "another type"),
    (&["application/problem+json"], 415, "JSON, but not an order"),
    (
        &["application/x-www-form-urlencoded"],
        415,
        "what curl says by default",
    ),
    (
        &["application/json, text/plain"],
        415,
        "one type, not a list",
    ),
    (
        &["application/json", "application/json"],
        415,
        "given twice",
    ),
    (&["application/json", "text/plain"], 415, "given twice"),
];

/// Types, lengths and codings.
pub fn bodies() -> Table {
    let mut cases = Vec::new();
    for (kinds, status, why) in TYPES {
        let request = typed(cases.len(), kinds);
        cases.push(Case::new(
            format!("the content type {kinds:?}"),
            why,
            request,
            status,
        ));
    }
    cases.extend(lengths());
    cases.extend(codings());
    cases.extend(elsewhere());
    Table::new("bodies", cases)
}

fn lengths() -> [Case; 8] {
    let long = padded(LIMIT);
    let longer = padded(LIMIT + 1);
    [
        Case::new(
            "a body at the limit",
            "as long as it may be",
            place(1, "length-1", &long),
            201,
        ),
        Case::new(
            "a body over the limit",
            "one byte too long",
            place(1, "length-2", &longer),
            413,
        ),
        Case::new(
            "a body at the limit in chunks",
            "as long as it may be",
            place(1, "length-3", "").chunks(&long, 1000),
            201,
        ),
        Case::new(
            "a body over the limit in chunks",
            "one byte too long",
            place(1, "length-4", "").chunks(&longer, 1000),
            413,
        ),
        Case::new(
            "a body over the limit in one chunk",
            "one byte too long",
            place(1, "length-5", "").chunks(&longer, LIMIT + 1),
            413,
        ),
        Case::new(
            "a body in chunks of one byte",
            "how a body is cut means nothing",
            place(1, "length-6", "").chunks(ORDER, 1),
            201,
        ),
        Case::new(
            "no body in chunks",
            "an empty body is not JSON",
            place(1, "length-7", "").chunks("", 1),
            400,
        ),
        Case::new(
            "no body and no length",
            "an empty body is not JSON",
            place(1, "length-8", "").without("Content-Length"),
            400,
        ),
    ]
}

fn codings() -> [Case; 5] {
    let expecting = |key: &str, body: &str| place(1, key, body).header("Expect", "100-continue");
    [
        Case::new(
            "a client that waits for 100 Continue",
            "it is told to go on",
            expecting("coding-1", ORDER),
            201,
        ),
        Case::new(
            "a client that waits with a body over the limit",
            "it is told at once, and need not send the body",
            expecting("coding-2", "").body(padded(LIMIT + 1)),
            413,
        ),
        Case::new(
            "a client that expects something else",
            "an expectation that nobody knows is not met and does no harm",
            place(1, "coding-3", ORDER).header("Expect", "the-best"),
            201,
        ),
        Case::new(
            "a compressed body",
            "compression is not offered, and the bytes are not JSON",
            place(1, "coding-4", "\x1f\u{8b}").header("Content-Encoding", "gzip"),
            400,
        ),
        Case::new(
            "a body in chunks with a trailer",
            "trailers mean nothing",
            place(1, "coding-5", "")
                .chunks(ORDER, 10)
                .replace_end_of_body("0\r\n\r\n", "0\r\nX-Sum: 1\r\n\r\n"),
            201,
        ),
    ]
}

/// Bodies on routes that want none: read, counted, and forgotten.
fn elsewhere() -> [Case; 7] {
    let long = "x".repeat(10_000);
    let too_long = "x".repeat(LIMIT + 1);
    let post = |target: &str, body: &str| Request::new("POST", target).body(body);
    [
        Case::new(
            "a body nobody reads, then another request",
            "the body is not taken for the request",
            post("/ping", &long),
            405,
        )
        .then(Request::get("/ping"), 200),
        Case::new(
            "a body on no route, then another request",
            "the body is not taken for the request",
            post("/nope", &long),
            404,
        )
        .then(Request::get("/ping"), 200),
        Case::new(
            "a body in chunks nobody reads, then another request",
            "the body is not taken for the request",
            Request::new("POST", "/ping").chunks(&long, 100),
            405,
        )
        .then(Request::get("/ping"), 200),
        Case::new(
            "a body that looks like a request",
            "the body is not taken for one",
            post("/ping", "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n"),
            405,
        )
        .then(Request::get("/ping"), 200),
        Case::new(
            "a body over the limit on a GET",
            "the limit holds everywhere",
            Request::get("/ping").body(&too_long),
            413,
        ),
        Case::new(
            "a body over the limit on no route",
            "the limit holds everywhere",
            post("/nope", &too_long),
            413,
        ),
        Case::new(
            "a body over the limit with a wrong method",
            "the limit holds everywhere",
            post("/ping", &too_long),
            413,
        ),
    ]
}
