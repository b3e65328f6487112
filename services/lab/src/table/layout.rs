//! Cells and lines that keep to their width.

use super::WIDTH;
use crate::text;

/// A column of a table.
#[derive(Clone, Copy)]
pub(super) enum Column {
    /// So wide, flush left.
    Left(usize),
    /// So wide, flush right.
    Right(usize),
}

/// A row: its cells with a space between, behind an indent of two.
pub(super) fn line<'a>(columns: &[Column], cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = " ".to_owned();
    for (column, cell) in columns.iter().zip(cells) {
        line.push(' ');
        line += &match *column {
            Column::Left(width) => left(cell, width),
            Column::Right(width) => right(cell, width),
        };
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

/// How many columns a text takes, at most: which of the others are wide
/// depends on the terminal, so all of them are taken for wide.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

/// A text in exactly so many columns, cut off with `..` if it is longer. Control
/// characters, which a name or a tool's words may have, do not reach the
/// terminal.
pub(super) fn left(text: &str, width: usize) -> String {
    let text = fit(text, width);
    let space = " ".repeat(width.saturating_sub(columns(&text)));
    text + &space
}

/// The same, flush right.
pub(super) fn right(text: &str, width: usize) -> String {
    let text = fit(text, width);
    " ".repeat(width.saturating_sub(columns(&text))) + &text
}

fn fit(text: &str, width: usize) -> String {
    let mut text = printable(text);
    if columns(&text) > width {
        while columns(&text) + 2 > width && text.pop().is_some() {}
        text.push_str("..");
    }
    text
}

fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '?' } else { c };
    text.chars().map(shown).collect()
}

/// The units in which numbers are told that have no room otherwise.
const UNITS: [(f64, &str); 4] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")];

/// A number that fits; `-` for none.
pub(super) fn number(value: Option<f64>, width: usize) -> String {
    let text = value.map_or_else(
        || "-".to_owned(),
        |value| in_unit(width, |size| text::short(value / size)),
    );
    right(&text, width)
}

/// Two numbers that fit, with `-` between.
pub(super) fn range(values: Option<(f64, f64)>, width: usize) -> String {
    let text = values.map_or_else(
        || "-".to_owned(),
        |(from, to)| {
            in_unit(width, |size| {
                format!("{}-{}", text::short(from / size), text::short(to / size))
            })
        },
    );
    right(&text, width)
}

fn in_unit(width: usize, write: impl Fn(f64) -> String) -> String {
    let mut units = UNITS.into_iter().map(|(size, unit)| write(size) + unit);
    let fitting = units.clone().find(|text| text.len() <= width);
    fitting.or_else(|| units.next_back()).unwrap_or_default()
}

/// A ratio with its interval: `1.94 (1.80 to 2.10)`.
pub(super) fn ratio(value: f64, interval: Option<(f64, f64)>) -> String {
    let value = text::short(value);
    interval.map_or_else(
        || format!("{value} (no interval)"),
        |(low, high)| format!("{value} ({} to {})", text::short(low), text::short(high)),
    )
}

/// A text in lines of at most [`WIDTH`], the first and the others indented.
pub(super) fn wrap(text: &str, first: &str, others: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        let mut word = printable(word);
        if !is_empty && columns(&line) + 1 + columns(&word) > WIDTH {
            lines += &line;
            lines.push('\n');
            others.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        // A word longer than a line, as an address may be.
        while columns(&line) + columns(&word) > WIDTH {
            let mut rest = String::new();
            for c in word.chars() {
                let room = rest.is_empty()
                    && columns(&line) + columns(c.encode_utf8(&mut [0; 4])) <= WIDTH;
                if room { &mut line } else { &mut rest }.push(c);
            }
            lines += &line;
            lines.push('\n');
            others.clone_into(&mut line);
            word = rest;
        }
        line += &word;
        is_empty = false;
    }
    lines += &line;
    lines.push('\n');
    lines
}

#[cfg(test)]
pub(super) fn assert_narrow(text: &str) {
    for line in text.lines() {
        assert!(columns(line) <= WIDTH, "{} columns: {line}", columns(line));
        assert_eq!(line.trim_end(), line, "trailing space");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_width_whatever_is_in_them() {
        assert_eq!(left("after", 8), "after   ");
        assert_eq!(right("after", 8), "   after");
        assert_eq!(left("a-long-name", 8), "a-long..");
        assert_eq!(left("a\u{1b}[2Jb", 8), "a?[2Jb  ");
        assert_eq!(left("日本語の名前", 8), "日本語..");
    }

    #[test]
    fn numbers_change_their_unit_before_they_overflow() {
        assert_eq!(number(Some(12_345.0), 7), " 12,345");
        assert_eq!(number(Some(1_234_567.0), 7), " 1,235k");
        assert_eq!(number(Some(1e300), 7).len(), 7);
        assert_eq!(number(None, 7), "      -");
        assert_eq!(range(Some((12_001.0, 12_700.0)), 15), "  12,001-12,700");
        assert_eq!(
            range(Some((1_234_567.0, 1_240_000.0)), 15),
            "   1,235-1,240k"
        );
        assert_eq!(range(None, 3), "  -");
    }

    #[test]
    fn ratios_have_their_interval() {
        assert_eq!(ratio(1.944, Some((1.8, 12.34))), "1.94 (1.80 to 12.3)");
        assert_eq!(ratio(1.944, None), "1.94 (no interval)");
    }

    #[test]
    fn long_texts_and_long_words_are_wrapped() {
        let text = "word ".repeat(50) + &"x".repeat(250);
        let wrapped = wrap(&text, "- ", "  ");
        assert_narrow(&wrapped);
        assert!(wrapped.lines().skip(1).all(|line| line.starts_with("  ")));
        let kept = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
        assert_eq!(kept(&wrapped), kept(&text));
        assert_eq!(wrap("two\nlines", "", ""), "two lines\n");
    }
}
