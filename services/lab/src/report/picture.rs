//! The comparison as one picture that stands by itself: an SVG file for a page
//! that shows pictures and nothing else, such as a README. Its colours follow the
//! reader's choice of light and dark.

use super::markup::{STYLE, escape};
use super::plots::{HALF, Lines};
use super::sections::plots::rates_alone;
use super::sections::run::date;
use super::view::View;
use crate::results::Results;

/// In a row.
const COLUMNS: usize = 2;
/// Between plots, and around all.
const GAP: usize = 20;
/// Above each plot, for its name.
const HEADING: usize = 28;
/// Above all, for the subjects; and below, for where and when.
const EDGE: usize = 40;

/// Every experiment that compares at given connections, in the order of the
/// results: good answers a second over the connections.
#[must_use]
pub fn svg(results: &Results) -> String {
    let view = View::of(results);
    let plots: Vec<(String, Lines)> = view
        .experiments
        .iter()
        .filter_map(|asked| {
            let processes = match asked.experiment.processes {
                1 => String::new(),
                many => format!(", {many} processes of each"),
            };
            let name = format!(
                "{}: {}{processes}",
                asked.experiment.name, asked.experiment.path
            );
            Some((name, rates_alone(&view, asked)?))
        })
        .collect();
    let (wide, high) = (size(HALF.width), size(HALF.height) + HEADING);
    let rows = plots.len().div_ceil(COLUMNS);
    let width = COLUMNS * wide + (COLUMNS + 1) * GAP;
    let height = 2 * EDGE + rows * (high + GAP);
    let mut body = String::new();
    for (at, (name, plot)) in plots.iter().enumerate() {
        let x = GAP + at % COLUMNS * (wide + GAP);
        let y = EDGE + at / COLUMNS * (high + GAP);
        let place = format!(
            "<svg x=\"{x}\" y=\"{}\" width=\"{wide}\" height=\"{}\"",
            y + HEADING,
            HALF.height
        );
        body += &format!(
            "<text class=\"name\" x=\"{x}\" y=\"{}\">{}</text>\n",
            y + 18,
            escape(name)
        );
        body += &plot.svg(HALF).replacen("<svg", &place, 1);
        body.push('\n');
    }
    let names: Vec<&str> = view.names().collect();
    let host = &results.host;
    let below = format!(
        "Medians with quartiles; higher is better. Measured {} on {} processors of {}{}.",
        date(results.started),
        host.processors,
        host.processor,
        host.virtualized
            .as_ref()
            .map_or("", |_| ", a virtual machine"),
    );
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\"><title>Good answers a second over connections: {}</title>\n\
         <style>{}\nsvg {{ background: var(--paper); }}\ntext {{ fill: var(--ink); font: 13px system-ui, sans-serif; }}\n\
         text.name {{ font-weight: 600; }}\ntext.below {{ fill: var(--soft); }}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"var(--paper)\"/>\n{}{body}\
         <text class=\"below\" x=\"{GAP}\" y=\"{}\">{}</text>\n</svg>\n",
        escape(&names.join(", ")),
        variables(),
        legend(&view, &names),
        height - GAP,
        escape(&below),
    )
}

/// Who is who, in a line.
fn legend(view: &View, names: &[&str]) -> String {
    const EACH: usize = 130;
    let entry = |(at, name): (usize, &&str)| {
        let x = GAP + at * EACH;
        format!(
            "<path d=\"M{x} 22h28\" stroke=\"var(--s{slot})\" stroke-width=\"3\" stroke-dasharray=\"{}\"/>\
             <text x=\"{}\" y=\"27\">{}</text>\n",
            super::plots::DASHES[usize::from(view.slot(name))],
            x + 36,
            escape(name),
            slot = view.slot(name),
        )
    };
    names.iter().enumerate().map(entry).collect()
}

/// The colours of the report's sheet, light and dark.
fn variables() -> &'static str {
    STYLE
        .split_once("\n*,")
        .map_or(STYLE, |(variables, _)| variables)
}

fn size(pixels: u32) -> usize {
    usize::try_from(pixels).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn the_picture_stands_by_itself() {
        let picture = svg(&sample::results());
        assert!(picture.starts_with("<svg xmlns="), "{picture}");
        for outside in ["href", "<script", "@import", "url("] {
            assert!(!picture.contains(outside), "{outside}");
        }
        // What it uses of the sheet came with it.
        for (_, variable) in picture.match_indices("var(--").map(|(at, found)| {
            let name = &picture[at + found.len()..];
            (at, name.split(')').next().unwrap_or_default())
        }) {
            assert!(picture.contains(&format!("--{variable}:")), "{variable}");
        }
    }

    #[test]
    fn it_has_what_was_compared_and_no_search() {
        let results = sample::results();
        let picture = svg(&results);
        let names: Vec<_> = results
            .experiments
            .iter()
            .filter(|experiment| picture.contains(&format!("\">{}: ", experiment.name)))
            .map(|experiment| experiment.name.as_str())
            .collect();
        assert_eq!(picture.matches("class=\"plot\"").count(), names.len());
        assert!(names.contains(&"ping"), "{names:?}");
        assert!(!names.contains(&"capacity"), "{names:?}");
    }
}
