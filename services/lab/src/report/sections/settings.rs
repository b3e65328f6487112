//! The settings of the subjects beside each other.

use std::collections::BTreeSet;

use crate::report::markup::{Table, escape, section};
use crate::report::view::View;

/// The section.
pub(crate) fn html(view: &View) -> String {
    let subjects = &view.results.subjects;
    let names: BTreeSet<&str> = subjects
        .iter()
        .flat_map(|s| s.settings.keys())
        .map(String::as_str)
        .collect();
    let mut heads = vec!["Setting"];
    heads.extend(subjects.iter().map(|s| s.name.as_str()));
    let address = subjects
        .iter()
        .map(|s| s.address.as_deref().unwrap_or("started by the lab"));
    let mut rows = vec![row("Address", &address.collect::<Vec<_>>(), false)];
    for name in names {
        let values: Vec<&str> = subjects
            .iter()
            .map(|s| s.settings.get(name).map_or("–", String::as_str))
            .collect();
        let differs = values.windows(2).any(|pair| pair[0] != pair[1]);
        rows.push(row(name, &values, differs));
    }
    let table = Table {
        label: "Settings of the subjects",
        heads: &heads,
        rows,
        explanation: "What the lab set, for all subjects beside each other. Rows with <b>≠</b> differ; a dash means \
                      that the lab did not set it. What ran already was set by whoever started it.",
    };
    section("settings", "Settings of the subjects", &table.html())
}

fn row(name: &str, values: &[&str], differs: bool) -> (&'static str, Vec<String>) {
    let mark = if differs {
        " <b title=\"differs\">≠</b>"
    } else {
        ""
    };
    let mut cells = vec![format!("<code>{}</code>{mark}", escape(name))];
    cells.extend(
        values
            .iter()
            .map(|value| format!("<span class=\"words\">{}</span>", escape(value))),
    );
    (if differs { "differs" } else { "" }, cells)
}
