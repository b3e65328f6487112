//! Figures by their keys: `talk/ping/50/after/rate`.

use std::collections::BTreeMap;

use lab::results::{Experiment, Results};
use lab::stats::{Quartiles, Ratio};
use lab::summary::{self, LevelSummary, SubjectSummary};
use lab::text;

use crate::marks::Mark;

/// All figures that a page may show.
#[derive(Clone, Debug, Default)]
pub struct Figures(BTreeMap<String, String>);

impl Figures {
    /// Figures with these values.
    #[must_use]
    pub fn of<const N: usize>(figures: [(&str, &str); N]) -> Self {
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        Self(figures.into_iter().map(owned).collect())
    }

    /// The figure with that key.
    ///
    /// # Errors
    /// If there is none; the message names those that are near.
    pub fn get(&self, key: &str) -> Result<&str, String> {
        if let Some(value) = self.0.get(key) {
            return Ok(value);
        }
        let near = key.rsplit_once('/').map_or(key, |(near, _)| near);
        let near: Vec<_> = self.0.keys().filter(|key| key.starts_with(near)).collect();
        Err(format!("there is no figure `{key}`; near it: {near:?}"))
    }

    /// Adds what follows from results of the lab, below a name: medians over the
    /// valid runs, never a single run.
    pub fn add_results(&mut self, name: &str, results: &Results) {
        let host = &results.host;
        // Without the packages' own numbers.
        let plain = |text: &str| text.split(" (").next().unwrap_or_default().to_owned();
        let mut machine = format!("{} processors ({}", host.processors, host.processor);
        machine += match &host.virtualized {
            Some(_) => ", virtual)",
            None => ")",
        };
        machine += &[", ", &plain(&host.system)].concat();
        if let Some(postgres) = &host.postgres {
            machine += &[", Postgres ", &plain(postgres)].concat();
        }
        let mut add = |key: &str, value: String| {
            self.0.insert(format!("{name}/{key}"), value);
        };
        add("date", results.started.date().to_string());
        add("machine", machine);
        add("commit", results.commit.clone().unwrap_or_default());
        add("warnings", results.warnings.len().to_string());
        for experiment in &results.experiments {
            for level in summary::summarize(experiment) {
                let level_key = level_key(experiment, &level);
                for ratio in &level.ratios {
                    if let Some(found) = ratio.ratio {
                        add(&format!("{level_key}/ratio"), with_interval(found));
                        add(
                            &format!("{level_key}/{}/ratio", ratio.of),
                            with_interval(found),
                        );
                        add(&format!("{level_key}/times"), text::short(found.value));
                    }
                }
                for subject in &level.subjects {
                    for (metric, value) in metrics(subject) {
                        add(&format!("{level_key}/{}/{metric}", subject.name), value);
                    }
                }
            }
            for finding in &experiment.findings {
                let highest = finding.highest.map_or(0, |level| level.connections.into());
                let bounded = if finding.bounded { " or more" } else { "" };
                let key = format!("{}/{}/connections", experiment.name, finding.subject);
                add(&key, format!("{}{bounded}", text::whole(highest)));
                if let Some(rate) = finding.rate {
                    let key = format!("{}/{}/rate", experiment.name, finding.subject);
                    add(&key, text::grouped(rate));
                }
            }
        }
    }

    /// Adds the latencies of a call of oha by hand, from its JSON.
    ///
    /// # Errors
    /// If it is not oha's.
    pub fn add_oha(&mut self, name: &str, json: &str) -> Result<(), String> {
        let value: serde_json::Value =
            serde_json::from_str(json).map_err(|error| error.to_string())?;
        for (metric, at) in [
            ("p50", "/latencyPercentiles/p50"),
            ("p90", "/latencyPercentiles/p90"),
            ("p99", "/latencyPercentiles/p99"),
            ("max", "/summary/slowest"),
        ] {
            let seconds = value.pointer(at).and_then(serde_json::Value::as_f64);
            let seconds = seconds.ok_or_else(|| format!("there is no {at}"))?;
            let value = format!("{} ms", text::short(seconds * 1e3));
            self.0.insert(format!("{name}/{metric}"), value);
        }
        Ok(())
    }

