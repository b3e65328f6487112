//! Methods: each route has its own, and says so to all others.

use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};

/// All routes with the methods that they have beside `HEAD`.
const ROUTES: [(&str, &[&str]); 10] = [
    ("/ping", &["GET"]),
    ("/ready", &["GET"]),
    ("/markets", &["GET"]),
    ("/markets/1/book", &["GET"]),
    ("/markets/1/orders", &["POST"]),
    ("/orders/7", &["GET", "DELETE"]),
    ("/metrics", &["GET"]),
    ("/openapi.json", &["GET"]),
    ("/docs", &["GET"]),
    ("/docs/swagger-ui.css", &["GET"]),
];

const METHODS: [&str; 10] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO", "CONNECT",
];

/// Every wrong method on every route, and `HEAD` where there is `GET`.
pub fn methods() -> Table {
    let mut cases = Vec::new();
    for (path, known) in ROUTES {
        for method in METHODS {
            let (status, why) = match method {
                "HEAD" if !known.contains(&"GET") => (405, "there is no GET to answer like"),
                "HEAD" if path == "/docs" => (308, "as GET, which leads to the page"),
                "HEAD" => (200, "as GET, without the body"),
                known_one if known.contains(&known_one) => continue,
                _ => (405, "the route does not have it, and says what it has"),
            };
            let request = Request::new(method, path);
            cases.push(Case::new(format!("{method} {path}"), why, request, status));
        }
    }
    for path in ["/nope", "/markets/1"] {
        for method in ["POST", "HEAD", "OPTIONS", "FOO"] {
            let request = Request::new(method, path);
            let why = "where there is no route, no method is better than another";
            cases.push(Case::new(format!("{method} {path}"), why, request, 404));
        }
    }
    for (target, status) in [
        ("/markets/x/book", 400),
        ("/orders/0", 400),
        ("/orders/999999999", 404),
        ("/markets?limit=0", 422),
    ] {
        let request = Request::new("HEAD", target);
        let why = "a problem as for GET, without the body";
        cases.push(Case::new(format!("HEAD {target}"), why, request, status));
    }
    cases.push(Case::new(
        "a wrong method comes before a wrong id",
        "whether a route has a method does not depend on its segments",
        Request::new("PUT", "/orders/x"),
        405,
    ));
    cases.push(Case::new(
        "a method in small letters",
        "methods are compared with their case",
        Request::new("get", "/ping"),
        405,
    ));
    Table::new("methods", cases)
}
