//! The results as the sections look at them.

use crate::report::figures::{short, whole};
use crate::report::plots::SLOTS;
use crate::results::{Experiment, Level, Results, Run};
use crate::summary::{LevelSummary, SubjectSummary, summarize};

/// The results with what follows from them, computed once.
pub(crate) struct View<'a> {
    /// What was seen.
    pub(crate) results: &'a Results,
    /// The experiments, in their order.
    pub(crate) experiments: Vec<Asked<'a>>,
}

impl<'a> View<'a> {
    /// Computes it.
    pub(crate) fn of(results: &'a Results) -> Self {
        let asked = results.experiments.iter().enumerate();
        Self {
            results,
            experiments: asked.map(|(at, e)| Asked::of(e, at)).collect(),
        }
    }

    /// What a subject looks like in all plots. `before` and `after` look the same
    /// in all reports.
    pub(crate) fn slot(&self, name: &str) -> u8 {
        match name {
            "before" => 0,
            "after" => 1,
            _ => {
                let others = self.names().filter(|n| !matches!(*n, "before" | "after"));
                let place = others.take_while(|other| *other != name).count();
                // More than can be told apart by looks are told apart by the table.
                u8::try_from(place % usize::from(SLOTS - 2)).unwrap_or(0) + 2
            }
        }
    }

    /// The subjects' names, in the order of the results.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.results.subjects.iter().map(|s| s.name.as_str())
    }

    /// How many runs there were, and how many of them do not count.
    pub(crate) fn runs(&self) -> (usize, usize) {
        let runs = || self.results.experiments.iter().flat_map(|e| &e.runs);
        (runs().count(), runs().filter(|run| !run.is_valid()).count())
    }
}

/// An experiment with its levels.
pub(crate) struct Asked<'a> {
    /// What was seen.
    pub(crate) experiment: &'a Experiment,
    /// Its heading on the page, to link to.
    pub(crate) id: String,
    /// What follows from it, by rising load.
    pub(crate) levels: Vec<LevelSummary>,
    /// Whether the load came at a constant rate.
    pub(crate) constant: bool,
}

impl<'a> Asked<'a> {
    fn of(experiment: &'a Experiment, at: usize) -> Self {
        let mut levels = summarize(experiment);
        levels.sort_by(|a, b| {
            order(&a.level)
                .partial_cmp(&order(&b.level))
                .expect("no NaN in JSON")
        });
        Self {
            experiment,
            id: format!("experiment-{}", at + 1),
            constant: levels.iter().any(|l| l.level.rate.is_some()),
            levels,
        }
    }

    /// What the levels are.
    pub(crate) fn load(&self) -> &'static str {
        if self.constant {
            "requests offered a second"
        } else {
            "connections"
        }
    }

    /// How much load a level is.
    pub(crate) fn amount(&self, level: &Level) -> f64 {
        match level.rate {
            Some(rate) if self.constant => rate,
            _ => f64::from(level.connections),
        }
    }

    /// A level in words.
    pub(crate) fn at(level: &Level) -> String {
        match level.rate {
            None => format!("{} connections", whole(level.connections.into())),
            Some(rate) => format!(
                "{}/s over {} connections",
                short(rate),
                whole(level.connections.into())
            ),
        }
    }

    /// The summaries of one subject by level, of the levels that it was tried at.
    pub(crate) fn of_subject(&self, name: &str) -> impl Iterator<Item = (&Level, &SubjectSummary)> {
        self.levels.iter().filter_map(move |level| {
            let found = level
                .subjects
                .iter()
                .find(|s| s.name == name && s.total > 0);
            found.map(|summary| (&level.level, summary))
        })
    }

    /// The highest level of which this is known of a subject.
    pub(crate) fn highest(&self, known: impl Fn(&SubjectSummary) -> bool) -> Option<&LevelSummary> {
        self.levels
            .iter()
            .rev()
            .find(|level| level.subjects.iter().any(&known))
    }

    /// The runs of a level.
    pub(crate) fn runs_at(&self, level: &Level) -> impl Iterator<Item = &'a Run> {
        let level = *level;
        self.experiment
            .runs
            .iter()
            .filter(move |run| run.level == level)
    }

    /// Whether it looked for a level, and did not just compare at given ones.
    pub(crate) fn is_search(&self) -> bool {
        !self.experiment.findings.is_empty()
    }
}

fn order(level: &Level) -> (f64, u32) {
    (level.rate.unwrap_or(0.0), level.connections)
}