    /// Adds the marks of `scripts/bench` as `bench/NAME`, and with their lowest and
    /// highest round as `bench/NAME/range`.
    pub fn add_marks(&mut self, marks: &[Mark]) {
        for mark in marks {
            let key = format!("bench/{}", mark.key());
            let range = format!("{} ({} to {})", mark.median, mark.lowest, mark.highest);
            self.0.insert(format!("{key}/range"), range);
            self.0.insert(key, mark.median.clone());
        }
    }

    /// Adds the lines of `scripts/bench`'s description of the machine.
    pub fn add_machine(&mut self, machine: &str) {
        for line in machine.lines() {
            if let Some((what, value)) = line.split_once(char::is_whitespace) {
                let key = format!("bench/machine/{what}");
                self.0.insert(key, value.trim().to_owned());
            }
        }
    }
}

fn level_key(experiment: &Experiment, level: &LevelSummary) -> String {
    let rate = level.level.rate;
    let rate = rate.map_or_else(String::new, |rate| format!("@{rate:.0}"));
    format!("{}/{}{rate}", experiment.name, level.level.connections)
}

/// A ratio with its interval, as a sentence wants it.
pub(crate) fn with_interval(ratio: Ratio) -> String {
    let value = text::short(ratio.value);
    match ratio.interval {
        Some((low, high)) => format!("{value} ({} to {})", text::short(low), text::short(high)),
        None => value,
    }
}

/// The metrics of a subject, each as its median with its unit.
pub(crate) fn metrics(subject: &SubjectSummary) -> Vec<(&'static str, String)> {
    const MIB: f64 = 1_048_576.0;
    let mut found = Vec::new();
    let mut add = |metric, quartiles: Option<Quartiles>, shown: &dyn Fn(f64) -> String| {
        if let Some(quartiles) = quartiles {
            found.push((metric, shown(quartiles.median)));
        }
    };
    let millis = |value| format!("{} ms", text::short(value));
    let micros = |value| format!("{} µs", text::short(value));
    add("rate", subject.rate, &text::grouped);
    add("p50", subject.p50, &millis);
    add("p90", subject.p90, &millis);
    add("p99", subject.p99, &millis);
    add("p999", subject.p999, &millis);
    add("max", subject.max, &millis);
    add("cpu", subject.cpu_us, &micros);
    add("database-cpu", subject.database_cpu_us, &micros);
    add("memory", subject.resident, &|bytes| {
        format!("{} MiB", text::short(bytes / MIB))
    });
    add("threads", subject.threads, &text::grouped);
    if let Some(rate) = subject.rate {
        let (low, high) = (text::grouped(rate.p25), text::grouped(rate.p75));
        found.push(("quartiles", format!("{low} to {high}")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_not_there_is_an_error_that_helps() {
        let figures = Figures::of([("talk/ping/50/after/rate", "1"), ("talk/date", "x")]);
        assert_eq!(figures.get("talk/date"), Ok("x"));
        let error = figures.get("talk/ping/50/after/p98").unwrap_err();
        assert!(error.contains("talk/ping/50/after/rate"), "{error}");
    }

    #[test]
    fn oha_by_hand_gives_latencies() {
        let mut figures = Figures::default();
        let json = r#"{"summary": {"slowest": 3.0},
            "latencyPercentiles": {"p50": 0.0001, "p90": 0.002, "p99": 0.03}}"#;
        figures.add_oha("pause", json).unwrap();
        assert_eq!(figures.get("pause/p99"), Ok("30.0 ms"));
        assert_eq!(figures.get("pause/max"), Ok("3,000 ms"));
        assert!(figures.add_oha("pause", "{}").is_err());
    }

    #[test]
    fn the_bench_gives_figures_by_the_words_of_its_marks() {
        let mut figures = Figures::default();
        let marks =
            crate::marks::parse("ping: after / bare axum\t0.85\t0.69\t0.94\t≥ 0.85\theld\n");
        figures.add_marks(&marks.unwrap());
        figures.add_machine("cores      2, of them 0 for what is measured\n");
        let key = "bench/ping-after-bare-axum";
        assert_eq!(figures.get(key), Ok("0.85"));
        assert_eq!(
            figures.get(&format!("{key}/range")),
            Ok("0.85 (0.69 to 0.94)")
        );
        let cores = figures.get("bench/machine/cores").unwrap();
        assert!(cores.starts_with("2, of"), "{cores}");
    }
}
