//! What the subjects' own metrics said, second by second.

use crate::report::figures::{MEBIBYTE, short};
use crate::report::markup::{Figure, Key, escape};
use crate::report::plots::{Axis, Line, Lines, Point, THIRD};
use crate::report::view::{Asked, View};
use crate::results::{Run, Second};
use crate::stats::Quartiles;

/// What a subject tells every second.
struct Metric {
    name: &'static str,
    unit: &'static str,
    /// What it is good for.
    says: &'static str,
    of: fn(&Second) -> f64,
}

/// A figure for each of three metrics, of one run of each subject.
pub(crate) fn html(view: &View, asked: &Asked) -> String {
    let runs: Vec<&Run> = view.names().filter_map(|name| shown(asked, name)).collect();
    if runs.is_empty() {
        return String::new();
    }
    let which: Vec<String> = runs
        .iter()
        .map(|run| {
            let round = run.round;
            format!(
                "{}, round {round} at {}",
                escape(&run.subject),
                Asked::at(&run.level)
            )
        })
        .collect();
    let metrics: [Metric; 3] = [
        Metric {
            name: "Answers",
            unit: "a second",
            says: "How even the rate was: a dip is a pause.",
            of: |second| second.rate,
        },
        Metric {
            name: "Resident memory",
            unit: "MiB",
            says: "Memory that grows all the time is a leak, or a run that was too short.",
            of: |second| second.resident_bytes / MEBIBYTE,
        },
        Metric {
            name: "In flight",
            unit: "requests",
            says: "How many requests were being served at once, as the subject counts them.",
            of: |second| second.in_flight,
        },
    ];
    let figures: String = metrics
        .iter()
        .map(|metric| figure(view, &runs, metric))
        .collect();
    format!(
        "<h3>Second by second</h3>\n<p class=\"about\">One run of each subject, from its own metrics: {}.</p>\n\
         <div class=\"thirds\">\n{figures}</div>\n",
        which.join("; ")
    )
}

/// The last valid run at the highest level that has a series.
fn shown<'a>(asked: &Asked<'a>, name: &str) -> Option<&'a Run> {
    asked.levels.iter().rev().find_map(|level| {
        asked
            .runs_at(&level.level)
            .filter(|run| run.subject == name && run.is_valid() && run.series.len() > 1)
            .last()
    })
}

fn figure(view: &View, runs: &[&Run], metric: &Metric) -> String {
    let Metric {
        name,
        unit,
        says,
        of,
    } = metric;
    let seconds = || runs.iter().flat_map(|run| &run.series);
    let lines = runs.iter().map(|run| Line {
        slot: view.slot(&run.subject),
        stretches: vec![run.series.iter().map(|s| point(s.at_s, of(s))).collect()],
    });
    let keys: Vec<Key> = runs
        .iter()
        .map(|run| Key::Plain(view.slot(&run.subject), &run.subject))
        .collect();
    let plot = Lines {
        title: format!("{name}, {unit}"),
        description: format!("{name}, {unit}, over the seconds of one run of each subject. {says}"),
        x: Axis::seconds(seconds().map(|s| s.at_s)),
        y: Axis::amount(unit, seconds().map(of), short),
        series: lines.collect(),
        rules: Vec::new(),
        marks: false,
    };
    Figure {
        heading: name,
        keys: &keys,
        plot: plot.svg(THIRD),
        narrow: None,
        explanation: says,
    }
    .html()
}

fn point(x: f64, y: f64) -> Point {
    Point {
        x,
        y: Quartiles {
            p25: y,
            median: y,
            p75: y,
        },
    }
}
