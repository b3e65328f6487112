//! Bars: what a subject used, and its rate where there is but one level.

use super::{CEILING, Part, about_ceiling, described, in_sight, with};
use crate::report::figures::{MEBIBYTE, short};
use crate::report::markup::{Figure, Key};
use crate::report::plots::{Bar, Bars, Format, Group, HALF};
use crate::report::view::{Asked, View};
use crate::stats::Quartiles;
use crate::summary::SubjectSummary;

/// The rate at a single level: a line would have but one point.
pub(super) fn rate(view: &View, asked: &Asked) -> String {
    let ceiling = asked.levels.iter().find_map(|level| level.ceiling);
    let highest = asked.levels.iter().flat_map(|level| &level.subjects);
    let highest = highest
        .filter_map(|s| Some(s.rate?.p75))
        .fold(0.0, f64::max);
    let plot = Bars {
        title: format!("{}: good answers a second", asked.experiment.name),
        description: described(view, asked, "good answers a second", |s| s.rate, short),
        amount: "answers a second".to_owned(),
        ceiling: ceiling.filter(|ceiling| in_sight(*ceiling, highest)),
        ..bars(view, asked, |s| s.rate, |_| None, short)
    };
    if plot.is_empty() {
        return String::new();
    }
    let mut keys = bar_keys(view, asked, |s| s.rate);
    let mut explanation = "Good answers (2xx) a second: the median of the valid runs; the whiskers are the quartiles. \
                           Higher is better."
        .to_owned();
    if plot.ceiling.is_some() {
        keys.push(Key::Ceiling(CEILING));
    }
    explanation += &about_ceiling(plot.ceiling.is_some(), ceiling);
    Figure {
        heading: "Good answers a second",
        keys: &keys,
        plot: plot.svg(HALF),
        narrow: None,
        explanation: &explanation,
    }
    .html()
}

/// Processor time for each answer.
pub(super) fn processor(view: &View, asked: &Asked) -> String {
    let plot = Bars {
        title: format!("{}: processor time for each answer", asked.experiment.name),
        description: described(
            view,
            asked,
            "microseconds of processor time",
            |s| s.cpu_us,
            short,
        ),
        amount: "microseconds for each answer".to_owned(),
        ..bars(view, asked, |s| s.cpu_us, |s| s.database_cpu_us, short)
    };
    if plot.is_empty() {
        return String::new();
    }
    let mut keys = bar_keys(view, asked, |s| s.cpu_us);
    let stacked = plot
        .groups
        .iter()
        .flat_map(|g| g.bars.iter().flatten())
        .any(|b| b.more.is_some());
    let mut explanation =
        "Processor time of the service for each answer, in user and in kernel mode; the whiskers \
                           are the quartiles. Lower is better: it is what an answer costs."
            .to_owned();
    if stacked {
        keys.push(Key::Pale("Postgres, on top"));
        explanation += " The paler part on top is what Postgres took for the same answer.";
    }
    Figure {
        heading: "Processor time for each answer",
        keys: &keys,
        plot: plot.svg(HALF),
        narrow: None,
        explanation: &explanation,
    }
    .html()
}

/// The most resident memory.
pub(super) fn memory(view: &View, asked: &Asked) -> String {
    let plot = Bars {
        title: format!("{}: resident memory", asked.experiment.name),
        description: described(view, asked, "MiB of resident memory", resident, short),
        amount: "MiB".to_owned(),
        ..bars(view, asked, resident, |_| None, short)
    };
    if plot.is_empty() {
        return String::new();
    }
    Figure {
        heading: "Resident memory",
        keys: &bar_keys(view, asked, resident),
        plot: plot.svg(HALF),
        narrow: None,
        explanation: "The most memory that the service held during a run, all its processes together; the whiskers \
                      are the quartiles. Lower is better.",
    }
    .html()
}

/// In MiB, so that the axis is round in them.
fn resident(subject: &SubjectSummary) -> Option<Quartiles> {
    subject.resident.map(|bytes| Quartiles {
        p25: bytes.p25 / MEBIBYTE,
        median: bytes.median / MEBIBYTE,
        p75: bytes.p75 / MEBIBYTE,
    })
}

fn bars(view: &View, asked: &Asked, part: Part, more: Part, format: Format) -> Bars {
    let names: Vec<&str> = with(view, asked, part).collect();
    let groups = asked.levels.iter().map(|level| Group {
        name: short(asked.amount(&level.level)),
        bars: names
            .iter()
            .map(|name| {
                let subject = level.subjects.iter().find(|s| s.name == *name)?;
                Some(Bar {
                    slot: view.slot(name),
                    value: part(subject)?,
                    // What would not be seen is not named either.
                    more: more(subject)
                        .map(|q| q.median)
                        .filter(|m| *m > part(subject).map_or(0.0, |q| q.median / 100.0)),
                })
            })
            .collect(),
    });
    Bars {
        title: String::new(),
        description: String::new(),
        levels: asked.load().to_owned(),
        amount: String::new(),
        format,
        ceiling: None,
        groups: groups
            .filter(|g| g.bars.iter().any(Option::is_some))
            .collect(),
    }
}

fn bar_keys<'a>(view: &'a View, asked: &'a Asked, part: Part) -> Vec<Key<'a>> {
    with(view, asked, part)
        .map(|name| Key::Bar(view.slot(name), name))
        .collect()
}
