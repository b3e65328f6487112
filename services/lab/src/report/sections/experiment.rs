//! One experiment: its plots, its numbers, and the runs that do not count.

use super::{answer, plots, runs, series, table};
use crate::report::markup::{badge, escape, section};
use crate::report::view::{Asked, View};

/// The section.
pub(crate) fn html(view: &View, asked: &Asked) -> String {
    let experiment = asked.experiment;
    let mut body = format!(
        "<p class=\"question\">{}</p>\n<p class=\"about\"><code>GET {}</code>, {}{}.</p>\n",
        escape(&experiment.question),
        escape(&experiment.path),
        match experiment.processes {
            0 | 1 => "one process of each subject".to_owned(),
            n => format!("{n} processes of each subject on one port"),
        },
        if asked.constant {
            ", at a constant rate, whatever the answers do"
        } else {
            ", in a closed loop: each connection asks again when it has its answer"
        }
    );
    for finding in &experiment.findings {
        body += &format!("<p>{}</p>\n", answer::sentence(finding));
    }
    if experiment.runs.is_empty() {
        body += &format!("<p>{}</p>\n", badge("bad", "no runs"));
        return section(&asked.id, &experiment.name, &body);
    }
    body += &plots::html(view, asked);
    body += "<h3>All numbers</h3>\n";
    body += &table::html(asked);
    body += &runs::split(view, asked);
    body += &runs::invalid(asked);
    body += &series::html(view, asked);
    body += &runs::all(asked);
    section(&asked.id, &experiment.name, &body)
}
