//! The marks of `scripts/bench`, a line each in `marks.tsv`.

/// One of them, as it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What was measured.
    pub what: String,
    /// The median of the rounds.
    pub median: String,
    /// The lowest round.
    pub lowest: String,
    /// The highest.
    pub highest: String,
    /// What it must be; empty if it is only shown.
    pub limit: String,
    /// `held`, `missed`, or empty.
    pub verdict: String,
}

impl Mark {
    /// Its words as a key: `ping: after / bare axum` is `ping-after-bare-axum`.
    #[must_use]
    pub fn key(&self) -> String {
        let letter = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                ' '
            }
        };
        let words: String = self.what.replace(',', "").chars().map(letter).collect();
        words.split_whitespace().collect::<Vec<_>>().join("-")
    }
}

/// Reads them.
///
/// # Errors
/// If a line has not six columns.
pub fn parse(text: &str) -> Result<Vec<Mark>, String> {
    text.lines().map(line).collect()
}

fn line(line: &str) -> Result<Mark, String> {
    let columns: Vec<_> = line.split('\t').map(str::to_owned).collect();
    let columns: [String; 6] = columns
        .try_into()
        .map_err(|_| format!("`{line}` has not six columns"))?;
    let [what, median, lowest, highest, limit, verdict] = columns;
    Ok(Mark {
        what,
        median,
        lowest,
        highest,
        limit,
        verdict,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_and_get_keys() {
        let marks = parse("before: p99 at 1,000 connections\t1\t0.5\t2\t≤ 2 s\theld\n").unwrap();
        assert_eq!(marks[0].limit, "≤ 2 s");
        assert_eq!(marks[0].key(), "before-p99-at-1000-connections");
        assert!(parse("a\tb\n").is_err());
    }
}
