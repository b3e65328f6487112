//! The list of all runs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::report::{badge, date, escape, link, page, short_answer};
use crate::results::{self, Results};

/// A folder, and what is in it.
struct Entry {
    name: String,
    results: Result<Results, String>,
}

/// The page.
pub(super) fn html(folder: &Path) -> String {
    let mut body = "<header>\n<p class=\"eyebrow\">Results of the lab</p>\n<h1>All runs</h1>\n</header>\n<main>\n".to_owned();
    match entries(folder) {
        Ok(entries) if entries.is_empty() => body += &none(),
        Ok(entries) => {
            body += "<p class=\"about\">The newest first. The short answer is, for each experiment, how many times as many \
                     good answers a second the later service gave, at the highest level of load; the report has the \
                     intervals.</p>\n<ul class=\"runs\">\n";
            for entry in &entries {
                body += &item(entry);
            }
            body += "</ul>\n";
        }
        Err(error) => {
            let _ = write!(
                body,
                "<div class=\"banner bad\" role=\"note\"><strong>The folder of the results cannot be read:</strong> {}</div>\n",
                escape(&error.to_string())
            );
        }
    }
    body += "</main>\n";
    page("Results of the lab", &body)
}

/// All folders below; none if there is no folder yet.
fn entries(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let mut entries: Vec<Entry> = found
        .filter_map(|entry| {
            let entry = entry.ok()?;
            // A name that is no text has no address either.
            let name = entry.file_name().into_string().ok()?;
            let shown = !name.starts_with('.') && entry.path().is_dir();
            shown.then(|| Entry {
                results: read(&entry.path()),
                name,
            })
        })
        .collect();
    entries.sort_by(|a, b| {
        let started = |entry: &Entry| entry.results.as_ref().ok().map(|r| r.started);
        started(b)
            .cmp(&started(a))
            .then_with(|| b.name.cmp(&a.name))
    });
    Ok(entries)
}

fn read(folder: &Path) -> Result<Results, String> {
    if !folder.join(results::FILE).exists() {
        return Err("no results yet: it runs still, or ended before its first run".to_owned());
    }
    // The whole path is nobody's business who looks at the page.
    results::load(folder).map_err(|error| {
        let path = folder.join(results::FILE);
        error
            .to_string()
            .replace(&path.display().to_string(), results::FILE)
    })
}

fn item(entry: &Entry) -> String {
    let name = escape(&entry.name);
    let address = format!("runs/{}/", link(&entry.name).trim_start_matches("./"));
    let results = match &entry.results {
        Ok(results) => results,
        Err(error) => {
            return format!(
                "<li><h2>{name}</h2>\n<p>{} {}</p></li>\n",
                badge("bad", "cannot be shown"),
                escape(error)
            );
        }
    };
    let subjects: Vec<&str> = results.subjects.iter().map(|s| s.name.as_str()).collect();
    format!(
        "<li><h2><a href=\"./{address}\">{name}</a></h2>\n<p class=\"meta\">{}, <code>lab {}</code>, preset {}; {}</p>\n\
         <p>{}</p>\n<p>{}</p></li>\n",
        date(results.started),
        escape(&results.command),
        escape(&results.preset),
        escape(&subjects.join(", ")),
        escape(&short_answer(results)),
        state(results)
    )
}

fn state(results: &Results) -> String {
    let runs = || results.experiments.iter().flat_map(|e| &e.runs);
    let (all, invalid) = (runs().count(), runs().filter(|run| !run.is_valid()).count());
    let mut state = String::new();
    if results.partial.is_some() {
        state += &badge("bad", "partial");
        state += " ";
    }
    if invalid > 0 {
        state += &badge("bad", &format!("{invalid} of {all} runs do not count"));
        state += " ";
    }
    if !results.warnings.is_empty() {
        state += &badge("unsure", &format!("warnings: {}", results.warnings.len()));
    }
    if state.is_empty() {
        state = badge("good", &format!("all {all} runs count"));
    }
    state
}

fn none() -> String {
    "<p>There are no results yet. A run of the lab makes some:</p>\n<ul>\n\
     <li>in containers: <code>docker compose run lab talk --quick</code></li>\n\
     <li>on this machine: <code>scripts/load-test</code></li>\n</ul>\n\
     <p class=\"about\">Load this page again when it has ended.</p>\n"
        .to_owned()
}
