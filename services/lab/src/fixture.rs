//! Results for tests, made by hand.

use std::collections::BTreeMap;

use crate::results::{
    Ceiling, Cores, Experiment, Host, Latency, Level, Results, Run, Subject, Usage, VERSION,
};

pub(crate) fn closed(connections: u32) -> Level {
    Level {
        connections,
        rate: None,
    }
}

/// A valid run in which every latency is 1,000 divided by the rate, in seconds.
pub(crate) fn run(subject: &str, round: u32, level: Level, rate: f64) -> Run {
    let latency = 1e6 / rate;
    Run {
        subject: subject.to_owned(),
        round,
        level,
        tool: "wrk".to_owned(),
        at_s: 0.0,
        duration_s: 10.0,
        answered: 10_000,
        rate,
        answers: BTreeMap::from([("200".to_owned(), 10_000)]),
        failed: BTreeMap::new(),
        cut: 0,
        latency: Some(Latency {
            p50: latency,
            p90: latency,
            p95: latency,
            p99: latency,
            p999: latency,
            max: latency,
        }),
        connections_served: None,
        usage: Some(Usage {
            cpu_s: 1.0,
            cpu_us_per_answer: 100.0,
            resident_bytes: 20 << 20,
            threads: 12,
            switches_voluntary: 0,
            switches_involuntary: 0,
        }),
        database_cpu_s: Some(0.5),
        split: Vec::new(),
        series: Vec::new(),
        invalid: Vec::new(),
        raw: String::new(),
    }
}

/// As [`run`], of a run that does not count.
pub(crate) fn failed(subject: &str, round: u32, level: Level, reason: &str) -> Run {
    Run {
        invalid: vec![reason.to_owned()],
        ..run(subject, round, level, 1e9)
    }
}

/// Rounds of before and after at one level, by their rates.
pub(crate) fn rounds(level: Level, rates: &[(f64, f64)]) -> Vec<Run> {
    let round = |(number, (before, after)): (u32, &(f64, f64))| {
        [
            run("before", number, level, *before),
            run("after", number, level, *after),
        ]
    };
    (0..).zip(rates).flat_map(round).collect()
}

/// With a ceiling that is out of reach at every level of the runs.
pub(crate) fn experiment(name: &str, runs: Vec<Run>) -> Experiment {
    let mut ceilings: Vec<Ceiling> = Vec::new();
    for Run { level, .. } in &runs {
        if ceilings.iter().all(|c| c.connections != level.connections) {
            ceilings.push(Ceiling {
                connections: level.connections,
                rate: 1e8,
            });
        }
    }
    Experiment {
        name: name.to_owned(),
        question: "How many answers does the smallest request get?".to_owned(),
        path: "/ping".to_owned(),
        processes: if name == "production" { 3 } else { 1 },
        ceilings,
        runs,
        findings: Vec::new(),
    }
}

pub(crate) fn results(experiments: Vec<Experiment>) -> Results {
    let subject = |name: &str| Subject {
        name: name.to_owned(),
        address: None,
        settings: BTreeMap::from([("POOL".to_owned(), "10".to_owned())]),
    };
    Results {
        version: VERSION,
        command: "talk".to_owned(),
        preset: "default".to_owned(),
        started: time::OffsetDateTime::UNIX_EPOCH,
        finished: None,
        partial: None,
        lab: "0.1.0".to_owned(),
        commit: Some("abc".to_owned()),
        tools: BTreeMap::from([("wrk".to_owned(), "4.1.0".to_owned())]),
        host: Host::default(),
        warnings: Vec::new(),
        cores: Cores::default(),
        subjects: vec![subject("before"), subject("after")],
        experiments,
    }
}
