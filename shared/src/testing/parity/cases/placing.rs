//! `POST /markets/{id}/orders`: what may be asked for.

use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};
use crate::testing::service::{ORDER, place};

/// A good order with one part of its JSON replaced.
fn order_with(part: &str, by: &str) -> String {
    assert!(ORDER.contains(part), "{part} is not in {ORDER}");
    ORDER.replace(part, by)
}

/// An order with a key of its own, on the first market.
fn asked(number: usize, order: &str) -> Request {
    place(1, &format!("placing-{number}"), order)
}

const SIDE: &str = r#""side":"buy""#;
const CONTRACT: &str = r#""contract":1"#;
const PRICE: &str = r#""price_bp":700"#;
const QUANTITY: &str = r#""quantity":3"#;

/// Bodies with one field changed: the part, its replacement, the status, why.
const FIELDS: [(&str, &str, u16, &str); 44] = [
    (
        CONTRACT,
        r#""contract":3"#,
        201,
        "another contract of the market",
    ),
    (
        CONTRACT,
        r#""contract":4"#,
        422,
        "a contract of another market",
    ),
    (
        CONTRACT,
        r#""contract":999999999"#,
        422,
        "no contract at all",
    ),
    (
        CONTRACT,
        r#""contract":9223372036854775807"#,
        422,
        "the greatest id there can be",
    ),
    (
        CONTRACT,
        r#""contract":9223372036854775808"#,
        422,
        "no number of 64 bits",
    ),
    (
        CONTRACT,
        r#""contract":99999999999999999999999999"#,
        422,
        "nor this one",
    ),
    (CONTRACT, r#""contract":0"#, 422, "ids start at 1"),
    (CONTRACT, r#""contract":-1"#, 422, "ids start at 1"),
    (CONTRACT, r#""contract":"1""#, 422, "a text is no number"),
    (
        CONTRACT,
        r#""contract":1.0"#,
        422,
        "nor is a fraction a whole one",
    ),
    (CONTRACT, r#""contract":1e0"#, 422, "nor this one"),
    (CONTRACT, r#""contract":true"#, 422, "nor a truth"),
    (CONTRACT, r#""contract":[1]"#, 422, "nor a list"),
    (CONTRACT, r#""contract":{"id":1}"#, 422, "nor an object"),
    (
        CONTRACT,
        r#""contract":null"#,
        422,
        "null is as good as missing",
    ),
    (
        CONTRACT,
        r#""contract":01"#,
        400,
        "JSON has no zeros in front",
    ),
    (CONTRACT, r#""contract":+1"#, 400, "nor a plus"),
    (
        CONTRACT,
        r#""contract":NaN"#,
        400,
        "nor what is not a number",
    ),
    (
        CONTRACT,
        r#""Contract":1"#,
        422,
        "names are compared with their case",
    ),
    (
        CONTRACT,
        r#""contract":1,"contract":1"#,
        422,
        "a field given twice",
    ),
    (
        CONTRACT,
        r#""contract":1,"note":"x""#,
        422,
        "an unknown field may be a misspelt one",
    ),
    (SIDE, r#""side":"sell""#, 201, "the other side"),
    (
        SIDE,
        r#""side":"\u0062uy""#,
        201,
        "escapes are part of JSON",
    ),
    (
        SIDE,
        r#""side":"BUY""#,
        422,
        "values are compared with their case",
    ),
    (SIDE, r#""side":"hold""#, 422, "there are two sides"),
    (SIDE, r#""side":"""#, 422, "an empty text is neither"),
    (SIDE, r#""side":"buy\u0000""#, 422, "nothing ends at a NUL"),
    (
        SIDE,
        r#""side":"\ud800""#,
        400,
        "half a surrogate is no character",
    ),
    (SIDE, r#""side":"é""#, 422, "there are two sides"),
    (SIDE, r#""side":1"#, 422, "a number is no text"),
    (SIDE, r#""side":null"#, 422, "null is as good as missing"),
    (PRICE, r#""price_bp":1"#, 201, "the least price"),
    (PRICE, r#""price_bp":9999"#, 201, "the greatest price"),
    (
        PRICE,
        r#""price_bp":0"#,
        422,
        "an impossible outcome is not a bet",
    ),
    (PRICE, r#""price_bp":10000"#, 422, "nor is a certain one"),
    (PRICE, r#""price_bp":-700"#, 422, "nor a negative price"),
    (
        PRICE,
        r#""price_bp":4294967996"#,
        422,
        "no number of 32 bits wraps around",
    ),
    (
        PRICE,
        r#""price_bp":7.5"#,
        422,
        "prices are whole basis points",
    ),
    (PRICE, r#""price_bp":"700""#, 422, "a text is no number"),
    (QUANTITY, r#""quantity":1"#, 201, "the least quantity"),
    (
        QUANTITY,
        r#""quantity":1000000"#,
        201,
        "the greatest quantity",
    ),
    (QUANTITY, r#""quantity":0"#, 422, "nothing is not a bet"),
    (QUANTITY, r#""quantity":1000001"#, 422, "over the greatest"),
    (
        QUANTITY,
        r#""quantity":-3"#,
        422,
        "nor is less than nothing",
    ),
];

/// Whole bodies: the body, the status, why.
const BODIES: [(&str, u16, &str); 29] = [
    (
        r#"{"contract":1,"side":"buy","price_bp":700,"quantity":3}"#,
        201,
        "an order",
    ),
    (
        " \r\n\t{ \"quantity\" : 3 , \"price_bp\":700,\"side\":\"buy\",\"contract\":1 }\n",
        201,
        "space and order mean nothing in JSON",
    ),
    ("{}", 422, "all fields are missing; the first is named"),
    (r#"{"contract":1}"#, 422, "three fields are missing"),
    (
        r#"{"contract":1,"side":"buy"}"#,
        422,
        "two fields are missing",
    ),
    (
        r#"{"contract":1,"side":"buy","price_bp":700}"#,
        422,
        "one field is missing",
    ),
    ("", 400, "an empty body is not JSON"),
    (" ", 400, "nor is a space"),
    ("{", 400, "an object without its end"),
    (r#"{"contract":1,"#, 400, "an object that breaks off"),
    (r#"{"contract":1,}"#, 400, "a comma too many"),
    (r"{'contract':1}", 400, "JSON has one kind of quotes"),
    ("{contract:1}", 400, "and names are quoted"),
    ("contract=1&side=buy", 400, "a form is not JSON"),
    ("<order/>", 400, "nor is XML"),
    ("null", 422, "JSON, but no object"),
    ("true", 422, "JSON, but no object"),
    ("7", 422, "JSON, but no object"),
    (r#""order""#, 422, "JSON, but no object"),
    ("[]", 422, "JSON, but no object"),
    (
        r#"[1,"buy",700,3]"#,
        422,
        "the fields' values alone are no object",
    ),
    (
        r#"[{"contract":1,"side":"buy","price_bp":700,"quantity":3}]"#,
        422,
        "one order at a time",
    ),
    (
        r#"{"contract":1,"side":"buy","price_bp":700,"quantity":3}x"#,
        400,
        "something behind the end",
    ),
    (
        r#"{"contract":1,"side":"buy","price_bp":700,"quantity":3}{}"#,
        400,
        "a second value behind the end",
    ),
    (
        "{\"contract\":1,\"side\":\"buy\",\"price_bp\":700,\"quantity\":3}\0",
        400,
        "a NUL behind the end",
    ),
    (
        "\u{feff}{\"contract\":1,\"side\":\"buy\",\"price_bp\":700,\"quantity\":3}",
        400,
        "a byte order mark is not JSON (RFC 8259, 8.1)",
    ),
    ("\0", 400, "a NUL is not JSON"),
    (
        r#"{"contract":1,"side":"buy","price_bp":700,"quantity":3,"":1}"#,
        422,
        "an unknown field without a name",
    ),
    (
        r#"{"contract":0,"side":"hold","price_bp":0,"quantity":0}"#,
        422,
        "of four mistakes, the first field is named",
    ),
];

/// Orders that may be placed and others.
pub fn placing() -> Table {
    let mut cases = Vec::new();
    for (part, by, status, why) in FIELDS {
        let request = asked(cases.len(), &order_with(part, by));
        cases.push(Case::new(
            format!("an order with {by}"),
            why,
            request,
            status,
        ));
    }
    for (body, status, why) in BODIES {
        let name = format!("the body {}", body.escape_debug());
        cases.push(Case::new(name, why, asked(cases.len(), body), status));
    }
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    cases.extend([
        Case::new(
            "a body of 5,000 lists in each other",
            "no body can make the stack overflow",
            asked(1000, &deep),
            422,
        ),
        Case::new(
            "a body that is not UTF-8",
            "JSON is UTF-8",
            asked(1001, "").body(b"{\"side\":\"\xff\"}"),
            400,
        ),
        Case::new(
            "an order on an unknown market",
            "no such market",
            place(1001, "placing-1002", ORDER),
            404,
        ),
        Case::new(
            "an order that can be read again",
            "it is where its Location says",
            asked(1003, ORDER),
            201,
        )
        .then(Request::get("/orders/{order}"), 200)
        .then(Request::new("DELETE", "/orders/{order}"), 204)
        .then(Request::get("/orders/{order}"), 200),
        Case::new(
            "an order appears in the book",
            "at its price, as one more order",
            place(
                2,
                "placing-1004",
                r#"{"contract":4,"side":"sell","price_bp":9998,"quantity":1000000}"#,
            ),
            201,
        )
        .then(
            place(
                2,
                "placing-1005",
                r#"{"contract":4,"side":"sell","price_bp":9998,"quantity":1}"#,
            ),
            201,
        )
        .then(Request::get("/markets/2/book?depth=20"), 200),
    ]);
    cases.extend(wrong_market_ids());
    cases.extend(order_of_checks());
    Table::new("placing", cases)
}

fn wrong_market_ids() -> impl Iterator<Item = Case> {
    ["0", "-1", "x", "%zz", "%ff", "%00", "9223372036854775808"]
        .into_iter()
        .map(|id| {
            let target = format!("/markets/{id}/orders");
            let request = asked(2000, ORDER).replace_in_target("/markets/1/orders", &target);
            Case::new(format!("POST {target}"), "not an id", request, 400)
        })
}

/// Requests with two mistakes: which one is told.
fn order_of_checks() -> [Case; 6] {
    let keyless = || asked(0, ORDER).without("Idempotency-Key");
    let typeless = |order: &str| asked(3000, order).without("Content-Type");
    [
        Case::new(
            "a wrong id and no key",
            "the path comes first",
            keyless().replace_in_target("/1/", "/x/"),
            400,
        ),
        Case::new(
            "a wrong id and no content type",
            "the path comes first",
            typeless(ORDER).replace_in_target("/1/", "/x/"),
            400,
        ),
        Case::new(
            "no key and no content type",
            "the headers come before the body",
            keyless().without("Content-Type"),
            400,
        ),
        Case::new(
            "no key and a body that is not JSON",
            "the headers come before the body",
            keyless().body("{"),
            400,
        ),
        Case::new(
            "no content type and a body that is not JSON",
            "what is not said to be JSON is not read",
            typeless("{"),
            415,
        ),
        Case::new(
            "an unknown market and a value out of its range",
            "mistakes are found before the market is looked for",
            place(1001, "placing-3001", &order_with(PRICE, r#""price_bp":0"#)),
            422,
        ),
    ]
}
