//! The committed transcripts.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::accepts;
use crate::config::Service;

fn path(name: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/testing/parity/expected");
    PathBuf::from(folder).join(name).with_extension("txt")
}

/// Compares transcripts with the committed ones, or writes them.
///
/// # Errors
/// Shows each case that differs.
pub(super) fn compare(service: Service, name: &str, transcripts: &[String]) -> Result<(), String> {
    let path = path(name);
    let text = transcripts.join("\n");
    if accepts(service) {
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        return Ok(());
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if committed == text {
        return Ok(());
    }
    let mut committed = committed.split("\n=== ");
    let mut given = text.split("\n=== ");
    let what = if path.exists() {
        "not as"
    } else {
        "there is no"
    };
    let advice = super::advice(service);
    let mut difference = format!("{what} {}. {advice}:\n", path.display());
    loop {
        let (committed, given) = (committed.next(), given.next());
        if committed.is_none() && given.is_none() {
            return Err(difference);
        }
        if committed.map(str::trim_end) != given.map(str::trim_end) {
            let nothing = "(no such case)";
            let _ = writeln!(
                difference,
                "--- committed\n{}\n--- given\n{}\n",
                committed.unwrap_or(nothing),
                given.unwrap_or(nothing)
            );
        }
    }
}
