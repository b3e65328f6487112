//! The routes for experiments.

use super::gets;
use crate::testing::http::Request;
use crate::testing::parity::{Case, Table, World};

fn fail(query: &str) -> Request {
    Request::post(format!("/fail{query}"))
}

/// Switched off, as they are by default.
pub fn no_experiments() -> Table {
    let why = "the route is not there";
    let mut cases = gets(&[
        ("/sleep", 404, why),
        ("/sleep?ms=0", 404, why),
        ("/fail", 404, why),
    ]);
    cases.push(Case::new("POST /fail", why, fail("?kind=error"), 404));
    Table::new("experiments_off", cases)
}

/// Switched on.
pub fn experiments() -> Table {
    let mut cases = gets(&[
        ("/sleep?ms=0", 200, "the least"),
        ("/sleep?ms=1", 200, "a little"),
        ("/sleep", 200, "50 ms"),
        ("/sleep?ms=60001", 422, "over the greatest"),
        ("/sleep?ms=-1", 400, "digits only"),
        ("/sleep?ms=x", 400, "not a number"),
        ("/sleep?ms=", 400, "an empty value is not a number"),
        ("/sleep?ms=1&ms=1", 400, "given twice"),
        ("/fail?kind=error", 405, "failing is no GET"),
    ]);
    let posts = [
        ("?kind=error", 500, "a bug; nothing of the inside is shown"),
        (
            "?kind=panic",
            500,
            "a panic is a bug like others, and the connection lives",
        ),
        ("?kind=background", 202, "the job fails, not the request"),
        ("", 422, "which failure?"),
        ("?kind=", 422, "which failure?"),
        ("?kind=ERROR", 422, "values are compared with their case"),
        ("?kind=other", 422, "no such failure"),
        ("?kind=error&kind=error", 400, "given twice"),
    ];
    for (query, status, why) in posts {
        cases.push(Case::new(
            format!("POST /fail{query}"),
            why,
            fail(query),
            status,
        ));
    }
    cases.extend([
        Case::new(
            "HEAD /sleep",
            "as GET",
            Request::new("HEAD", "/sleep?ms=0"),
            200,
        ),
        Case::new(
            "POST /sleep",
            "the route has GET",
            Request::post("/sleep"),
            405,
        ),
        Case::new(
            "a panic, then another request",
            "the connection goes on",
            fail("?kind=panic"),
            500,
        )
        .then(Request::get("/ping"), 200),
        Case::new(
            "a failure with an id of mine",
            "by which it can be asked about",
            fail("?kind=error").header("X-Request-Id", "mine"),
            500,
        ),
        Case::new(
            "a panic with an id of mine",
            "by which it can be asked about",
            fail("?kind=panic").header("X-Request-Id", "mine"),
            500,
        ),
    ]);
    Table::new("experiments", cases).in_world(World::Experiments)
}
