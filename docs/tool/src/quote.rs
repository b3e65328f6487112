//! Pieces of the workspace's sources.

use std::fs;
use std::io;
use std::path::Path;

use crate::directive::Place;
use crate::items::{self, Lines};

/// What begins and ends an anchor in a source, behind the comment sign of its
/// language; mdBook's own words for it.
const ANCHOR: [&str; 2] = ["ANCHOR: ", "ANCHOR_END: "];

/// Why a piece cannot be quoted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such file.
    #[error("cannot read {0}: {1}")]
    Read(String, io::Error),
    /// The file has no such anchor and no such item.
    #[error("{0} has no item and no anchor `{1}`")]
    Missing(String, String),
    /// It has several.
    #[error("{0} has {2} items `{1}`: name one by an anchor, or as `Type::method`")]
    Ambiguous(String, String, usize),
    /// An anchor begins and does not end.
    #[error("{0}: the anchor `{1}` has no end")]
    Endless(String, String),
    /// It is not Rust, though its name says so.
    #[error("{0}: {1}")]
    Syntax(String, syn::Error),
}

/// The text of a piece, without the indentation that all of its lines have, and
/// without the comments that mark anchors.
///
/// # Errors
/// If there is no such piece, or more than one.
pub fn read(root: &Path, place: &Place) -> Result<String, Error> {
    let path = &place.path;
    let source =
        fs::read_to_string(root.join(path)).map_err(|error| Error::Read(path.clone(), error))?;
    let lines: Vec<&str> = source.lines().collect();
    let piece = match &place.name {
        None => &lines[..],
        Some(name) => {
            let endless = || Error::Endless(path.clone(), name.clone());
            let found = match begin(&lines, name) {
                Some(begin) => anchored(&lines, name, begin).ok_or_else(endless)?,
                None => item(&source, path, name)?,
            };
            &lines[found.start() - 1..*found.end()]
        }
    };
    Ok(dedented(piece))
}

/// Where an anchor's first comment is.
fn begin(lines: &[&str], name: &str) -> Option<usize> {
    lines
        .iter()
        .position(|line| marks(line, ANCHOR[0]) == Some(name))
}

/// The lines between the comments of an anchor; nothing if it has no end.
fn anchored(lines: &[&str], name: &str, begin: usize) -> Option<Lines> {
    let ends = |line: &&str| marks(line, ANCHOR[1]) == Some(name);
    let length = lines[begin..].iter().position(ends)?;
    Some(begin + 2..=begin + length)
}

/// The anchor that a line begins or ends.
fn marks<'a>(line: &'a str, which: &str) -> Option<&'a str> {
    let comment = line.trim_start().trim_start_matches(['/', '#', '-', ';']);
    comment.trim_start().strip_prefix(which).map(str::trim)
}

fn item(source: &str, path: &str, name: &str) -> Result<Lines, Error> {
    let missing = || Error::Missing(path.to_owned(), name.to_owned());
    if Path::new(path).extension().is_none_or(|kind| kind != "rs") {
        return Err(missing());
    }
    let mut found =
        items::find(source, name).map_err(|error| Error::Syntax(path.to_owned(), error))?;
    match found.len() {
        0 => Err(missing()),
        1 => Ok(found.remove(0)),
        many => Err(Error::Ambiguous(path.to_owned(), name.to_owned(), many)),
    }
}

fn dedented(lines: &[&str]) -> String {
    let is_anchor = |line: &&&str| ANCHOR.iter().any(|which| marks(line, which).is_some());
    let lines: Vec<_> = lines.iter().filter(|line| !is_anchor(line)).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let common = filled.map(|line| indent(line)).min().unwrap_or(0);
    let lines = lines
        .iter()
        .map(|line| line.get(common..).unwrap_or_default());
    folded(lines).trim_matches('\n').to_owned()
}

/// The lines, with each attribute over several of them in one: the document of a
/// handler is longer than the handler, and seldom why it is quoted.
fn folded<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut end = None;
    for line in lines {
        let indent = &line[..line.len() - line.trim_start().len()];
        if end.is_none() && line.trim_start().starts_with("#[") && line.ends_with('(') {
            end = Some(format!("{indent})]"));
            text += line;
            text += "/* ... */)]\n";
        } else if end.is_none() {
            text += line;
            text.push('\n');
        } else if end.as_deref() == Some(line) {
            end = None;
        }
    }
    text
}

/// How a fenced block names the language of a file.
#[must_use]
pub fn language(path: &str) -> &'static str {
    let name = Path::new(path);
    match name.extension().and_then(|kind| kind.to_str()) {
        Some("rs") => "rust",
        Some("sql") => "sql",
        Some("toml") => "toml",
        Some("yml" | "yaml") => "yaml",
        Some("json") => "json",
        Some("sh") => "bash",
        None if path.ends_with("Dockerfile") => "dockerfile",
        None if path.starts_with("scripts/") || path.starts_with(".ci/") => "bash",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_a_piece_without_its_marks() {
        let lines = [
            "fn a() {",
            "    // ANCHOR: inner",
            "    b();",
            "",
            "    # ANCHOR: other",
            "        c();",
            "    // ANCHOR_END: inner",
            "}",
        ];
        let anchored = |name| begin(&lines, name).map(|begin| anchored(&lines, name, begin));
        assert_eq!(anchored("inner"), Some(Some(3..=6)));
        assert_eq!(dedented(&lines[2..6]), "b();\n\n    c();");
        assert_eq!(anchored("other"), Some(None), "it has no end");
        assert_eq!(anchored("none"), None);
    }

    #[test]
    fn long_attributes_are_folded() {
        let lines = "#[path(\n    get,\n    (x = 1)\n)]\n#[test]\nfn a() {\n}";
        assert_eq!(
            folded(lines.lines()),
            "#[path(/* ... */)]\n#[test]\nfn a() {\n}\n"
        );
    }

    #[test]
    fn this_file_can_be_quoted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let quote = |name: &str| {
            let place = Place {
                path: "src/quote.rs".to_owned(),
                name: Some(name.to_owned()),
            };
            read(root, &place).map_err(|error| error.to_string())
        };
        let text = quote("language").unwrap();
        assert!(text.starts_with("/// How a fenced block"), "{text}");
        assert!(text.ends_with('}'), "{text}");
        assert_eq!(
            quote("nothing").unwrap_err(),
            "src/quote.rs has no item and no anchor `nothing`"
        );
    }

    #[test]
    fn languages_go_by_the_names_of_files() {
        for (path, expected) in [
            ("shared/src/lib.rs", "rust"),
            ("shared/sql/book.sql", "sql"),
            ("Dockerfile", "dockerfile"),
            ("scripts/test", "bash"),
            (".env.sample", "text"),
        ] {
            assert_eq!(language(path), expected, "{path}");
        }
    }
}
