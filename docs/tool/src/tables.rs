//! Tables by their names: `talk/ping`, `talk/claims`, `bench/overload`,
//! `configuration`.

use std::collections::BTreeMap;

use lab::claims::{self, Outcome, Verdict};
use lab::results::{Experiment, Results};
use lab::summary::{self, LevelSummary};
use lab::text;
use shared::config::VARIABLES;

use crate::figures::{metrics, with_interval};
use crate::marks::Mark;

/// All tables that a page may show.
#[derive(Clone, Debug, Default)]
pub struct Tables(BTreeMap<String, String>);

impl Tables {
    /// Tables with these contents.
    #[must_use]
    pub fn of<const N: usize>(tables: [(&str, &str); N]) -> Self {
        let owned = |(name, table): (&str, &str)| (name.to_owned(), table.to_owned());
        Self(tables.into_iter().map(owned).collect())
    }

    /// The table of that name.
    ///
    /// # Errors
    /// If there is none; the message names all.
    pub fn get(&self, name: &str) -> Result<&str, String> {
        self.0.get(name).map(String::as_str).ok_or_else(|| {
            let names: Vec<_> = self.0.keys().collect();
            format!("there is no table `{name}`; there are {names:?}")
        })
    }

    /// Adds the settings, as the services themselves know them.
    pub fn add_configuration(&mut self) {
        let rows = VARIABLES.iter().map(|variable| {
            let default = match variable.default {
                "" => String::new(),
                default => format!("`{default}`"),
            };
            vec![
                format!("`{}`", variable.name),
                default,
                variable.meaning.to_owned(),
            ]
        });
        let table = markdown(&["variable", "default", "meaning"], rows);
        self.0.insert("configuration".to_owned(), table);
    }

    /// Adds a table for each experiment of results of the lab, and the claims.
    pub fn add_results(&mut self, name: &str, results: &Results) {
        for experiment in &results.experiments {
            let key = format!("{name}/{}", experiment.name);
            self.0.insert(key, comparison(experiment));
        }
        let verdicts = claims::verdicts(results);
        if verdicts.iter().any(|verdict| verdict.level.is_some()) {
            self.0
                .insert(format!("{name}/claims"), claims_table(&verdicts));
        }
    }

    /// Adds a table for each section of `scripts/bench`.
    pub fn add_marks(&mut self, marks: &[Mark]) {
        let mut sections = BTreeMap::<&str, Vec<Vec<String>>>::new();
        for mark in marks {
            let Some((section, what)) = mark.what.split_once(": ") else {
                continue;
            };
            let range = format!("{} to {}", mark.lowest, mark.highest);
            sections.entry(section).or_default().push(vec![
                what.to_owned(),
                mark.median.clone(),
                range,
                mark.limit.clone(),
                mark.verdict.clone(),
            ]);
        }
        for (section, rows) in sections {
            let header = ["", "median", "rounds from, to", "mark", ""];
            self.0
                .insert(format!("bench/{section}"), markdown(&header, rows));
        }
    }
}

fn comparison(experiment: &Experiment) -> String {
    let levels = summary::summarize(experiment);
    let rows = levels.iter().flat_map(rows);
    let header = [
        "connections",
        "",
        "answers/s (quartiles)",
        "p50",
        "p99",
        "CPU an answer",
        "memory",
        "times the first (95 % interval)",
    ];
    markdown(&header, rows)
}

fn rows(level: &LevelSummary) -> Vec<Vec<String>> {
    let connections = text::whole(level.level.connections.into());
    let row = |(at, subject): (usize, &summary::SubjectSummary)| {
        let metrics: BTreeMap<_, _> = metrics(subject).into_iter().collect();
        let of = |metric: &str| metrics.get(metric).cloned().unwrap_or_default();
        let ratio = level.ratios.iter().find(|ratio| ratio.of == subject.name);
        let rate = match subject.valid {
            0 => "no valid run".to_owned(),
            _ => format!("{} ({})", of("rate"), of("quartiles")),
        };
        vec![
            if at == 0 {
                connections.clone()
            } else {
                String::new()
            },
            subject.name.clone(),
            rate,
            of("p50"),
            of("p99"),
            of("cpu"),
            of("memory"),
            ratio
                .and_then(|ratio| ratio.ratio)
                .map_or_else(String::new, with_interval),
        ]
    };
    level.subjects.iter().enumerate().map(row).collect()
}

fn claims_table(verdicts: &[Verdict]) -> String {
    let range = |(low, high): (u32, u32)| {
        let low = text::whole(low.into());
        match text::whole(high.into()) {
            high if high == low => low,
            high => format!("{low}–{high}"),
        }
    };
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, text::grouped);
    let rows = verdicts.iter().map(|verdict| {
        let claim = &verdict.claim;
        let level = verdict.level.map_or_else(String::new, |level| {
            format!(", {} connections", text::whole(level.connections.into()))
        });
        vec![
            format!("{}{level}", claim.what),
            format!("{} to {}", range(claim.before), range(claim.after)),
            claim.ratio.to_string(),
            format!("{} to {}", rate(verdict.before), rate(verdict.after)),
            verdict.ratio.map_or_else(String::new, with_interval),
            outcome(&verdict.outcome),
        ]
    });
    let header = [
        "what",
        "the talk, requests/s",
        "times",
        "here, answers/s",
        "times (95 % interval)",
        "",
    ];
    markdown(&header, rows)
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NotComparable(reason) => format!("{}: {reason}", outcome.name()),
        _ => outcome.name().to_owned(),
    }
}

fn markdown(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let header: Vec<_> = header.iter().map(|&cell| cell.to_owned()).collect();
    let rule = vec!["---".to_owned(); header.len()];
    let rows = rows.into_iter().map(|row| line(&row));
    let lines = [line(&header), line(&rule)].into_iter().chain(rows);
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_in_the_table() {
        let mut tables = Tables::default();
        tables.add_configuration();
        let table = tables.get("configuration").unwrap();
        assert!(
            table.contains("| `DB_POOL` | `8` | the most connections"),
            "{table}"
        );
        assert_eq!(table.lines().count(), VARIABLES.len() + 2);
    }

    #[test]
    fn marks_are_tables_by_section() {
        let mut tables = Tables::default();
        let line = "overload: before, until normal\t1\t0\t2\t≤ 2 s\theld\n";
        tables.add_marks(&crate::marks::parse(line).unwrap());
        let table = tables.get("bench/overload").unwrap();
        assert!(
            table.ends_with("| before, until normal | 1 | 0 to 2 | ≤ 2 s | held |"),
            "{table}"
        );
        let error = tables.get("bench/none").unwrap_err();
        assert!(error.contains("bench/overload"), "{error}");
    }
}
