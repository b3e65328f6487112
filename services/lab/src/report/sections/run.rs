//! What was run, on what, and what makes the figures less fair.

use std::fmt::Write;

use crate::report::figures::{short, whole};
use crate::report::markup::{badge, escape, section};
use crate::report::view::View;
use crate::results::Results;

/// The head of the page: what this is, and what has to be known before any number.
pub(crate) fn head(view: &View) -> String {
    let results = view.results;
    let names: Vec<&str> = view.names().collect();
    let mut html = format!(
        "<header>\n<p class=\"eyebrow\">Results of the lab</p>\n<h1>{}</h1>\n<p class=\"meta\"><code>lab {}</code>, \
         preset {}, began {}{}, commit {}</p>\n",
        escape(&title(results, &names)),
        escape(&results.command),
        escape(&results.preset),
        date(results.started),
        took(results),
        escape(results.commit.as_deref().unwrap_or("not known")),
    );
    if let Some(why) = &results.partial {
        let _ = write!(
            html,
            "<div class=\"banner bad\" role=\"note\"><strong>Partial.</strong> The lab ended before its time: {}. What \
             had been measured until then is valid, the rest is missing.</div>\n",
            escape(why.trim_end_matches('.'))
        );
    }
    let (runs, invalid) = view.runs();
    if invalid > 0 {
        let _ = write!(
            html,
            "<div class=\"banner bad\" role=\"note\"><strong>{} of {} runs do not count.</strong> They are in no median \
             and no ratio; each stands with its reason under its experiment.</div>\n",
            whole_usize(invalid),
            whole_usize(runs)
        );
    }
    if !results.warnings.is_empty() {
        let items: String = results
            .warnings
            .iter()
            .map(|warning| format!("<li>{}</li>", escape(warning)))
            .collect();
        let _ = write!(
            html,
            "<div class=\"banner unsure\" role=\"note\"><strong>Found before anything was measured:</strong>\n<ul>{items}</ul></div>\n"
        );
    }
    html + "</header>\n"
}

fn title(results: &Results, names: &[&str]) -> String {
    match names {
        [] => format!("lab {}", results.command),
        [first, rest @ ..] if !rest.is_empty() => {
            format!("{first} against {}", rest.join(" and "))
        }
        [first, ..] => (*first).to_owned(),
    }
}

/// All facts.
pub(crate) fn facts(view: &View) -> String {
    let results = view.results;
    let host = &results.host;
    let known = |fact: &Option<String>| fact.clone().unwrap_or_else(|| "not known".to_owned());
    let tools: Vec<String> = results
        .tools
        .iter()
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    let (runs, invalid) = view.runs();
    let facts: Vec<(&str, String)> = vec![
        ("Command", format!("lab {}", results.command)),
        ("Preset", results.preset.clone()),
        ("Began", date(results.started)),
        (
            "Ended",
            results
                .finished
                .map_or_else(|| "not known".to_owned(), date),
        ),
        ("Commit", known(&results.commit)),
        ("Lab", results.lab.clone()),
        (
            "Load tools",
            if tools.is_empty() {
                "none".to_owned()
            } else {
                tools.join(", ")
            },
        ),
        (
            "Runs",
            format!(
                "{}, of which {} count",
                whole_usize(runs),
                whole_usize(runs - invalid)
            ),
        ),
        ("Processor", host.processor.clone()),
        ("Processors to use", host.processors.to_string()),
        (
            "Limit of the container",
            host.processor_limit
                .map_or_else(|| "none".to_owned(), |l| format!("{} processors", short(l))),
        ),
        ("Cores of the subjects", cores(&results.cores.subjects)),
        ("Cores of the load", cores(&results.cores.load)),
        ("Cores of Postgres", cores(&results.cores.database)),
        (
            "Memory",
            format!("{} GiB", short(gibibytes(host.memory_bytes))),
        ),
        ("System", format!("{}, {}", host.system, host.kernel)),
        (
            "Virtualized",
            host.virtualized
                .clone()
                .unwrap_or_else(|| "not as far as it shows".to_owned()),
        ),
        ("Governor", known(&host.governor)),
        ("Load before", short(host.load)),
        ("Stolen before", format!("{} %", short(host.steal * 100.0))),
        ("File handles", whole(host.file_handles)),
        ("Postgres", known(&host.postgres)),
    ];
    let mut body = "<p class=\"about\">The conditions that the figures were taken under: they hold for these, and for \
                    others as far as others are alike. Cores that stand in two rows were shared.</p>\n<dl class=\"facts\">\n"
        .to_owned();
    for (name, fact) in facts {
        let _ = writeln!(body, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&fact));
    }
    body += "</dl>\n";
    if results.warnings.is_empty() {
        let _ = writeln!(
            body,
            "<p>{} Nothing was found that makes the figures less fair.</p>",
            badge("good", "no warnings")
        );
    }
    section("run", "What was run", &body)
}

fn cores(of: &[usize]) -> String {
    let numbers: Vec<String> = of.iter().map(ToString::to_string).collect();
    if numbers.is_empty() {
        "any".to_owned()
    } else {
        numbers.join(", ")
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "memory of far less than 2^52 bytes"
)]
fn gibibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0 * 1024.0)
}

fn whole_usize(count: usize) -> String {
    whole(u64::try_from(count).unwrap_or(u64::MAX))
}

/// A moment, to the minute, UTC.
pub(crate) fn date(at: time::OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    format!(
        "{}-{:02}-{:02} {:02}:{:02} UTC",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute()
    )
}

fn took(results: &Results) -> String {
    let Some(finished) = results.finished else {
        return String::new();
    };
    let seconds = (finished - results.started).whole_seconds().max(0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!(", took {seconds} s"),
        (0, minutes, seconds) => format!(", took {minutes} min {seconds} s"),
        (hours, minutes, _) => format!(", took {hours} h {minutes} min"),
    }
}
