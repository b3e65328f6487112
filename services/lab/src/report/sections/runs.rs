//! Single runs: those that do not count, how processes shared, and all of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::figures::{mebibytes, short, whole};
use crate::report::markup::{Table, badge, escape, link};
use crate::report::view::{Asked, View};
use crate::results::Run;

/// The runs that do not count, with their reasons; nothing if all do.
pub(crate) fn invalid(asked: &Asked) -> String {
    let rows: Vec<_> = asked
        .experiment
        .runs
        .iter()
        .filter(|run| !run.is_valid())
        .map(|run| {
            let reasons: Vec<String> = run.invalid.iter().map(|r| escape(r)).collect();
            let cells = vec![
                escape(&Asked::at(&run.level)),
                format!("<span class=\"name\">{}</span>", escape(&run.subject)),
                run.round.to_string(),
                short(run.rate),
                format!("<span class=\"words\">{}</span>", reasons.join("<br>")),
                raw(run),
            ];
            ("first", cells)
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let table = Table {
        label: &format!("Runs of {} that do not count", asked.experiment.name),
        heads: &[
            "Load",
            "Subject",
            "#Round",
            "#Answers/s",
            "Why it does not count",
            "Output",
        ],
        rows,
        explanation: "These are in no median and in no ratio. What they reached stands here so that nothing is hidden.",
    };
    format!("<h3>Runs that do not count</h3>\n{}", table.html())
}

/// How several processes of a subject shared the connections.
pub(crate) fn split(view: &View, asked: &Asked) -> String {
    let mut items = String::new();
    for name in view.names() {
        let runs = asked
            .experiment
            .runs
            .iter()
            .filter(|r| r.subject == name && r.is_valid());
        let shares: Vec<f64> = runs.flat_map(shares).collect();
        let low = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let high = shares.iter().copied().fold(0.0, f64::max);
        if high > 0.0 {
            let _ = write!(
                items,
                "<li>{}: a process had between {} and {}&nbsp;% of a run's connections.</li>",
                escape(name),
                short(low * 100.0),
                short(high * 100.0)
            );
        }
    }
    if items.is_empty() {
        return String::new();
    }
    format!(
        "<h3>How the processes shared the work</h3>\n<p class=\"about\">The kernel deals out new connections among \
         processes on one port; over all valid runs, the least and the greatest share that it gave to one of {} \
         (even would be {}&nbsp;%):</p>\n<ul>{items}</ul>\n",
        asked.experiment.processes,
        short(100.0 / f64::from(asked.experiment.processes.max(1)))
    )
}

#[expect(
    clippy::cast_precision_loss,
    reason = "shares of far less than 2^52 connections"
)]
fn shares(run: &Run) -> Vec<f64> {
    let all: u64 = run.split.iter().sum();
    if run.split.len() < 2 || all == 0 {
        return Vec::new();
    }
    run.split
        .iter()
        .map(|part| *part as f64 / all as f64)
        .collect()
}

/// All runs, folded away.
pub(crate) fn all(asked: &Asked) -> String {
    let rows = asked
        .experiment
        .runs
        .iter()
        .map(|run| ("", cells(run)))
        .collect();
    let table = Table {
        label: &format!("All runs of {}", asked.experiment.name),
        heads: &[
            "Load",
            "Subject",
            "#Round",
            "#Began s",
            "#Took s",
            "#Answers/s",
            "#p50 ms",
            "#p99 ms",
            "Answers by status",
            "Without an answer",
            "#Cut off",
            "#Connections served",
            "#CPU s",
            "#Memory MiB",
            "#Waits",
            "#Interruptions",
            "Output",
        ],
        rows,
        explanation: "Each run in the order in which it was made. Rounds go through all subjects, in alternating order. \
                      Requests that the end of the run cut off are neither answered nor failed. <em>Waits</em> and \
                      <em>interruptions</em> count the switches of threads: for something, and for another thread.",
    };
    format!(
        "<details>\n<summary>All {} runs</summary>\n{}</details>\n",
        asked.experiment.runs.len(),
        table.big()
    )
}

fn cells(run: &Run) -> Vec<String> {
    let latency = |of: fn(&crate::results::Latency) -> f64| {
        run.latency
            .as_ref()
            .map_or_else(|| "–".to_owned(), |l| short(of(l)))
    };
    let used = |of: fn(&crate::results::Usage) -> String| {
        run.usage.as_ref().map_or_else(|| "–".to_owned(), of)
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "memory of far less than 2^52 bytes"
    )]
    let memory = used(|u| mebibytes(u.resident_bytes as f64));
    let mut subject = format!("<span class=\"name\">{}</span>", escape(&run.subject));
    if !run.is_valid() {
        subject += " ";
        subject += &badge("bad", "does not count");
    }
    vec![
        escape(&Asked::at(&run.level)),
        subject,
        run.round.to_string(),
        short(run.at_s),
        short(run.duration_s),
        short(run.rate),
        latency(|l| l.p50),
        latency(|l| l.p99),
        counts(&run.answers),
        counts(&run.failed),
        whole(run.cut),
        run.connections_served.map_or_else(|| "–".to_owned(), whole),
        used(|u| short(u.cpu_s)),
        memory,
        used(|u| whole(u.switches_voluntary)),
        used(|u| whole(u.switches_involuntary)),
        raw(run),
    ]
}

fn counts(of: &BTreeMap<String, u64>) -> String {
    let parts: Vec<String> = of
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(what, count)| format!("{}: {}", escape(what), whole(*count)))
        .collect();
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

/// The tool's own output of a run.
fn raw(run: &Run) -> String {
    if run.raw.is_empty() {
        return "–".to_owned();
    }
    format!("<a href=\"{}\">{}</a>", link(&run.raw), escape(&run.tool))
}
