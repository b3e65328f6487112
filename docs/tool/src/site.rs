//! The book as a site: mdBook's pages, and beside them the sources that they link
//! to, which lie outside of the book.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::book::PAGES;
use crate::links::{is_elsewhere, resolved};

/// The folder of the book's settings, from the root.
const BOOK: &str = "docs";
/// The folder of the sources in the site.
const SOURCES: &str = "source";

/// Why there is no site.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// mdBook cannot be started.
    #[error("cannot start {0}: {1}; `scripts/guide` installs it")]
    Start(PathBuf, io::Error),
    /// mdBook has failed, and has said why.
    #[error("mdBook has failed")]
    Failed,
    /// A page links to what is not there.
    #[error("{0} links to {1}, which is not there")]
    Dead(PathBuf, String),
}

/// A site.
pub struct Site {
    /// Its first page.
    pub index: PathBuf,
    /// How many sources are in it.
    pub sources: usize,
}

/// Makes the site in a folder.
///
/// # Errors
/// If mdBook fails, or a link leads nowhere.
pub fn build(root: &Path, out: &Path, mdbook: &Path) -> Result<Site, Error> {
    let out = std::path::absolute(out).map_err(|error| Error::File(out.to_owned(), error))?;
    let mut command = Command::new(mdbook);
    command
        .arg("build")
        .arg(root.join(BOOK))
        .arg("--dest-dir")
        .arg(&out);
    let status = command
        .status()
        .map_err(|error| Error::Start(mdbook.to_owned(), error))?;
    if !status.success() {
        return Err(Error::Failed);
    }
    let mut sources = BTreeSet::new();
    for entry in fs::read_dir(&out).map_err(|error| Error::File(out.clone(), error))? {
        let file = entry
            .map_err(|error| Error::File(out.clone(), error))?
            .path();
        if file.extension().is_some_and(|kind| kind == "html") {
            redirect(root, &file, &mut sources)?;
        }
    }
    for source in &sources {
        show(root, &out, source)?;
    }
    Ok(Site {
        index: out.join("index.html"),
        sources: sources.len(),
    })
}

/// Turns a page's links to sources of the workspace to their pages in the site.
fn redirect(root: &Path, file: &Path, sources: &mut BTreeSet<PathBuf>) -> Result<(), Error> {
    const HREF: &str = "href=\"";
    let error = |error| Error::File(file.to_owned(), error);
    let html = fs::read_to_string(file).map_err(error)?;
    let mut text = String::with_capacity(html.len());
    let mut rest = html.as_str();
    while let Some(at) = rest.find(HREF) {
        let (before, after) = rest.split_at(at + HREF.len());
        text += before;
        let end = after.find('"').unwrap_or(after.len());
        let (to, after) = after.split_at(end);
        if to.starts_with("../") && !is_elsewhere(to) {
            let source =
                source_of(root, to).ok_or_else(|| Error::Dead(file.to_owned(), to.to_owned()))?;
            text += &[SOURCES, "/", &source.to_string_lossy(), ".html"].concat();
            sources.insert(source);
        } else {
            text += to;
        }
        rest = after;
    }
    text += rest;
    fs::write(file, text).map_err(error)
}

/// The source that a link of a page leads to. mdBook has made .html of each .md.
fn source_of(root: &Path, to: &str) -> Option<PathBuf> {
    let to = to.split('#').next()?;
    let target = resolved(&Path::new(PAGES).join("page.md"), to)?;
    if root.join(&target).is_dir() {
        // A folder is shown by its README.
        let readme = target.join("README.md");
        return root.join(&readme).is_file().then_some(readme);
    }
    let markdown = target.with_extension("md");
    [target, markdown]
        .into_iter()
        .find(|path| root.join(path).is_file())
}

/// Writes the page of a source.
fn show(root: &Path, out: &Path, source: &Path) -> Result<(), Error> {
    let error = |path: &Path| {
        let path = path.to_owned();
        |error| Error::File(path, error)
    };
    let from = root.join(source);
    let text = fs::read_to_string(&from).map_err(error(&from))?;
    let name = source.display().to_string();
    let to = out.join(SOURCES).join(format!("{name}.html"));
    let folder = to.parent().unwrap_or(out);
    fs::create_dir_all(folder).map_err(error(folder))?;
    let up = "../".repeat(name.matches('/').count() + 1);
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title}</title>\n\
         <style>body{{font-family:sans-serif;margin:1rem auto;max-width:70rem;padding:0 1rem}}\
         pre{{overflow-x:auto;font-size:.85rem;line-height:1.45}}</style></head>\n\
         <body><p><a href=\"{up}index.html\">The guide</a> · <code>{title}</code></p>\n\
         <pre><code>{code}</code></pre></body></html>\n",
        title = escaped(&name),
        code = escaped(&text),
    );
    fs::write(&to, page).map_err(error(&to))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_are_those_of_the_workspace() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (to, expected) in [
            ("../../Cargo.toml", Some("Cargo.toml")),
            ("../../README.html", Some("README.md")),
            ("../../services/lab", Some("services/lab/README.md")),
            ("../../none.html", None),
            ("../../../x", None),
        ] {
            assert_eq!(source_of(&root, to), expected.map(PathBuf::from), "{to}");
        }
    }
}
