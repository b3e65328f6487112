//! The short answer: a card for each experiment.

use std::fmt::Write;

use crate::report::figures::{mebibytes, median, short, time, times};
use crate::report::markup::{badge, escape, section};
use crate::report::view::{Asked, View};
use crate::results::{Finding, Level};
use crate::stats::Ratio;
use crate::summary::{LevelSummary, RatioSummary, SubjectSummary};

/// The section.
pub(crate) fn html(view: &View) -> String {
    let mut cards = String::new();
    for asked in &view.experiments {
        cards.push_str(&card(asked));
    }
    if cards.is_empty() {
        "<p>Nothing was measured.</p>\n".clone_into(&mut cards);
    } else {
        cards = format!(
            "<p class=\"about\">Each card compares at the highest level of load that both have valid runs of. \
             A ratio above 1 means more good answers a second; its interval is where the true ratio lies with \
             95&nbsp;% confidence, as far as the runs tell.</p>\n<div class=\"cards\">\n{cards}</div>\n"
        );
    }
    section("answer", "The short answer", &cards)
}

/// The same in a line of text, for a list of results.
pub(crate) fn line(view: &View) -> String {
    let mut parts = Vec::new();
    for asked in &view.experiments {
        let name = &asked.experiment.name;
        if asked.is_search() {
            let found: Vec<String> = asked.experiment.findings.iter().map(found_at).collect();
            parts.push(format!("{name}: {}", found.join(", ")));
        } else if !asked.constant
            && let Some((_, of, ratio)) = compared(asked)
        {
            parts.push(format!(
                "{name} {}\u{d7} ({} / {})",
                times(ratio.value),
                of.of,
                of.by
            ));
        }
    }
    if parts.is_empty() {
        "no ratio: see the report".to_owned()
    } else {
        parts.join(" \u{b7} ")
    }
}

fn found_at(finding: &Finding) -> String {
    match &finding.highest {
        None => format!("{} at no level", finding.subject),
        Some(level) => format!("{} {}", finding.subject, Asked::at(level)),
    }
}

/// The highest level at which the last subject has a ratio.
fn compared<'a>(asked: &'a Asked) -> Option<(&'a LevelSummary, &'a RatioSummary, Ratio)> {
    asked.levels.iter().rev().find_map(|level| {
        let of = level.ratios.iter().rfind(|r| r.ratio.is_some())?;
        Some((level, of, of.ratio?))
    })
}

fn card(asked: &Asked) -> String {
    let inner = if asked.is_search() {
        search(asked)
    } else if asked.constant {
        constant(asked)
    } else {
        closed(asked)
    };
    format!(
        "<article class=\"card\">\n<h3><a href=\"#{}\">{}</a></h3>\n{inner}</article>\n",
        asked.id,
        escape(&asked.experiment.name)
    )
}

/// A closed loop: the ratio of the rates.
fn closed(asked: &Asked) -> String {
    let Some((level, _, _)) = compared(asked) else {
        return alone(asked);
    };
    let mut html = String::new();
    for of in &level.ratios {
        let Some(ratio) = of.ratio else { continue };
        let interval = match ratio.interval {
            Some((low, high)) => format!("{} to {}", times(low), times(high)),
            None => "no interval from one pair".to_owned(),
        };
        let (kind, verdict) = verdict(of, &ratio);
        let _ = write!(
            html,
            "<p class=\"big\">{}<small>\u{d7}</small> <span class=\"interval\">{interval}</span></p>\n\
             <p>{} / {} at {}, {} pairs of runs{}</p>\n<p>{}{}</p>\n",
            times(ratio.value),
            escape(&of.of),
            escape(&of.by),
            Asked::at(&level.level),
            ratio.pairs,
            others(asked, level, of),
            badge(kind, &verdict),
            marks(level, of),
        );
    }
    html + &medians(level, |s| format!("{}/s", median(s.rate, short)))
}

/// What an interval says in words.
fn verdict(of: &RatioSummary, ratio: &Ratio) -> (&'static str, String) {
    match ratio.interval {
        None => ("unsure", "one pair only: no interval".to_owned()),
        Some((low, _)) if low > 1.0 => ("good", format!("{} answers more", of.of)),
        Some((_, high)) if high < 1.0 => ("good", format!("{} answers more", of.by)),
        Some(_) => ("unsure", "no difference shown".to_owned()),
    }
}

