//! Sentry's envelopes: a line of JSON, then items, each a line of JSON and a
//! payload (<https://develop.sentry.dev/sdk/data-model/envelopes/>).

use serde_json::Value;

/// The events of an envelope.
///
/// # Panics
/// If it is not an envelope: then the thread of its connection ends, and the
/// test that waits for the event fails.
pub(super) fn events(envelope: &[u8]) -> Vec<Value> {
    let mut events = Vec::new();
    let (_, mut rest) = line(envelope);
    while !rest.is_empty() {
        let (head, after) = line(rest);
        if head.is_empty() {
            rest = after;
            continue;
        }
        let head: Value = serde_json::from_slice(head).expect("an item starts with JSON");
        let (payload, after) = match head["length"].as_u64().map(usize::try_from) {
            Some(Ok(length)) => after.split_at(length),
            _ => line(after),
        };
        if head["type"] == "event" {
            events.push(serde_json::from_slice(payload).expect("an event is JSON"));
        }
        rest = after;
    }
    events
}

/// The first line and what follows it.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_among_other_items_with_and_without_a_length() {
        let envelope = b"{}\n{\"type\":\"session\",\"length\":3}\n{}\n\n\
                         {\"type\":\"event\",\"length\":9}\n{\"n\":\n 1}\n\
                         {\"type\":\"event\"}\n{\"n\":2}\n";
        let found: Vec<_> = events(envelope)
            .iter()
            .map(|event| event["n"].clone())
            .collect();
        assert_eq!(found, [1, 2]);
    }
}
