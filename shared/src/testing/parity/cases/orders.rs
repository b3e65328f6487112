//! `GET /orders/{id}` and `DELETE /orders/{id}`

use super::gets;
use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};

fn delete(target: &str) -> Request {
    Request::new("DELETE", target)
}

/// Showing and cancelling.
pub fn orders() -> Table {
    let mut cases = gets(&[
        ("/orders/1", 200, "the first order of the seed data, a buy"),
        ("/orders/40", 200, "a sell"),
        ("/orders/120000", 200, "the last one"),
        ("/orders/7?x=1", 200, "unknown parameters are ignored"),
        ("/orders/%37", 200, "segments are decoded"),
        ("/orders/007", 200, "zeros in front mean nothing"),
        ("/orders/999999999999", 404, "no such order"),
        (
            "/orders/9223372036854775807",
            404,
            "the greatest id there can be",
        ),
        ("/orders/9223372036854775808", 400, "no number of 64 bits"),
        ("/orders/0", 400, "ids start at 1"),
        ("/orders/-1", 400, "digits only"),
        ("/orders/+1", 400, "digits only"),
        ("/orders/1e3", 400, "digits only"),
        ("/orders/x", 400, "not a number"),
        (
            "/orders/7%2F8",
            400,
            "an encoded slash is part of the segment",
        ),
        ("/orders/%zz", 400, "not a number"),
        ("/orders/%ff", 400, "no UTF-8"),
        ("/orders/%00", 400, "not a number"),
        ("/orders/7%00", 400, "nothing ends at a NUL"),
        ("/orders/%20", 400, "not a number"),
        (
            "/orders/7%0d%0aX-Evil:%201",
            400,
            "no header can be smuggled in",
        ),
    ]);
    cases.extend([
        Case::new(
            "an order is cancelled",
            "and stays so",
            delete("/orders/11"),
            204,
        )
        .then(Request::get("/orders/11"), 200)
        .then(delete("/orders/11"), 204),
        Case::new(
            "a body on a DELETE",
            "it is read and means nothing",
            delete("/orders/12")
                .body("x")
                .header("Content-Type", "text/plain"),
            204,
        ),
        Case::new(
            "DELETE of an unknown order",
            "no such order",
            delete("/orders/999999999999"),
            404,
        ),
        Case::new(
            "DELETE of a wrong id",
            "not a number",
            delete("/orders/x"),
            400,
        ),
        Case::new(
            "DELETE of the id 0",
            "ids start at 1",
            delete("/orders/0"),
            400,
        ),
        Case::new(
            "a cancelled order is not in the book",
            "only open orders are on offer",
            delete("/orders/9"),
            204,
        )
        .then(delete("/orders/19"), 204)
        .then(Request::get("/markets/1/book?depth=20"), 200),
    ]);
    Table::new("orders", cases)
}
