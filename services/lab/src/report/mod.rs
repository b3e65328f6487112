//! The report: one page that is whole in itself. It works offline, on paper, in
//! the dark and on a telephone, and has no script.

// Pages are put together from pieces; the lints would have a `write!` whose result
// nobody needs in each of them.
#![expect(
    clippy::format_push_string,
    clippy::format_collect,
    clippy::write_with_newline,
    reason = "see above"
)]

mod figures;
mod markup;
pub mod picture;
mod plots;
mod sections;
mod view;

#[cfg(test)]
pub(crate) mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use self::markup::{badge, escape, link, page};
pub(crate) use self::sections::run::date;
use self::sections::{answer, claims, experiment, reading, run, settings};
use self::view::View;
use crate::results::Results;

/// The name of the file in the folder of a run.
pub const FILE: &str = "report.html";

/// The report as HTML.
#[must_use]
pub fn html(results: &Results) -> String {
    let view = View::of(results);
    let mut body = run::head(&view);
    body += &contents(&view);
    body += "<main>\n";
    body += &answer::html(&view);
    body += &claims::html(&view);
    for asked in &view.experiments {
        body += &experiment::html(&view, asked);
    }
    body += &run::facts(&view);
    body += &settings::html(&view);
    body += &reading::how();
    body += &reading::raw();
    body += "</main>\n";
    let title = format!("lab {}, {}", results.command, date(results.started));
    page(&title, &body)
}

/// Writes the report into the folder of a run, whole or not at all, and tells
/// where it is.
///
/// # Errors
/// If the folder cannot be written to.
pub fn write(results: &Results, folder: &Path) -> io::Result<PathBuf> {
    let path = folder.join(FILE);
    let new = folder.join(format!("{FILE}.new"));
    fs::write(&new, html(results))?;
    fs::rename(new, &path)?;
    Ok(path)
}

/// The short answer in a line of text.
pub(crate) fn short_answer(results: &Results) -> String {
    answer::line(&View::of(results))
}

/// What is on the page.
fn contents(view: &View) -> String {
    let mut items = vec![
        ("answer", "The short answer"),
        ("claims", "Against the talk"),
    ];
    items.extend(
        view.experiments
            .iter()
            .map(|asked| (asked.id.as_str(), asked.experiment.name.as_str())),
    );
    items.extend([
        ("run", "What was run"),
        ("settings", "Settings"),
        ("reading", "How to read this"),
        ("raw", "Raw output"),
    ]);
    let items: String = items
        .into_iter()
        .map(|(id, name)| format!("<li><a href=\"#{id}\">{}</a></li>", escape(name)))
        .collect();
    format!("<nav aria-label=\"Contents\"><ul>{items}</ul></nav>\n")
}
