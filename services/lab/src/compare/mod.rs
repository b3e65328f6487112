//! Two results beside each other: has a service become slower?

mod caveats;

use crate::results::{Experiment, Level, Results};
use crate::stats::{UnpairedRatio, unpaired_ratio};
use crate::summary::{self, LevelSummary, SubjectSummary};
use crate::text;

/// Old and new results, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The ratio of new to old from which on a service is not called slower.
    pub fail_below: f64,
    /// What is in both, in the order of the new.
    pub rows: Vec<Row>,
    /// What is in the old results only.
    pub only_old: Vec<String>,
    /// What is in the new results only.
    pub only_new: Vec<String>,
    /// What besides the services may explain a difference.
    pub caveats: Vec<String>,
}

/// A subject at a level of an experiment that both results have.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The experiment.
    pub experiment: String,
    /// The load.
    pub level: Level,
    /// The subject.
    pub subject: String,
    /// The old results.
    pub old: SubjectSummary,
    /// The new results.
    pub new: SubjectSummary,
    /// New rates to old ones; nothing without valid runs in both.
    pub ratio: Option<UnpairedRatio>,
    /// What follows.
    pub outcome: Outcome,
}

/// What follows from a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The whole interval is at or above the bound.
    Holds,
    /// The whole interval is below the bound: beyond noise.
    Slower,
    /// The bound is within the interval, or there is none.
    Unclear,
    /// None of the new runs is valid.
    Broken,
    /// None of the old runs is valid.
    Baseless,
}

impl Outcome {
    /// In a word or two.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Slower => "SLOWER",
            Self::Unclear => "unclear",
            Self::Broken => "BROKEN",
            Self::Baseless => "no old figures",
        }
    }
}

/// What follows from all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// No row is slower beyond noise, and none is broken.
    Pass,
    /// So many rows are slower, or broken.
    Fail(usize),
    /// Nothing could be compared, for this reason: an error and no pass.
    Nothing(String),
}

/// Compares the rates of good answers: for each experiment, level and subject of
/// both results the ratio of new to old, with the interval of
/// [`unpaired_ratio`]: the rounds of two calls have nothing to do with each
/// other.
///
/// The ratio is that of the geometric means, since that is what the interval is
/// of; the medians stand beside it. A service is slower only if the whole
/// interval is below `fail_below`.
#[must_use]
pub fn compare(old: &Results, new: &Results, fail_below: f64) -> Comparison {
    let mut rows = Vec::new();
    for experiment in &new.experiments {
        let Some(other) = find(old, &experiment.name) else {
            continue;
        };
        let others = summary::summarize(other);
        for level in summary::summarize(experiment) {
            for subject in level.subjects {
                if let Some(old) = subject_at(&others, level.level, &subject.name) {
                    rows.push(row(
                        other,
                        experiment,
                        level.level,
                        old,
                        subject,
                        fail_below,
                    ));
                }
            }
        }
    }
    let mut caveats = caveats::caveats(old, new);
    if rows.iter().any(|row: &Row| row.level.rate.is_some()) {
        caveats.push(
            "at a constant rate only the rate is compared: whether it was kept, and not how \
             quickly"
                .to_owned(),
        );
    }
    Comparison {
        fail_below,
        rows,
        only_old: only_in(old, new),
        only_new: only_in(new, old),
        caveats,
    }
}

/// What these results have and the others have not, by name.
fn only_in(these: &Results, others: &Results) -> Vec<String> {
    let mut only = Vec::new();
    for experiment in &these.experiments {
        let Some(other) = find(others, &experiment.name) else {
            only.push(experiment.name.clone());
            continue;
        };
        let others = summary::summarize(other);
        for level in summary::summarize(experiment) {
            for subject in level.subjects {
                if subject_at(&others, level.level, &subject.name).is_none() {
                    only.push(name(experiment, level.level, &subject.name));
                }
            }
        }
    }
    only
}

impl Comparison {
    /// Whether that is a pass.
    ///
    /// A service without a valid run is no pass either; figures without an
    /// interval are nothing to compare, nor is what is in one of the results
    /// only.
    #[must_use]
    pub fn decision(&self) -> Decision {
        let is_bad = |row: &&Row| matches!(row.outcome, Outcome::Slower | Outcome::Broken);
        let bad = self.rows.iter().filter(is_bad).count();
        let has_interval = |row: &Row| row.ratio.is_some_and(|ratio| ratio.interval.is_some());
        if !self.fail_below.is_finite() || self.fail_below <= 0.0 {
            Decision::Nothing(format!("{} is no ratio to fail below", self.fail_below))
        } else if self.rows.is_empty() {
            Decision::Nothing("the two results have nothing in common".to_owned())
        } else if bad > 0 {
            Decision::Fail(bad)
        } else if !self.rows.iter().any(has_interval) {
            Decision::Nothing(
                "nothing has two valid runs in both results, so that no difference could be told \
                 from noise"
                    .to_owned(),
            )
        } else if !self.rows.iter().any(|row| row.outcome == Outcome::Holds) {
            Decision::Nothing(
                "no row can tell: the noise is wider than what is looked for. More or longer runs \
                 make it narrower"
                    .to_owned(),
            )
        } else {
            Decision::Pass
        }
    }
}

fn row(
    old_experiment: &Experiment,
    new_experiment: &Experiment,
    level: Level,
    old: &SubjectSummary,
    new: SubjectSummary,
    fail_below: f64,
) -> Row {
    let ratio = unpaired_ratio(
        &summary::rates(new_experiment, level, &new.name),
        &summary::rates(old_experiment, level, &new.name),
    );
    let outcome = match ratio.and_then(|ratio| ratio.interval) {
        _ if old.valid == 0 => Outcome::Baseless,
        _ if new.valid == 0 => Outcome::Broken,
        Some((_, high)) if high < fail_below => Outcome::Slower,
        Some((low, _)) if low >= fail_below => Outcome::Holds,
        _ => Outcome::Unclear,
    };
    Row {
        experiment: new_experiment.name.clone(),
        level,
        subject: new.name.clone(),
        old: old.clone(),
        new,
        ratio,
        outcome,
    }
}

fn find<'a>(results: &'a Results, name: &str) -> Option<&'a Experiment> {
    let mut experiments = results.experiments.iter();
    experiments.find(|experiment| experiment.name == name)
}

fn subject_at<'a>(
    levels: &'a [LevelSummary],
    level: Level,
    name: &str,
) -> Option<&'a SubjectSummary> {
    let level = levels.iter().find(|summary| summary.level == level)?;
    level.subjects.iter().find(|subject| subject.name == name)
}

fn name(experiment: &Experiment, level: Level, subject: &str) -> String {
    format!("{}: {subject}, {}", experiment.name, text::level(level))
}

#[cfg(test)]
mod tests;
