//! The pages in a browser: `.ci/parts/report` brings it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::{experiment, only, sample};
use crate::report::write;
use crate::results::{Results, save};
use crate::serve::Server;

/// Runs as they may come, by the name of their folder.
fn runs() -> Vec<(&'static str, Results)> {
    vec![
        ("fixture", sample::results()),
        ("one-level", one_level()),
        ("others", others()),
        ("without-valid-runs", without_valid_runs()),
        ("alone", alone()),
    ]
}

fn one_level() -> Results {
    let mut results = only(&["production"]);
    results.partial = Some("interrupted by Ctrl-C".to_owned());
    results.warnings.clear();
    results
}

/// Three subjects, two of which a user named.
fn others() -> Results {
    let long = "the-service-of-a-reader-who-likes-very-long-names-without-any-place-to-break-them";
    let mut results = only(&["ping", "waiting"]);
    for (name, factor) in [(long, 0.8), ("<b>&\"mine'", 1.3)] {
        let mut subject = results.subjects[1].clone();
        name.clone_into(&mut subject.name);
        subject.address = Some("http://127.0.0.1:9000".to_owned());
        subject.settings.clear();
        results.subjects.push(subject);
        for experiment in &mut results.experiments {
            let theirs: Vec<_> = experiment
                .runs
                .iter()
                .filter(|run| run.subject == "after")
                .map(|run| {
                    let mut run = run.clone();
                    name.clone_into(&mut run.subject);
                    run.rate *= factor;
                    run
                })
                .collect();
            experiment.runs.extend(theirs);
        }
    }
    // Close to what the load tool can do.
    for ceiling in &mut experiment(&mut results, "ping").ceilings {
        ceiling.rate = 68_000.0;
    }
    results
}

fn without_valid_runs() -> Results {
    let mut results = only(&["ping", "capacity"]);
    for experiment in &mut results.experiments {
        for run in &mut experiment.runs {
            run.invalid = vec!["the subject died, by signal 9".to_owned()];
        }
        for finding in &mut experiment.findings {
            (finding.highest, finding.rate) = (None, None);
        }
    }
    results
}

/// One subject, of which little is known.
fn alone() -> Results {
    let mut results = only(&["book"]);
    results.subjects.truncate(1);
    let book = experiment(&mut results, "book");
    book.runs.retain(|run| run.subject == "before");
    for run in &mut book.runs {
        (run.latency, run.usage) = (None, None);
    }
    results
}

#[test]
#[ignore = "needs a browser: .ci/run --report"]
fn all_pages_are_right_in_a_browser() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::temp_dir().join(format!("lab-pages-{}", std::process::id()));
    let (full, none) = (folder.join("full"), folder.join("none"));
    for (name, results) in runs() {
        let run = full.join(name);
        fs::create_dir_all(&run).unwrap();
        save(&results, &run).unwrap();
        write(&results, &run).unwrap();
    }
    fs::create_dir_all(full.join("broken")).unwrap();
    fs::write(full.join("broken/results.json"), "{").unwrap();

    let stop = AtomicBool::new(false);
    let any = "127.0.0.1:0".parse().unwrap();
    let servers = [&full, &none].map(|folder| Server::bind(folder, any).unwrap());
    let right = thread::scope(|scope| {
        let addresses = servers
            .each_ref()
            .map(|s| format!("http://{}/", s.address().unwrap()));
        for server in &servers {
            scope.spawn(|| server.run(&stop).unwrap());
        }
        let checked = Command::new("node")
            .arg(root.join(".ci/report/check.mjs"))
            .args(&addresses)
            .status();
        stop.store(true, Ordering::Relaxed);
        checked
    });
    fs::remove_dir_all(folder).unwrap();
    assert!(right.unwrap().success());
}
