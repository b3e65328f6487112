//! The steps of a search, and what constant rates did.

use super::{Part, described, keys, level_axis, lines, values};
use crate::report::figures::short;
use crate::report::markup::{Figure, Key};
use crate::report::plots::{Axis, Lines, NARROW, Rule, WIDE};
use crate::report::view::{Asked, View};

/// Latency over the load: the steps of a search, or what constant rates did.
pub(super) fn steps(view: &View, asked: &Asked) -> String {
    let limit = asked
        .experiment
        .findings
        .iter()
        .find_map(|f| Limit::of(&f.what));
    let percentile = limit.as_ref().map_or("p99", |limit| limit.percentile);
    let part: Part = match percentile {
        "p50" => |s| s.p50,
        "p90" => |s| s.p90,
        "p99.9" => |s| s.p999,
        _ => |s| s.p99,
    };
    let lines = lines(view, asked, part);
    if lines.is_empty() {
        return String::new();
    }
    let heading = format!("{percentile} over {}", asked.load());
    let mut keys = keys(view, &lines);
    let words = limit
        .as_ref()
        .map(|limit| format!("limit: {} ms", short(limit.ms)));
    if let Some(words) = &words {
        keys.push(Key::Limit(words));
    }
    let mut explanation = format!(
        "The time within which {} of 100 answers came, at each level that was tried. Lower is better.",
        percentile.trim_start_matches('p')
    );
    if limit.is_some() {
        explanation += " What is above the line breaks the limit; the search ends between the last mark below it and \
                        the first above.";
    }
    let limit = limit.map(|limit| limit.ms);
    let plot = Lines {
        title: format!("{}: {heading}", asked.experiment.name),
        description: described(
            view,
            asked,
            &format!("{percentile} in milliseconds"),
            part,
            short,
        ),
        x: level_axis(asked),
        y: Axis::magnitudes(
            "milliseconds, logarithmic",
            values(&lines).chain(limit),
            short,
        ),
        rules: limit.map(Rule::Limit).into_iter().collect(),
        series: lines,
        marks: true,
    };
    Figure {
        heading: &heading,
        keys: &keys,
        plot: plot.svg(WIDE),
        narrow: Some(plot.svg(NARROW)),
        explanation: &explanation,
    }
    .html()
}

/// What a finding was held against, as far as its words say it.
struct Limit {
    percentile: &'static str,
    ms: f64,
}

impl Limit {
    fn of(what: &str) -> Option<Self> {
        let words: Vec<&str> = what
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| !word.is_empty())
            .collect();
        let percentile = ["p50", "p90", "p99.9", "p99"]
            .into_iter()
            .find(|p| words.contains(p))?;
        let ms = words.windows(2).find(|pair| pair[1] == "ms")?[0]
            .parse()
            .ok()?;
        Some(Self { percentile, ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_from_the_words_of_a_finding() {
        let limit = Limit::of("most connections with p90 at most 80 ms").unwrap();
        assert_eq!((limit.percentile, limit.ms), ("p90", 80.0));
        let limit = Limit::of("highest rate at which p99.9 stays under 12.5 ms, oha").unwrap();
        assert_eq!((limit.percentile, limit.ms), ("p99.9", 12.5));
        assert!(Limit::of("most connections").is_none());
        assert!(Limit::of("p90 under a limit of some ms").is_none());
    }
}
