//! A page, and what its directives put into it.

use std::path::Path;

use crate::directive::{self, Directive, END, FIGURE, FIGURE_END, FIGURE_KEY_END, Place};
use crate::figures::Figures;
use crate::quote;
use crate::tables::Tables;

/// What pages are filled from.
pub struct Sources<'a> {
    /// The root of the workspace.
    pub root: &'a Path,
    /// Figures within lines.
    pub figures: &'a Figures,
    /// Tables.
    pub tables: &'a Tables,
}

/// Something that is wrong with a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, for people.
    pub what: String,
}

/// The page as it should be, and what could not be filled in. `path` is that of
/// the page from the root of the workspace, for its links.
#[must_use]
pub fn filled(text: &str, path: &str, sources: &Sources<'_>) -> (String, Vec<Problem>) {
    let mut page = Filling {
        path,
        sources,
        text: String::with_capacity(text.len()),
        problems: Vec::new(),
    };
    page.fill(text);
    (page.text, page.problems)
}

struct Filling<'a> {
    path: &'a str,
    sources: &'a Sources<'a>,
    text: String,
    problems: Vec<Problem>,
}

impl Filling<'_> {
    fn fill(&mut self, text: &str) {
        let mut lines = text.lines().enumerate();
        // The fence of the block of code that a line is in.
        let mut fence: Option<&str> = None;
        while let Some((at, line)) = lines.next() {
            let number = at + 1;
            match fence {
                Some(open) if line.trim() == open => fence = None,
                Some(_) => {}
                None => fence = opened(line),
            }
            if fence.is_some() {
                self.push(line);
                continue;
            }
            match directive::parse(line) {
                Err(what) => self.problem(number, what),
                Ok(None) => {
                    let line = self.figures(number, line);
                    self.push(&line);
                    continue;
                }
                Ok(Some(found)) => {
                    self.push(line);
                    match self.region(&found) {
                        Ok(region) => self.push(&region),
                        Err(what) => self.problem(number, what),
                    }
                }
            }
            if lines.by_ref().any(|(_, line)| line.trim() == END) {
                self.push(END);
            } else {
                self.problem(number, format!("this region has no {END}"));
            }
        }
    }

    fn push(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn problem(&mut self, line: usize, what: String) {
        self.problems.push(Problem { line, what });
    }

    fn region(&self, found: &Directive) -> Result<String, String> {
        Ok(match found {
            Directive::Quote(place) => {
                format!("{}\n\n{}\n", self.caption(&place.path), self.block(place)?)
            }
            Directive::Twin(before, after) => self.twin(before, after)?,
            Directive::Table(name) => format!("\n{}\n", self.sources.tables.get(name)?),
        })
    }

    /// Both versions; in the book side by side where there is room for that.
    fn twin(&self, before: &Place, after: &Place) -> Result<String, String> {
        let blocks = (self.block(before)?, self.block(after)?);
        let captions = (self.caption(&before.path), self.caption(&after.path));
        if blocks.0 == blocks.1 {
            return Ok(format!(
                "{} and {}, to the letter the same:\n\n{}\n",
                captions.0, captions.1, blocks.0
            ));
        }
        Ok(format!(
            "<div class=\"twin\">\n\n{}\n\n{}\n\n{}\n\n{}\n\n</div>",
            captions.0, blocks.0, captions.1, blocks.1
        ))
    }

    fn caption(&self, path: &str) -> String {
        let up = "../".repeat(self.path.matches('/').count());
        format!("[`{path}`]({up}{path})")
    }

    fn block(&self, place: &Place) -> Result<String, String> {
        let code = quote::read(self.sources.root, place).map_err(|error| error.to_string())?;
        // Longer than any in the code itself.
        let mut fence = "```".to_owned();
        while code.contains(&fence) {
            fence.push('`');
        }
        Ok(format!(
            "{fence}{}\n{code}\n{fence}",
            quote::language(&place.path)
        ))
    }

    fn figures(&mut self, number: usize, line: &str) -> String {
        if line.trim_start().starts_with(FIGURE) {
            let what =
                "a line that begins with a figure begins a block of its own: put a word before it";
            self.problem(number, what.to_owned());
        }
        let mut filled = String::new();
        let mut rest = line;
        while let Some(begin) = rest.find(FIGURE) {
            let (text, comment) = rest.split_at(begin);
            filled += text;
            let inner = &comment[FIGURE.len()..];
            let end = inner.find(FIGURE_END);
            let parts = end.and_then(|end| Some((end, inner[..end].split_once(FIGURE_KEY_END)?)));
            let Some((end, (key, old))) = parts else {
                let what =
                    format!("a figure is {FIGURE}KEY{FIGURE_KEY_END}...{FIGURE_END} in a line");
                self.problem(number, what);
                filled += comment;
                return filled;
            };
            let value = match self.sources.figures.get(key.trim()) {
                Ok(value) => value.to_owned(),
                Err(what) => {
                    self.problem(number, what);
                    old.to_owned()
                }
            };
            filled += &[FIGURE, key, FIGURE_KEY_END, &value, FIGURE_END].concat();
            rest = &inner[end + FIGURE_END.len()..];
        }
        filled + rest
    }
}

