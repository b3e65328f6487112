//! The twins line up: what a plain diff of the two services, and with it the whole
//! guide, relies on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use guide::items::functions;

/// What `before` has to have itself, and `after` has from axum and tokio.
const ONLY_BEFORE: [&str; 10] = [
    "crew.rs",
    "db/client.rs",
    "db/io.rs",
    "poll.rs",
    "respond.rs",
    "router.rs",
    "server/door.rs",
    "server/line.rs",
    "server/lookout.rs",
    "server/parking.rs",
];

/// What only a future needs: an account of statements that were cut.
const ONLY_AFTER: [&str; 1] = ["db/connection.rs"];

fn sources(service: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("services").join(service).join("src")
}

fn files(folder: &Path, within: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{within}{name}");
        if path.is_dir() {
            files(&path, &format!("{name}/"), found);
        } else {
            found.insert(name);
        }
    }
}

fn files_of(service: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    files(&sources(service), "", &mut found);
    found
}

fn functions_of(service: &str, file: &str) -> Vec<String> {
    let path = sources(service).join(file);
    let source = fs::read_to_string(&path).expect("it is there");
    functions(&source).expect("it is Rust")
}

#[test]
fn both_services_have_the_same_files() {
    let (before, after) = (files_of("before"), files_of("after"));
    let only =
        |these: &BTreeSet<String>, others| these.difference(others).cloned().collect::<Vec<_>>();
    assert_eq!(only(&before, &after), ONLY_BEFORE);
    assert_eq!(only(&after, &before), ONLY_AFTER);
}

#[test]
fn functions_of_the_same_name_stand_in_the_same_order() {
    for file in files_of("before").intersection(&files_of("after")) {
        let before = functions_of("before", file);
        let after = functions_of("after", file);
        // Each name once: `from` of several errors is several times there.
        let common = |these: &[String], others: &[String]| -> Vec<String> {
            let mut seen = BTreeSet::new();
            let both = these.iter().filter(|name| others.contains(name));
            both.filter(|name| seen.insert(*name)).cloned().collect()
        };
        assert_eq!(common(&before, &after), common(&after, &before), "{file}");
    }
}
