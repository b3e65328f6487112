//! HTML: escaping, and the few pieces that all sections are made of.

use std::fmt::Write;

use super::plots::{DASHES, corners};

/// Text as it stands in HTML, in an element or in a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Not allowed in HTML, however they are written.
            '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\x7f' => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// A path relative to the page, as it stands in a link. Nothing in it can leave
/// the folder by a scheme.
pub(crate) fn link(path: &str) -> String {
    let mut link = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            link.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(link, "%{byte:02X}");
        }
    }
    // `//host` would be another machine.
    format!("./{}", link.trim_start_matches('/'))
}

/// The sheet of the pages. Its colours, which come first, are those of the plots.
pub(crate) const STYLE: &str = include_str!("style.css");

/// A whole page with the one style sheet.
pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title),
        STYLE,
    )
}

/// A section with a heading that can be linked to.
pub(crate) fn section(id: &str, heading: &str, body: &str) -> String {
    format!(
        "<section id=\"{}\">\n<h2>{}</h2>\n{body}</section>\n",
        escape(id),
        escape(heading)
    )
}

/// A pair of a legend: what it looks like, and what it is.
pub(crate) enum Key<'a> {
    /// A subject's line.
    Line(u8, &'a str),
    /// A subject's line without marks.
    Plain(u8, &'a str),
    /// A subject's bar.
    Bar(u8, &'a str),
    /// The paler part on top of a bar.
    Pale(&'a str),
    /// The ceiling.
    Ceiling(&'a str),
    /// The limit.
    Limit(&'a str),
    /// Where there would be no difference.
    Same(&'a str),
}

/// A legend, in the order of the plot. In HTML, so that it wraps.
fn legend(keys: &[Key]) -> String {
    let mut items = String::new();
    for key in keys {
        let (swatch, name) = match key {
            Key::Line(slot, name) => (line_swatch(*slot), name),
            Key::Plain(slot, name) => {
                let colour = format!("var(--s{slot})");
                (stroke(&colour, DASHES[usize::from(*slot)]), name)
            }
            Key::Bar(slot, name) => (square(&format!("var(--s{slot})"), "1"), name),
            Key::Pale(name) => (square("var(--ink)", "0.35"), name),
            Key::Ceiling(name) => (stroke("var(--ceiling)", "3 4"), name),
            Key::Limit(name) => (stroke("var(--limit)", "none"), name),
            Key::Same(name) => (stroke("var(--ink)", "none"), name),
        };
        let _ = write!(
            items,
            "<li><svg class=\"key\" viewBox=\"0 0 32 14\" aria-hidden=\"true\">{swatch}</svg>{}</li>",
            escape(name)
        );
    }
    format!("<ul class=\"legend\">{items}</ul>")
}

fn stroke(colour: &str, dash: &str) -> String {
    format!(
        "<line x1=\"1\" y1=\"7\" x2=\"31\" y2=\"7\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>"
    )
}

fn square(colour: &str, opacity: &str) -> String {
    format!(
        "<rect x=\"9\" y=\"0\" width=\"14\" height=\"14\" fill=\"{colour}\" opacity=\"{opacity}\"/>"
    )
}

fn line_swatch(slot: u8) -> String {
    let colour = format!("var(--s{slot})");
    let line = stroke(&colour, DASHES[usize::from(slot)]);
    let corners = corners(slot);
    if corners.is_empty() {
        return format!("{line}<circle cx=\"16\" cy=\"7\" r=\"4\" fill=\"{colour}\"/>");
    }
    let points: Vec<String> = corners
        .iter()
        .map(|(x, y)| format!("{},{}", 16 + x, 7 + y))
        .collect();
    format!(
        "{line}<polygon points=\"{}\" fill=\"{colour}\"/>",
        points.join(" ")
    )
}

/// A figure: what it shows, how to tell things apart, the plot (in two shapes,
/// if one does not suit a narrow page), and a sentence that explains it.
pub(crate) struct Figure<'a> {
    /// What it shows.
    pub(crate) heading: &'a str,
    /// How to tell things apart.
    pub(crate) keys: &'a [Key<'a>],
    /// The plot.
    pub(crate) plot: String,
    /// The plot for a narrow page.
    pub(crate) narrow: Option<String>,
    /// The sentence, as HTML.
    pub(crate) explanation: &'a str,
}

impl Figure<'_> {
    /// As HTML.
    pub(crate) fn html(&self) -> String {
        let plots = match &self.narrow {
            None => format!("<div>{}</div>", self.plot),
            Some(narrow) => format!(
                "<div class=\"wide\">{}</div><div class=\"narrow\">{narrow}</div>",
                self.plot
            ),
        };
        format!(
            "<figure>\n<h4>{}</h4>\n{}\n{plots}\n<figcaption>{}</figcaption>\n</figure>\n",
            escape(self.heading),
            legend(self.keys),
            self.explanation
        )
    }
}

/// A table, each cell as HTML, with a sentence that explains it. It scrolls by
/// itself where it is wider than the page.
pub(crate) struct Table<'a> {
    /// What it shows, for who hears it.
    pub(crate) label: &'a str,
    /// The heads of the columns, as text; those that start with `#` are numbers.
    pub(crate) heads: &'a [&'a str],
    /// The rows: a class and the cells.
    pub(crate) rows: Vec<(&'static str, Vec<String>)>,
    /// The sentence, as HTML.
    pub(crate) explanation: &'a str,
}

impl Table<'_> {
    /// As HTML.
    pub(crate) fn html(&self) -> String {
        self.within("scroll")
    }

    /// As HTML, and wider than the text where the window allows.
    pub(crate) fn big(&self) -> String {
        self.within("scroll big")
    }

    /// As HTML; on a narrow page each row is a list of its cells.
    pub(crate) fn stacked(&self) -> String {
        self.within("scroll stacked")
    }

    /// The first cell of a row names it.
    fn within(&self, container: &str) -> String {
        let class = |head: &str| {
            if head.starts_with('#') {
                " class=\"n\""
            } else {
                ""
            }
        };
        let mut html = format!(
            "<p class=\"about\">{}</p>\n<div class=\"{container}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n<thead><tr>",
            self.explanation,
            escape(self.label)
        );
        for head in self.heads {
            let name = escape(head.trim_start_matches('#'));
            let _ = write!(html, "<th scope=\"col\"{}>{name}</th>", class(head));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for (row, cells) in &self.rows {
            let _ = write!(html, "<tr class=\"{row}\">");
            for (at, (cell, head)) in cells.iter().zip(self.heads).enumerate() {
                let tag = if at == 0 { "th scope=\"row\"" } else { "td" };
                let end = &tag[..2];
                let name = escape(head.trim_start_matches('#'));
                let _ = write!(
                    html,
                    "<{tag}{} data-head=\"{name}\">{cell}</{end}>",
                    class(head)
                );
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table>\n</div>\n");
        html
    }
}

/// A small word with a frame. The kind is a class: `good`, `bad`, `unsure`.
pub(crate) fn badge(kind: &str, text: &str) -> String {
    format!("<span class=\"badge {kind}\">{}</span>", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_text_becomes_markup() {
        assert_eq!(
            escape("<b title=\"x\" id='y'>&\u{1}"),
            "&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\u{fffd}"
        );
    }

    #[test]
    fn a_link_stays_in_its_folder() {
        assert_eq!(link("raw/1 a.txt"), "./raw/1%20a.txt");
        assert_eq!(link("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(link("//example.org/x"), "./example.org/x");
    }
}
