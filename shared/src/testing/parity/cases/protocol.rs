//! HTTP itself: versions, hosts, and requests that are none. Both services
//! stand on the same engine, so what is held here is that neither gets in its
//! way.

use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};
use crate::testing::service::{ORDER, place};

/// Old, odd and wrong requests.
pub fn protocol() -> Table {
    let ping = || Request::get("/ping");
    let long = "x".repeat(8000);
    let mut cases = vec![
        Case::new(
            "HTTP/1.0",
            "answered, and closed",
            ping().version("HTTP/1.0"),
            200,
        ),
        Case::new(
            "HTTP/1.0 that wants to stay",
            "as it says",
            ping()
                .version("HTTP/1.0")
                .header("Connection", "keep-alive"),
            200,
        ),
        Case::new(
            "HTTP/1.0 without Host",
            "it had none",
            ping().version("HTTP/1.0").without("Host"),
            200,
        ),
        Case::new(
            "HTTP/1.1 without Host",
            "the engine leaves the host to the application, and no route needs it",
            ping().without("Host"),
            200,
        ),
        Case::new(
            "two hosts",
            "as above",
            ping().header("Host", "other.test"),
            200,
        ),
        Case::new(
            "a client that wants to close",
            "as it says",
            ping().header("Connection", "close"),
            200,
        ),
        Case::new(
            "an upgrade to HTTP/2",
            "not offered, so it is ignored",
            ping()
                .header("Connection", "Upgrade, HTTP2-Settings")
                .header("Upgrade", "h2c")
                .header("HTTP2-Settings", "AAMAAABkAAQAAP__"),
            200,
        ),
        Case::new(
            "a header of 8,000 characters",
            "long, but within the engine's buffer",
            ping().header("X-Long", &long),
            200,
        ),
        Case::new(
            "a header with bytes that are no ASCII",
            "values may have them (RFC 9110, 5.5)",
            ping().header("X-Odd", b"\xe9\xff"),
            200,
        ),
        Case::new(
            "two lengths that agree",
            "as good as one",
            place(1, "protocol-1", ORDER).header("Content-Length", ORDER.len().to_string()),
            201,
        ),
    ];
    cases.extend(wrong());
    Table::new("protocol", cases)
}

/// What the engine refuses by itself.
fn wrong() -> [Case; 8] {
    let ping = || Request::get("/ping");
    let order = || place(1, "protocol-2", ORDER);
    let refused = |name: &str, why: &'static str, request| Case::refused(name, why, request);
    [
        refused("HTTP/0.9", "no version of ours", ping().version("")),
        refused("HTTP/3.0", "no version of ours", ping().version("HTTP/3.0")),
        refused(
            "a version that is none",
            "not HTTP",
            ping().version("SMTP/1.1"),
        ),
        refused(
            "a header with a NUL",
            "no control characters",
            ping().header("X-Odd", "a\0b"),
        ),
        refused(
            "a header name with a space",
            "names have none",
            ping().header("X Odd", "1"),
        ),
        refused(
            "two lengths that differ",
            "nobody knows where the body ends",
            order().header("Content-Length", "1"),
        ),
        refused(
            "a length that is no number",
            "nobody knows where the body ends",
            order()
                .without("Content-Length")
                .header("Content-Length", "x"),
        ),
        refused(
            "a coding of the body that is not chunked",
            "nobody knows where the body ends",
            order()
                .without("Content-Length")
                .header("Transfer-Encoding", "gzip"),
        ),
    ]
}
