//! The header `Idempotency-Key`.

use crate::testing::http::Request;
use crate::testing::parity::{Case, Table};
use crate::testing::service::{ORDER, place};

const OTHER: &str = r#"{"contract":1,"side":"buy","price_bp":700,"quantity":4}"#;
/// The same order as [`ORDER`], written in another way.
const REWRITTEN: &str = r#" { "quantity":3, "price_bp":700, "side":"buy", "contract":1 } "#;

fn keyless() -> Request {
    place(1, "x", ORDER).without("Idempotency-Key")
}

/// Keys, good and bad, and what happens the second time.
pub fn keys() -> Table {
    let long = "k".repeat(64);
    let longer = "k".repeat(65);
    let good = [
        ("k", "one character"),
        (&*long, "64 characters"),
        (
            "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
            "all sorts of visible ones",
        ),
    ];
    let bad: [(&[u8], &str); 8] = [
        (b"", "an empty one is none"),
        (longer.as_bytes(), "65 characters"),
        (b"a b", "a space inside is not visible"),
        (b"a\tb", "nor is a tab"),
        ("é".as_bytes(), "only ASCII"),
        (b"\xff", "nor what is no text at all"),
        (b"   ", "the spaces around a value are no part of it"),
        (b"a,b c", "a list with a space"),
    ];
    let mut cases = vec![
        Case::new("no key", "it is required", keyless(), 400),
        Case::new(
            "two keys",
            "which of them would count?",
            keyless()
                .header("Idempotency-Key", "a")
                .header("Idempotency-Key", "b"),
            400,
        ),
        Case::new(
            "the same key twice",
            "given once means once",
            keyless()
                .header("Idempotency-Key", "a")
                .header("Idempotency-Key", "a"),
            400,
        ),
        Case::new(
            "a key with spaces around it",
            "they are no part of the value",
            keyless().header("Idempotency-Key", "  around  "),
            201,
        )
        .then(place(1, "around", ORDER), 201),
    ];
    for (key, why) in good {
        let request = keyless().header("Idempotency-Key", key);
        cases.push(Case::new(format!("the key {key}"), why, request, 201));
    }
    for (key, why) in bad {
        let name = format!("the key {:?}", key.escape_ascii().to_string());
        let request = keyless().header("Idempotency-Key", key);
        cases.push(Case::new(name, why, request, 400));
    }
    cases.extend(second_times());
    Table::new("keys", cases)
}

fn second_times() -> [Case; 8] {
    [
        Case::new(
            "the same key with the same order",
            "the same answer, no second order",
            place(1, "again", ORDER),
            201,
        )
        .then(place(1, "again", ORDER), 201),
        Case::new(
            "the same key with the same order in other JSON",
            "it is the order that counts, not its text",
            place(1, "rewritten", ORDER),
            201,
        )
        .then(place(1, "rewritten", REWRITTEN), 201),
        Case::new(
            "the same key with another order",
            "the key stands for the first one",
            place(1, "other", ORDER),
            201,
        )
        .then(place(1, "other", OTHER), 422)
        .then(place(1, "other", ORDER), 201),
        Case::new(
            "the same key on another market",
            "that is another order too",
            place(1, "elsewhere", ORDER),
            201,
        )
        .then(place(2, "elsewhere", &ORDER.replace(":1,", ":4,")), 422),
        Case::new(
            "the same key after the order was cancelled",
            "the first answer again, whatever has become of the order",
            place(1, "cancelled", ORDER),
            201,
        )
        .then(Request::new("DELETE", "/orders/{order}"), 204)
        .then(place(1, "cancelled", ORDER), 201)
        .then(Request::get("/orders/{order}"), 200),
        Case::new(
            "a key in another case",
            "keys are compared with their case",
            place(1, "Case", ORDER),
            201,
        )
        .then(place(1, "case", ORDER), 201),
        Case::new(
            "a key whose first order was refused",
            "a key is taken if and only if the order is there",
            place(1, "refused", &ORDER.replace(":1,", ":4,")),
            422,
        )
        .then(place(1, "refused", ORDER), 201),
        Case::new(
            "a key whose first order could not be read",
            "a key is taken if and only if the order is there",
            place(1, "unread", "{"),
            400,
        )
        .then(place(1, "unread", ORDER), 201),
    ]
}
