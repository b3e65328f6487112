//! The header `X-Request-Id`, on every kind of answer.

use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};
use crate::testing::service::{ORDER, place};

/// Ids that are taken over, ids that are replaced, and where they appear.
pub fn request_ids() -> Table {
    let long = "i".repeat(64);
    let longer = "i".repeat(65);
    let uuid = "0190b6c2-7f3e-7c55-8a5e-2f6d1c9b4e11";
    let sane = [
        ("r-1.a_B", "letters, digits, dots, dashes and underscores"),
        (uuid, "what most clients send"),
        (&*long, "64 characters"),
    ];
    let insane: [(&[u8], &str); 9] = [
        (b"", "an empty one is none"),
        (longer.as_bytes(), "65 characters"),
        (b"a b", "a space could forge a log line"),
        (b"a=b", "and so could an equals sign"),
        (b"a\"b", "and so could a quote"),
        (b"<script>", "and a page, if somebody shows it"),
        (b"a;b", "no separators"),
        ("é".as_bytes(), "only ASCII"),
        (b"\xff", "nor what is no text at all"),
    ];
    let ask = |id: &[u8]| Request::get("/nope").header("X-Request-Id", id);
    let mut cases = Vec::new();
    for (id, why) in sane {
        cases.push(Case::new(
            format!("the id {id}"),
            why,
            ask(id.as_bytes()),
            404,
        ));
    }
    for (id, why) in insane {
        let name = format!("the id {:?}", id.escape_ascii().to_string());
        cases.push(Case::new(name, why, ask(id), 404));
    }
    let two = ask(b"first").header("X-Request-Id", "second");
    cases.push(Case::new("two ids", "the first counts", two, 404));
    for (name, request, status) in every_kind() {
        let request = request
            .header("X-Request-Id", "mine")
            .header("Origin", "http://elsewhere.test");
        let why = "the id is on every answer; no other origin is let in";
        cases.push(Case::new(
            format!("an id of mine on {name}"),
            why,
            request,
            status,
        ));
    }
    Table::new("request_ids", cases)
}

/// A request for each kind of answer.
fn every_kind() -> [(&'static str, Request, u16); 12] {
    let order = |key: &str, body: &str| place(1, key, body);
    let pre_flight = Request::new("OPTIONS", "/markets/1/orders")
        .header("Access-Control-Request-Method", "POST");
    [
        ("200", Request::get("/ping"), 200),
        ("201", order("ids-1", ORDER), 201),
        ("204", Request::new("DELETE", "/orders/7"), 204),
        ("308", Request::get("/docs"), 308),
        ("400", Request::get("/orders/x"), 400),
        ("404", Request::get("/orders/999999999"), 404),
        ("405", Request::new("PUT", "/ping"), 405),
        ("405 to a pre-flight", pre_flight, 405),
        ("413", order("ids-2", "").body(vec![b' '; 70_000]), 413),
        ("415", order("ids-3", ORDER).without("Content-Type"), 415),
        ("422", order("ids-4", "{}"), 422),
        ("the answer to HEAD", Request::new("HEAD", "/ping"), 200),
    ]
}
