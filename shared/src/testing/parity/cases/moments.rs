//! Answers that depend on the moment: a body that is late, a key that somebody
//! is using.

use crate::testing::parity::{Case, KEY_IN_USE, Table, World};
use crate::testing::service::{ORDER, place};

/// Bodies that do not come, to a service that waits half a second for them.
pub fn late_bodies() -> Table {
    let announced = |length: usize| {
        place(1, "late", "")
            .without("Content-Length")
            .header("Content-Length", length.to_string())
    };
    let unfinished = place(1, "late", "")
        .chunks(ORDER, 20)
        .replace_end_of_body("0\r\n\r\n", "");
    let cases = vec![
        Case::new(
            "a body of which nothing comes",
            "the client is late, and the connection cannot be used for more",
            announced(ORDER.len()),
            408,
        )
        .then(place(1, "late", ORDER), 201),
        Case::new(
            "chunks without an end",
            "an order is placed when all of it is there",
            unfinished,
            408,
        ),
    ];
    Table::new("late_bodies", cases).in_world(World::Impatient)
}

/// A key that is taken, and whose order cannot be seen.
pub fn key_in_use() -> Table {
    let cases = vec![
        Case::new(
            "a key that is in use at this moment",
            "there is no order to show yet, and there must be no second one",
            place(1, KEY_IN_USE, ORDER),
            409,
        )
        .then(place(1, KEY_IN_USE, ORDER), 409),
        Case::new(
            "another key at that moment",
            "it is in nobody's way",
            place(1, "not-in-use", ORDER),
            201,
        ),
    ];
    Table::new("key_in_use", cases).in_world(World::KeyInUse)
}
