//! The plots of an experiment.

use crate::report::figures::short;
use crate::report::markup::{Figure, Key};
use crate::report::plots::{Axis, Format, HALF, Line, Lines, NARROW, Point, Rule, WIDE};
use crate::report::view::{Asked, View};
use crate::stats::Quartiles;
use crate::summary::{LevelSummary, SubjectSummary};

use self::bars::{memory, processor};
use self::steps::steps;

mod bars;
mod steps;

type Part = fn(&SubjectSummary) -> Option<Quartiles>;

/// All of them. Which there are depends on the load: at a constant rate the rate
/// says little, and the latency all.
pub(crate) fn html(view: &View, asked: &Asked) -> String {
    let wide = if asked.is_search() || asked.constant {
        steps(view, asked)
    } else {
        String::new()
    };
    // At a constant rate it says what the other axis does, or the run is invalid.
    let (rates, rate_bars) = match asked.levels.len() {
        _ if asked.constant => (String::new(), String::new()),
        1 => (String::new(), bars::rate(view, asked)),
        _ => (rate(view, asked), String::new()),
    };
    let halves = [
        rate_bars,
        ratios(view, asked),
        percentiles(view, asked),
        processor(view, asked),
        memory(view, asked),
    ]
    .concat();
    format!("{wide}{rates}<div class=\"halves\">\n{halves}</div>\n")
}

/// The rate over the load: the talk's graphs.
fn rate(view: &View, asked: &Asked) -> String {
    let lines = lines(view, asked, |s| s.rate);
    if lines.is_empty() {
        return String::new();
    }
    let highest = highest(&lines);
    let ceiling: Vec<(f64, f64)> = asked
        .levels
        .iter()
        .filter_map(|l| Some((asked.amount(&l.level), l.ceiling?)))
        .collect();
    let lowest_ceiling = ceiling
        .iter()
        .map(|(_, rate)| *rate)
        .fold(f64::INFINITY, f64::min);
    let seen: Vec<(f64, f64)> = ceiling
        .iter()
        .copied()
        .filter(|(_, rate)| in_sight(*rate, highest))
        .collect();
    let mut explanation = "Good answers (2xx) a second: the median of the valid runs at each level, with a band from \
                           the lower to the upper quartile. Higher is better."
        .to_owned();
    let lowest_ceiling = Some(lowest_ceiling).filter(|rate| rate.is_finite());
    explanation += &about_ceiling(!seen.is_empty(), lowest_ceiling);
    let mut keys = keys(view, &lines);
    if !seen.is_empty() {
        keys.push(Key::Ceiling(CEILING));
    }
    let heights = seen.iter().map(|(_, rate)| *rate).chain([highest]);
    let plot = Lines {
        title: format!("{}: good answers a second", asked.experiment.name),
        description: described(view, asked, "good answers a second", |s| s.rate, short),
        x: level_axis(asked),
        y: Axis::amount("answers a second", heights, short),
        rules: vec![Rule::Ceiling(seen)],
        series: lines,
        marks: true,
    };
    Figure {
        heading: "Good answers a second",
        keys: &keys,
        plot: plot.svg(WIDE),
        narrow: Some(plot.svg(NARROW)),
        explanation: &explanation,
    }
    .html()
}

const CEILING: &str = "ceiling of the load tool";

/// Whether a ceiling is drawn: far above, it would press all else to the ground.
fn in_sight(ceiling: f64, highest: f64) -> bool {
    ceiling < highest * 2.0
}

/// What the ceiling is, where it is known.
fn about_ceiling(drawn: bool, lowest: Option<f64>) -> String {
    match lowest {
        _ if drawn => " The dotted line is the ceiling: what the load tool reached against a server that does \
                       nothing. Close to it, the tool is measured and not the service."
            .to_owned(),
        Some(rate) => format!(
            " The ceiling, what the load tool reached against a server that does nothing, is far above this plot: at \
             least {}/s.",
            short(rate)
        ),
        None => String::new(),
    }
}

/// The rate over the load and nothing else, if that was given: in a search or at
/// a constant rate it was not.
pub(crate) fn rates_alone(view: &View, asked: &Asked) -> Option<Lines> {
    let lines = lines(view, asked, |s| s.rate);
    if lines.is_empty() || asked.constant || asked.is_search() {
        return None;
    }
    Some(Lines {
        title: format!("{}: good answers a second", asked.experiment.name),
        description: described(view, asked, "good answers a second", |s| s.rate, short),
        x: level_axis(asked),
        y: Axis::amount("answers a second", [highest(&lines)], short),
        rules: Vec::new(),
        series: lines,
        marks: true,
    })
}

/// The later subjects against the first, over the load.
fn ratios(view: &View, asked: &Asked) -> String {
    let mut lines = Vec::new();
    let mut names = Vec::new();
    for name in view.names() {
        let points: Vec<Point> = asked
            .levels
            .iter()
            .filter_map(|level| {
                let ratio = level.ratios.iter().find(|r| r.of == name)?.ratio?;
                let (p25, p75) = ratio.interval.unwrap_or((ratio.value, ratio.value));
                let y = Quartiles {
                    p25,
                    median: ratio.value,
                    p75,
                };
                Some(Point {
                    x: asked.amount(&level.level),
                    y,
                })
            })
            .collect();
        if !points.is_empty() {
            names.push(name);
            lines.push(Line {
                slot: view.slot(name),
                stretches: vec![points],
            });
        }
    }
    let Some(by) = asked
        .levels
        .iter()
        .flat_map(|l| &l.ratios)
        .map(|r| r.by.as_str())
        .next()
    else {
        return String::new();
    };
    // At a constant rate or in a search, both answer what they are offered.
    if lines.is_empty() || asked.constant || asked.is_search() {
        return String::new();
    }
    let against = format!("as many as {by}");
    let mut keys = keys(view, &lines);
    keys.push(Key::Same(&against));
    let heading = format!("How many times as many answers as {by}");
    let plot = Lines {
        title: format!("{}: ratio to {by}", asked.experiment.name),
        description: format!(
            "The ratio of the rates of {} to that of {by} over {}, with its 95 % interval. The table has the numbers.",
            names.join(", "),
            asked.load()
        ),
        x: level_axis(asked),
        y: Axis::amount("times", [highest(&lines), 1.0], short),
        rules: vec![Rule::Same(1.0)],
        series: lines,
        marks: true,
    };
    Figure {
        heading: &heading,
        keys: &keys,
        plot: plot.svg(HALF),
        narrow: None,
        explanation: "The ratio of the rates in runs of the same round, with its 95&nbsp;% interval as a band, or as \
                      whiskers where there is but one level. Where it reaches the line at 1, no difference is shown.",
    }
    .html()
}

