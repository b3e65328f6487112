//! The OpenAPI document, committed as `openapi.json` in the root of the
//! workspace. It names both services as its servers; each service names itself.

use std::fs;

use crate::testing::contract::Contract;
use crate::testing::http::{Request, get};
use crate::testing::service::{App, Settings, Subject};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi.json");

/// What the committed document has instead of a service's own address.
const SERVERS: &str = r#"  "servers": [
    {
      "url": "http://localhost:8001",
      "description": "before"
    },
    {
      "url": "http://localhost:8002",
      "description": "after"
    }
  ],
"#;

/// The document is the committed one, but for the servers.
///
/// # Panics
/// If not.
pub fn the_document_is_the_committed_one<S: Subject>() {
    let app = App::<S>::start();
    let served = get(app.addr(), "/openapi.json").expect(200);
    let own = served.json()["servers"][0]["description"].clone();
    assert_eq!(own, S::SERVICE.name());
    let text = with_both_servers(served.text());
    if super::accepts(S::SERVICE) {
        fs::write(COMMITTED, text).expect("the workspace can be written");
        return;
    }
    let committed = fs::read_to_string(COMMITTED).unwrap_or_default();
    let mut lines = (1..).zip(committed.lines().zip(text.lines()));
    let first = lines.find(|(_, (committed, given))| committed != given);
    let (line, (is, given)) = first.unwrap_or((0, ("", "(one of them is longer)")));
    assert!(
        committed == text,
        "openapi.json, line {line}: committed `{is}`, given `{given}`. {}",
        super::advice(S::SERVICE)
    );
}

/// The text with its servers replaced, to the byte the same otherwise.
fn with_both_servers(text: &str) -> String {
    let (before, rest) = text
        .split_once("  \"servers\": [\n")
        .expect("the document names its server");
    let (_, after) = rest.split_once("\n  ],\n").expect("the list has an end");
    format!("{before}{SERVERS}{after}")
}

/// Every path and method of the document is served.
///
/// # Panics
/// If not.
pub fn every_operation_of_the_document_is_served<S: Subject>() {
    let app = App::<S>::with(Settings::with_experiments);
    let contract = Contract::new(get(app.addr(), "/openapi.json").expect(200).json());
    let operations = contract.operations();
    assert!(operations.len() >= 10, "{operations:?}");
    for (method, path) in operations {
        let target = path.replace("{id}", "1");
        let answer = app.send(&Request::new(&method, &target).body(""));
        assert!(
            !matches!(answer.status, 404 | 405),
            "{method} {target}: {answer:?}"
        );
    }
}

/// The routes for experiments are documented exactly when they are served.
///
/// # Panics
/// If not.
pub fn experiments_are_documented_when_they_are_served<S: Subject>() {
    for (app, expected) in [
        (App::<S>::start(), 0),
        (App::<S>::with(Settings::with_experiments), 2),
    ] {
        let document = get(app.addr(), "/openapi.json").expect(200).json();
        let found = ["/sleep", "/fail"]
            .into_iter()
            .filter(|path| document["paths"].get(path).is_some())
            .count();
        assert_eq!(found, expected);
    }
}
