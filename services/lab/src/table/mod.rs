//! Results as text for a terminal of 100 columns.

mod claims;
mod comparison;
mod experiment;
mod layout;

pub use self::claims::claims;
pub use self::comparison::comparison;
pub use self::experiment::experiment;

use crate::summary::{LIMITED, NOISY, SubjectSummary};
use crate::text;

/// No line is longer than this, in columns.
pub const WIDTH: usize = 100;

/// Which marks a rate has: `~` for noise, `^` if the load tool was the limit.
fn marks(subject: &SubjectSummary) -> String {
    let marks = [(subject.noisy, '~'), (subject.limited_by_tool, '^')];
    let shown = marks.into_iter().filter(|(shown, _)| *shown);
    shown.map(|(_, mark)| mark).collect()
}

/// What the marks of these subjects mean; only those that occur.
fn legend<'a>(subjects: impl Iterator<Item = &'a SubjectSummary>) -> String {
    let (mut noise, mut limit) = (false, false);
    for subject in subjects {
        noise |= subject.noisy;
        limit |= subject.limited_by_tool;
    }
    let noise = noise.then(|| {
        format!(
            "  ~ noise: the quartiles are {} of the median apart, or more\n",
            text::percent(NOISY)
        )
    });
    let limit = limit.then(|| {
        format!(
            "  ^ limited by the load tool: above {} of what it reaches where nothing is done\n",
            text::percent(LIMITED)
        )
    });
    noise.into_iter().chain(limit).collect()
}