/// Latency by percentile at the highest level that all have: a search takes each
/// as far as it comes.
fn percentiles(view: &View, asked: &Asked) -> String {
    const NAMES: [&str; 5] = ["p50", "p90", "p99", "p99.9", "max"];
    let known = |level: &LevelSummary| level.subjects.iter().filter(|s| s.p50.is_some()).count();
    let most = asked.levels.iter().map(known).max().unwrap_or(0);
    let level = asked.levels.iter().rev().find(|level| known(level) == most);
    let Some(level) = level.filter(|_| most > 0) else {
        return String::new();
    };
    let known = level.subjects.iter().filter(|s| s.p50.is_some());
    let lines: Vec<Line> = known
        .map(|subject| {
            let s = subject;
            let places = [s.p50, s.p90, s.p99, s.p999, s.max]
                .into_iter()
                .zip(0_u32..);
            let point = |(y, x): (Option<Quartiles>, u32)| Some(Point { x: x.into(), y: y? });
            Line {
                slot: view.slot(&s.name),
                stretches: vec![places.filter_map(point).collect()],
            }
        })
        .collect();
    let plot = Lines {
        title: format!("{}: latency by percentile", asked.experiment.name),
        description: format!(
            "Latency in milliseconds at {}, on a logarithmic scale, at p50, p90, p99, p99.9 and the slowest answer. \
             The table has the numbers.",
            Asked::at(&level.level)
        ),
        x: Axis::names("share of the answers that were at least as quick", NAMES),
        y: Axis::magnitudes("milliseconds, logarithmic", values(&lines), short),
        rules: Vec::new(),
        marks: true,
        series: lines,
    };
    let heading = format!("Latency at {}", Asked::at(&level.level));
    Figure {
        heading: &heading,
        keys: &keys(view, &plot.series),
        plot: plot.svg(HALF),
        narrow: None,
        explanation: "How long answers took. Each mark is the median of that percentile over the runs, the band goes \
                      from quartile to quartile. p99 is the time within which 99 of 100 answers came; lower is better.",
    }
    .html()
}

/// The subjects of which this is known at any level.
fn with<'a>(view: &'a View, asked: &'a Asked, part: Part) -> impl Iterator<Item = &'a str> {
    view.names()
        .filter(move |name| asked.of_subject(name).any(|(_, s)| part(s).is_some()))
}

/// A line of each subject of which anything is known.
fn lines(view: &View, asked: &Asked, part: Part) -> Vec<Line> {
    with(view, asked, part)
        .map(|name| {
            let mut stretches = vec![Vec::new()];
            for (level, summary) in asked.of_subject(name) {
                match (part(summary), stretches.last_mut()) {
                    (Some(y), Some(stretch)) => stretch.push(Point {
                        x: asked.amount(level),
                        y,
                    }),
                    // Tried without a valid run: no line may pass over that.
                    _ => stretches.push(Vec::new()),
                }
            }
            stretches.retain(|stretch| !stretch.is_empty());
            Line {
                slot: view.slot(name),
                stretches,
            }
        })
        .collect()
}

fn keys<'a>(view: &'a View, lines: &[Line]) -> Vec<Key<'a>> {
    let shown = |name: &&str| lines.iter().any(|line| line.slot == view.slot(name));
    view.names()
        .filter(shown)
        .map(|name| Key::Line(view.slot(name), name))
        .collect()
}

fn values(lines: &[Line]) -> impl Iterator<Item = f64> {
    let points = lines
        .iter()
        .flat_map(|line| line.stretches.iter().flatten());
    points.flat_map(|point| [point.y.p25, point.y.median, point.y.p75])
}

fn highest(lines: &[Line]) -> f64 {
    values(lines).fold(0.0, f64::max)
}

fn level_axis(asked: &Asked) -> Axis {
    let amounts: Vec<f64> = asked
        .levels
        .iter()
        .map(|l| asked.amount(&l.level))
        .collect();
    let label = format!("{} (logarithmic)", asked.load());
    Axis::levels(
        if amounts.len() > 1 {
            &label
        } else {
            asked.load()
        },
        &amounts,
        short,
    )
}

/// A plot for who cannot see it: the medians at the highest level of each.
fn described(view: &View, asked: &Asked, what: &str, part: Part, format: Format) -> String {
    let ends: Vec<String> = with(view, asked, part)
        .filter_map(|name| {
            let known = asked
                .of_subject(name)
                .filter_map(|(l, s)| Some((l, part(s)?)));
            let (level, value) = known.last()?;
            Some(format!(
                "{name} {} at {}",
                format(value.median),
                Asked::at(level)
            ))
        })
        .collect();
    format!(
        "The median of {what} over {}. At the highest level of each: {}. The table has all numbers.",
        asked.load(),
        ends.join("; ")
    )
}