/// The range of the ratios at the other levels: one level alone is easily chosen
/// well.
fn others(asked: &Asked, level: &LevelSummary, of: &RatioSummary) -> String {
    let ratios: Vec<f64> = asked
        .levels
        .iter()
        .filter(|other| other.level != level.level)
        .flat_map(|other| &other.ratios)
        .filter(|other| other.of == of.of && other.by == of.by)
        .filter_map(|other| other.ratio.map(|r| r.value))
        .collect();
    let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ratios.iter().copied().fold(0.0, f64::max);
    match ratios.len() {
        0 => String::new(),
        1 => format!("; {} at the other level", times(low)),
        _ => format!("; {} to {} at the other levels", times(low), times(high)),
    }
}

fn marks(level: &LevelSummary, of: &RatioSummary) -> String {
    let pair = |s: &&SubjectSummary| s.name == of.of || s.name == of.by;
    let either = |mark: fn(&SubjectSummary) -> bool| level.subjects.iter().filter(pair).any(mark);
    let mut marks = String::new();
    if either(|s| s.noisy) {
        marks += " ";
        marks += &badge("unsure", "~ noise");
    }
    if either(|s| s.limited_by_tool) {
        marks += " ";
        marks += &badge("unsure", "limited by the load tool");
    }
    if either(|s| s.valid < s.total) {
        marks += " ";
        marks += &badge("bad", "not all runs count");
    }
    marks
}

/// Nothing to compare with.
fn alone(asked: &Asked) -> String {
    match asked.highest(|s| s.rate.is_some()) {
        None => format!("<p>{}</p>\n", badge("bad", "no valid run")),
        Some(level) => format!(
            "<p>No ratio: no round has valid runs of two subjects. At {}:</p>\n{}",
            Asked::at(&level.level),
            medians(level, |s| format!("{}/s", median(s.rate, short)))
        ),
    }
}

/// A constant rate is the same for all, so what differs is what it takes.
fn constant(asked: &Asked) -> String {
    let Some(level) = asked.highest(|s| s.rate.is_some()) else {
        return alone(asked);
    };
    let taken = |s: &SubjectSummary| {
        format!(
            "p99 {}\n{} \u{b5}s of CPU an answer\n{} MiB",
            median(s.p99, time),
            median(s.cpu_us, short),
            median(s.resident, mebibytes)
        )
    };
    format!(
        "<p>All were offered {}. What that took:</p>\n{}",
        Asked::at(&level.level),
        medians(level, taken)
    )
}

fn medians(level: &LevelSummary, text: impl Fn(&SubjectSummary) -> String) -> String {
    let mut rows = String::new();
    for subject in level.subjects.iter().filter(|s| s.total > 0) {
        let _ = write!(
            rows,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escape(&subject.name),
            escape(&text(subject)).replace('\n', "<br>")
        );
    }
    format!("<dl class=\"pairs\">{rows}</dl>\n")
}

/// A search: how far each came.
fn search(asked: &Asked) -> String {
    let findings = &asked.experiment.findings;
    let mut html = String::new();
    if let [first, .., last] = findings.as_slice()
        && let (Some(low), Some(high)) = (&first.highest, &last.highest)
    {
        let _ = write!(
            html,
            "<p class=\"big\">{}<small>\u{d7}</small></p>\n<p>{} / {}, in {} that hold; one search each, so without an interval</p>\n",
            times(amount(high) / amount(low).max(f64::MIN_POSITIVE)),
            escape(&last.subject),
            escape(&first.subject),
            asked.load()
        );
    }
    for finding in findings {
        let _ = writeln!(html, "<p>{}</p>", sentence(finding));
    }
    html
}

fn amount(level: &Level) -> f64 {
    level.rate.unwrap_or_else(|| level.connections.into())
}

/// A finding in words, as HTML.
pub(crate) fn sentence(finding: &Finding) -> String {
    let found = match &finding.highest {
        None => "no level held".to_owned(),
        Some(level) => {
            let rate = finding.rate.map_or(String::new(), |rate| {
                format!(", with {} good answers a second", short(rate))
            });
            let bound = if finding.bounded {
                "; the search ended at its own bound, so it may be more"
            } else {
                ""
            };
            format!("{}{rate}{bound}", Asked::at(level))
        }
    };
    format!(
        "<strong>{}</strong>, {}: {}.",
        escape(&finding.subject),
        escape(&finding.what),
        escape(&found)
    )
}
