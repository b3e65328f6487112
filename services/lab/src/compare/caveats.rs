//! What besides the services may explain a difference between two results.

use std::collections::BTreeMap;

use crate::results::{Host, Results};
use crate::stats::median;

/// The share by which runs may differ in length: 10 %.
const LENGTH: f64 = 0.1;

/// Each difference as a line, with old and new. The commit too, though it is
/// often what is to be compared.
pub(super) fn caveats(old: &Results, new: &Results) -> Vec<String> {
    let mut found = Differences(Vec::new());
    found.look("command", &old.command, &new.command);
    found.look("preset", &old.preset, &new.preset);
    found.look(
        "commit",
        &known(old.commit.as_ref()),
        &known(new.commit.as_ref()),
    );
    found.look("version of the lab", &old.lab, &new.lab);
    found.maps("version of", &old.tools, &new.tools);
    found.hosts(&old.host, &new.host);
    let cores = |results: &Results| {
        let cores = &results.cores;
        format!(
            "{:?}, {:?}, {:?}",
            cores.subjects, cores.load, cores.database
        )
    };
    found.look(
        "cores of subjects, load and database",
        &cores(old),
        &cores(new),
    );
    for subject in &new.subjects {
        if let Some(other) = old.subjects.iter().find(|other| other.name == subject.name) {
            let name = &subject.name;
            let address = |address: &Option<String>| {
                address
                    .clone()
                    .unwrap_or_else(|| "started by the lab".to_owned())
            };
            let (was, is) = (address(&other.address), address(&subject.address));
            found.look(&format!("address of {name}"), &was, &is);
            found.maps(
                &format!("setting of {name},"),
                &other.settings,
                &subject.settings,
            );
        }
    }
    found.experiments(old, new);
    found.one_sided(old, new);
    found.0
}

struct Differences(Vec<String>);

impl Differences {
    fn look(&mut self, what: &str, old: &str, new: &str) {
        if old != new {
            self.0.push(format!("{what}: {old} -> {new}"));
        }
    }

    fn maps(&mut self, what: &str, old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) {
        let added = new.keys().filter(|key| !old.contains_key(*key));
        for key in old.keys().chain(added) {
            let (was, is) = (known(old.get(key)), known(new.get(key)));
            self.look(&format!("{what} {key}"), &was, &is);
        }
    }

    fn hosts(&mut self, old: &Host, new: &Host) {
        let facts = |host: &Host| {
            let limit = host.processor_limit.map(|limit| limit.to_string());
            [
                ("processor", host.processor.clone()),
                ("number of processors", host.processors.to_string()),
                ("memory in bytes", host.memory_bytes.to_string()),
                ("kernel", host.kernel.clone()),
                ("system", host.system.clone()),
                ("virtualization", known(host.virtualized.as_ref())),
                ("governor", known(host.governor.as_ref())),
                ("limit of processors", known(limit.as_ref())),
                ("Postgres", known(host.postgres.as_ref())),
            ]
        };
        for ((what, was), (_, is)) in facts(old).iter().zip(&facts(new)) {
            self.look(what, was, is);
        }
    }

    fn experiments(&mut self, old: &Results, new: &Results) {
        for experiment in &new.experiments {
            let name = &experiment.name;
            let mut others = old.experiments.iter();
            let Some(other) = others.find(|other| other.name == *name) else {
                continue;
            };
            self.look(&format!("path of {name}"), &other.path, &experiment.path);
            let (was, is) = (
                other.processes.to_string(),
                experiment.processes.to_string(),
            );
            self.look(&format!("processes of {name}"), &was, &is);
            let lengths = [other, experiment].map(|experiment| {
                let lengths: Vec<_> = experiment.runs.iter().map(|run| run.duration_s).collect();
                median(&lengths)
            });
            if let [Some(was), Some(is)] = lengths
                && (was - is).abs() > LENGTH * was.max(is)
            {
                self.0.push(format!(
                    "length of the runs of {name}: {was:.1} s -> {is:.1} s"
                ));
            }
        }
    }

    /// What makes one of them less fair by itself.
    fn one_sided(&mut self, old: &Results, new: &Results) {
        for (which, results) in [("old", old), ("new", new)] {
            let partial = results.partial.iter();
            self.0
                .extend(partial.map(|why| format!("the {which} results ended before time: {why}")));
            let warnings = results.warnings.iter();
            self.0.extend(
                warnings.map(|warning| format!("warning of the {which} results: {warning}")),
            );
        }
    }
}

fn known(value: Option<&String>) -> String {
    value.cloned().unwrap_or_else(|| "not known".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{closed, experiment, results, rounds};

    fn ping() -> Results {
        results(vec![experiment("ping", rounds(closed(50), &[(1.0, 2.0)]))])
    }

    #[test]
    fn equal_conditions_have_no_caveats() {
        assert_eq!(caveats(&ping(), &ping()), [""; 0]);
    }

    #[test]
    fn each_difference_is_named_with_old_and_new() {
        let old = ping();
        let mut new = ping();
        new.preset = "quick".to_owned();
        new.commit = None;
        new.host.processor = "fast".to_owned();
        new.host.processors = 8;
        new.tools.clear();
        new.subjects[1]
            .settings
            .insert("POOL".to_owned(), "20".to_owned());
        new.subjects[1]
            .settings
            .insert("WORKERS".to_owned(), "2".to_owned());
        new.experiments[0].processes = 3;
        for run in &mut new.experiments[0].runs {
            run.duration_s = 3.0;
        }
        new.partial = Some("interrupted".to_owned());
        new.warnings.push("the machine is busy".to_owned());
        assert_eq!(
            caveats(&old, &new),
            [
                "preset: default -> quick",
                "commit: abc -> not known",
                "version of wrk: 4.1.0 -> not known",
                "processor:  -> fast",
                "number of processors: 0 -> 8",
                "setting of after, POOL: 10 -> 20",
                "setting of after, WORKERS: not known -> 2",
                "processes of ping: 1 -> 3",
                "length of the runs of ping: 10.0 s -> 3.0 s",
                "the new results ended before time: interrupted",
                "warning of the new results: the machine is busy",
            ]
        );
    }
}
