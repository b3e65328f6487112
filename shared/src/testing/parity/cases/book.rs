//! `GET /markets/{id}/book`

use super::gets;
use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};

/// Ids and depths.
pub fn book() -> Table {
    let mut cases = gets(&[
        ("/markets/1/book", 200, "five levels a side"),
        ("/markets/1000/book", 200, "the last market"),
        ("/markets/1/book?depth=1", 200, "the least depth"),
        (
            "/markets/1/book?depth=20",
            200,
            "the greatest, of which there are ten",
        ),
        ("/markets/1/book?depth=0", 422, "under the least"),
        ("/markets/1/book?depth=21", 422, "over the greatest"),
        ("/markets/1/book?depth=-1", 400, "digits only"),
        ("/markets/1/book?depth=+1", 400, "digits only"),
        (
            "/markets/1/book?depth=",
            400,
            "an empty value is not a number",
        ),
        ("/markets/1/book?depth=x", 400, "not a number"),
        ("/markets/1/book?depth=1&depth=1", 400, "given twice"),
        (
            "/markets/1/book?limit=0",
            200,
            "a parameter of another route: ignored",
        ),
        ("/markets/1001/book", 404, "no such market"),
        (
            "/markets/9223372036854775807/book",
            404,
            "no such market, but an id",
        ),
        (
            "/markets/9223372036854775808/book",
            400,
            "no number of 64 bits",
        ),
        (
            "/markets/99999999999999999999999999999999999999/book",
            400,
            "nor this one",
        ),
        ("/markets/0/book", 400, "ids start at 1"),
        ("/markets/-1/book", 400, "digits only"),
        ("/markets/+1/book", 400, "digits only"),
        ("/markets/1.0/book", 400, "digits only"),
        ("/markets/x/book", 400, "not a number"),
        ("/markets/001/book", 200, "zeros in front mean nothing"),
        ("/markets/%31/book", 200, "segments are decoded"),
        ("/markets/1%20/book", 400, "and not trimmed"),
        (
            "/markets/%2F1/book",
            400,
            "an encoded slash is part of the segment",
        ),
        ("/markets/1%2Fbook", 404, "and separates none"),
        (
            "/markets/%zz/book",
            400,
            "not a number, however it is decoded",
        ),
        ("/markets/%/book", 400, "not a number"),
        ("/markets/%ff/book", 400, "no UTF-8"),
        ("/markets/%00/book", 400, "not a number"),
        ("/markets/1%00/book", 400, "and nothing ends at a NUL"),
        (
            "/markets/%D9%A1/book",
            400,
            "an Arabic digit is no ASCII digit",
        ),
        ("/markets/1'--/book", 400, "not a number"),
        (
            "/markets/x/book?depth=0",
            400,
            "of two mistakes, the path counts first",
        ),
        (
            "/markets/1001/book?depth=0",
            422,
            "a mistake is found before the market is looked for",
        ),
    ]);
    cases.push(Case::new(
        "an id in UTF-8 that is not encoded",
        "not a number",
        Request::get("/markets/١/book"),
        400,
    ));
    Table::new("book", cases)
}
