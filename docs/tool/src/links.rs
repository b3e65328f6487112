//! What a page points to: files, headings, and names in sources.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::page::Problem;

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its line, counted from 1.
    pub line: usize,
    /// Where it leads to.
    pub to: String,
    /// Its text, if that is code and nothing else.
    pub code: Option<String>,
}

/// The links of a page.
#[must_use]
pub fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut open: Option<(Link, usize)> = None;
    let at = |offset: usize, to: &str| Link {
        line: text[..offset].matches('\n').count() + 1,
        to: to.to_owned(),
        code: None,
    };
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) if link_type != LinkType::Email => open = Some((at(range.start, &dest_url), 0)),
            Event::Start(Tag::Image { dest_url, .. }) => links.push(at(range.start, &dest_url)),
            Event::End(TagEnd::Link) => {
                if let Some((mut link, parts)) = open.take() {
                    link.code = link.code.filter(|_| parts == 1);
                    links.push(link);
                }
            }
            Event::Code(code) => {
                if let Some((link, parts)) = &mut open {
                    link.code = Some(code.to_string());
                    *parts += 1;
                }
            }
            Event::Text(_) => {
                if let Some((_, parts)) = &mut open {
                    *parts += 1;
                }
            }
            _ => {}
        }
    }
    links
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_GFM
}

/// The anchors of a page's headings, as code hosts and mdBook make them.
#[must_use]
pub fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen = HashMap::<String, usize>::new();
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    *heading += &text;
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap_or_default());
                let times = seen.entry(slug.clone()).or_insert(0);
                anchors.insert(match *times {
                    0 => slug,
                    times => format!("{slug}-{times}"),
                });
                *times += 1;
            }
            _ => {}
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let lower = heading.trim().to_lowercase();
    lower
        .chars()
        .filter(kept)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// What is wrong with the links of a page, whose path is from the root.
#[must_use]
pub fn problems(root: &Path, path: &Path, text: &str) -> Vec<Problem> {
    let wrong = |link: &Link| {
        let what = problem(root, path, text, link)?;
        Some(Problem {
            line: link.line,
            what,
        })
    };
    links(text).iter().filter_map(wrong).collect()
}

fn problem(root: &Path, path: &Path, text: &str, link: &Link) -> Option<String> {
    let to = &link.to;
    if is_elsewhere(to) {
        return None;
    }
    let (file, anchor) = to.split_once('#').unwrap_or((to, ""));
    let target = match file {
        "" => path.to_owned(),
        _ => match resolved(path, file) {
            Some(target) => target,
            None => return Some(format!("`{to}` leads out of the repository")),
        },
    };
    if !file.is_empty() && !root.join(&target).exists() {
        return Some(format!(
            "`{to}` leads nowhere: there is no {}",
            target.display()
        ));
    }
    let kind = target.extension().and_then(|kind| kind.to_str());
    let read = || match file {
        "" => text.to_owned(),
        _ => fs::read_to_string(root.join(&target)).unwrap_or_default(),
    };
    if !anchor.is_empty() {
        let found = kind == Some("md") && anchors(&read()).contains(anchor);
        return (!found).then(|| {
            format!(
                "`{to}`: no heading of {} gives `{anchor}`",
                target.display()
            )
        });
    }
    let name = link
        .code
        .as_deref()
        .filter(|_| kind == Some("rs"))
        .and_then(identifier)?;
    let found = read()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == name);
    (!found).then(|| format!("`{name}` does not stand in {}", target.display()))
}

/// Whether a link leads to another site, which is not ours to look at.
#[must_use]
pub fn is_elsewhere(to: &str) -> bool {
    ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| to.starts_with(scheme))
}

/// The last part of a name in code: `pause` of `Relay::pause`.
fn identifier(code: &str) -> Option<&str> {
    let code = code.trim_end_matches("()");
    let is_name = |part: &str| {
        let mut chars = part.chars();
        chars
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_')
            && chars.all(|c| c.is_alphanumeric() || c == '_')
    };
    code.split("::")
        .all(is_name)
        .then(|| code.rsplit("::").next())?
}

/// Where a relative link of a page leads, from the root.
#[must_use]
pub fn resolved(page: &Path, to: &str) -> Option<PathBuf> {
    let mut target = page.parent()?.to_owned();
    for part in Path::new(to).components() {
        match part {
            Component::ParentDir => {
                if !target.pop() {
                    return None;
                }
            }
            Component::Normal(name) => target.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let problems = problems(root, Path::new("src/page.md"), text);
        problems.into_iter().map(|problem| problem.what).collect()
    }

    #[test]
    fn links_lead_somewhere() {
        let text = "# A heading, with `code`\n\n[a](links.rs) [b](../Cargo.toml) [c](#a-heading-with-code)\n\
                    [d](https://example.org/x#y) [`resolved`](links.rs) [`links::slug`](links.rs)\n";
        assert_eq!(found(text), Vec::<String>::new());
    }

    #[test]
    fn those_that_lead_nowhere_are_told() {
        // In two parts: as one word it would stand in this very file.
        let absent = ["none_of", "_that"].concat();
        let of_a_name = format!("[`{absent}`](links.rs)");
        for (text, what) in [
            ("[a](none.md)", "there is no src/none.md"),
            ("[a](../../x)", "leads out of the repository"),
            ("[a](#none)", "no heading of src/page.md gives `none`"),
            (&of_a_name, "does not stand in src/links.rs"),
            ("![a](none.svg)", "there is no src/none.svg"),
        ] {
            let found = found(text);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].contains(what), "{found:?}");
        }
    }

    #[test]
    fn headings_give_the_anchors_of_code_hosts() {
        let text = "# Should you?\n## What it costs: time\n## Twice\n## Twice\n## `a_b` in C\n";
        let anchors: Vec<_> = anchors(text).into_iter().collect();
        assert_eq!(
            anchors,
            [
                "a_b-in-c",
                "should-you",
                "twice",
                "twice-1",
                "what-it-costs-time"
            ]
        );
    }
}