/// The fence with which a line opens a block of code.
fn opened(line: &str) -> Option<&str> {
    let line = line.trim();
    let length = line.len() - line.trim_start_matches('`').len();
    (length >= 3).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> (String, Vec<Problem>) {
        let figures = Figures::of([("talk/ping/50/ratio", "0.90")]);
        let tables = Tables::of([("t", "| a |")]);
        let sources = Sources {
            root: Path::new(env!("CARGO_MANIFEST_DIR")),
            figures: &figures,
            tables: &tables,
        };
        filled(text, "docs/guide/page.md", &sources)
    }

    #[test]
    fn a_page_is_filled_and_then_stays_as_it_is() {
        let page = "# A\n\n<!-- quote src/page.rs#opened -->\nold\n<!-- end -->\n\n\
                    <!-- table t -->\n<!-- end -->\n\n\
                    It is <!--fig talk/ping/50/ratio-->?<!--/fig--> times.\n";
        let (text, problems) = fill(page);
        assert_eq!(problems, []);
        assert!(text.contains("[`src/page.rs`](../../src/page.rs)\n\n```rust\n/// The fence"));
        assert!(text.contains("<!-- table t -->\n\n| a |\n\n<!-- end -->"));
        assert!(text.contains("<!--fig talk/ping/50/ratio-->0.90<!--/fig--> times."));
        assert!(!text.contains("old"));
        assert_eq!(fill(&text), (text, problems));
    }

    #[test]
    fn what_stands_in_a_block_of_code_is_left_alone() {
        let page = "```markdown\n<!-- table none -->\n<!--fig none-->1<!--/fig-->\n```\n";
        assert_eq!(fill(page), (page.to_owned(), Vec::new()));
    }

    #[test]
    fn problems_are_told_with_their_lines() {
        for (page, line, what) in [
            ("\n<!-- table none -->\n<!-- end -->\n", 2, "none"),
            ("<!-- table t -->\n| a |\n", 1, "has no <!-- end -->"),
            ("A <!--fig talk/none-->1<!--/fig-->", 1, "talk/none"),
            ("A <!--fig talk/none-->1", 1, "a figure is"),
            (
                "<!--fig talk/ping/50/ratio-->1<!--/fig-->",
                1,
                "begins a block",
            ),
            ("<!-- quote a b -->\n<!-- end -->", 1, "is no FILE"),
            ("<!-- quote src/none.rs -->\n<!-- end -->", 1, "cannot read"),
        ] {
            let (_, problems) = fill(page);
            assert_eq!(problems.len(), 1, "{page}: {problems:?}");
            assert_eq!(problems[0].line, line, "{page}");
            assert!(problems[0].what.contains(what), "{problems:?}");
        }
    }
}
