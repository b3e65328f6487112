//! Results that nobody measured, to draw: made up by a formula, with everything
//! in them that a report can show. `tests/data/results/results.json` is made
//! from them.

#![expect(clippy::cast_precision_loss, reason = "made-up counts, far below 2^52")]

use std::collections::BTreeMap;

use crate::results::{
    Ceiling, Cores, Experiment, Finding, Host, Latency, Level, Results, Run, Second, Subject,
    Usage, VERSION,
};

/// How a made-up subject behaves.
struct Manner {
    name: &'static str,
    /// Answers a second that it comes to.
    most: f64,
    /// Connections at which it has half of that.
    half: f64,
    cpu_us: f64,
    memory: f64,
    memory_a_connection: f64,
}

/// All of it.
pub(crate) fn results() -> Results {
    let started = time::OffsetDateTime::from_unix_timestamp(1_767_268_800).unwrap();
    Results {
        version: VERSION,
        command: "talk".to_owned(),
        preset: "custom".to_owned(),
        started,
        finished: Some(started + time::Duration::seconds(754)),
        partial: None,
        lab: "0.1.0".to_owned(),
        commit: Some("0000000".to_owned()),
        tools: BTreeMap::from([
            ("oha".to_owned(), "1.0".to_owned()),
            ("wrk".to_owned(), "4.0".to_owned()),
        ]),
        host: Host {
            processor: "fixture: made-up figures, measured by nobody".to_owned(),
            processors: 4,
            memory_bytes: 16 << 30,
            kernel: "Linux 0.0".to_owned(),
            system: "fixture".to_owned(),
            virtualized: Some("kvm".to_owned()),
            governor: None,
            load: 0.31,
            steal: 0.004,
            processor_limit: None,
            file_handles: 65_536,
            postgres: Some("17.0".to_owned()),
        },
        warnings: vec![
            "fixture: these figures are made up, and were measured by nobody".to_owned(),
        ],
        cores: Cores {
            subjects: vec![0, 1],
            load: vec![2],
            database: vec![3],
        },
        subjects: vec![subject("before", "200"), subject("after", "2")],
        experiments: vec![ping(), book(), production(), waiting(), capacity(), rate()],
    }
}

fn subject(name: &str, workers: &str) -> Subject {
    let settings = [
        ("DB_POOL", "8"),
        ("LOG_FORMAT", "json"),
        ("REQUEST_TIMEOUT_MS", "10000"),
        ("WORKERS", workers),
    ];
    Subject {
        name: name.to_owned(),
        address: None,
        settings: settings
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
    }
}

fn ping() -> Experiment {
    let manners = [
        manner("before", 38_000.0, 12.0, 31.0, 7.0, 0.04),
        manner("after", 66_000.0, 14.0, 17.0, 6.0, 0.02),
    ];
    let mut experiment = closed("ping", "/ping", 1, &[10, 50, 100, 400], &manners, 78_000.0);
    "How many requests that need nothing does each answer?".clone_into(&mut experiment.question);
    experiment
}

fn book() -> Experiment {
    let manners = [
        manner("before", 4_100.0, 9.0, 190.0, 11.0, 0.05),
        manner("after", 6_900.0, 11.0, 118.0, 9.0, 0.02),
    ];
    let mut experiment = closed(
        "book",
        "/markets/{id}/book",
        1,
        &[10, 50, 100, 400],
        &manners,
        61_000.0,
    );
    "How many requests that ask the database does each answer?"
        .clone_into(&mut experiment.question);
    for (round, run) in experiment
        .runs
        .iter_mut()
        .filter(|r| r.level.connections == 50)
        .enumerate()
    {
        // Far apart.
        run.rate *= [0.7, 1.0, 1.25, 0.8, 1.1, 1.3][round % 6];
    }
    let broken = experiment
        .runs
        .iter_mut()
        .rfind(|r| r.subject == "before")
        .unwrap();
    broken.invalid = vec!["3.1 % of the answers are not 2xx (503: 1,270)".to_owned()];
    broken.answers.insert("503".to_owned(), 1_270);
    broken.failed.insert("timeout".to_owned(), 12);
    experiment
}

fn production() -> Experiment {
    let manners = [
        manner("before", 4_900.0, 20.0, 210.0, 30.0, 0.05),
        manner("after", 8_200.0, 22.0, 125.0, 25.0, 0.02),
    ];
    let mut experiment = closed(
        "production",
        "/markets/{id}/book",
        3,
        &[100],
        &manners,
        61_000.0,
    );
    "And with three workers, as in production?".clone_into(&mut experiment.question);
    for run in &mut experiment.runs {
        run.split = vec![
            run.answered * 3 / 10,
            run.answered * 4 / 10,
            run.answered * 3 / 10,
        ];
    }
    experiment
}

fn waiting() -> Experiment {
    let mut before = manner("before", 3_900.0, 1.0, 60.0, 8.0, 0.12);
    before.half = -1.0;
    let mut after = manner("after", 19_000.0, 1.0, 34.0, 7.0, 0.03);
    after.half = -1.0;
    let levels = [50, 200, 1_000, 2_000];
    let mut experiment = closed(
        "waiting",
        "/sleep?ms=50",
        1,
        &levels,
        &[before, after],
        61_000.0,
    );
    "What if each request waits 50 ms for something else?".clone_into(&mut experiment.question);
    experiment
}

fn closed(
    name: &str,
    path: &str,
    processes: u32,
    levels: &[u32],
    manners: &[Manner],
    ceiling: f64,
) -> Experiment {
    let mut runs = Vec::new();
    for connections in levels {
        for round in 0..3 {
            for manner in manners {
                let level = Level {
                    connections: *connections,
                    rate: None,
                };
                runs.push(run(name, manner, round, level, runs.len()));
            }
        }
    }
    Experiment {
        name: name.to_owned(),
        question: String::new(),
        path: path.to_owned(),
        processes,
        ceilings: levels
            .iter()
            .map(|c| Ceiling {
                connections: *c,
                rate: ceiling,
            })
            .collect(),
        runs,
        findings: Vec::new(),
    }
}

fn capacity() -> Experiment {
    let manners = [
        manner("before", 4_100.0, 9.0, 190.0, 11.0, 0.05),
        manner("after", 6_900.0, 11.0, 118.0, 9.0, 0.02),
    ];
    let tried: [&[u32]; 2] = [
        &[10, 20, 40, 80, 160, 240, 320],
        &[10, 20, 40, 80, 160, 320, 400, 480, 640],
    ];
    let mut runs = Vec::new();
    for (manner, levels) in manners.iter().zip(tried) {
        for connections in levels {
            let level = Level {
                connections: *connections,
                rate: None,
            };
            runs.push(run("capacity", manner, 0, level, runs.len()));
        }
    }
    let finding = |name: &str, connections, rate| Finding {
        subject: name.to_owned(),
        what: "most connections with p90 at most 80 ms".to_owned(),
        highest: Some(Level {
            connections,
            rate: None,
        }),
        rate: Some(rate),
        bounded: false,
    };
    Experiment {
        name: "capacity".to_owned(),
        question: "How many connections does each serve before p90 passes 80 ms?".to_owned(),
        path: "/markets/{id}/book".to_owned(),
        processes: 1,
        ceilings: Vec::new(),
        runs,
        findings: vec![
            finding("before", 240, 3_950.0),
            finding("after", 400, 6_700.0),
        ],
    }
}

fn rate() -> Experiment {
    let manners = [
        manner("before", 4_100.0, 9.0, 190.0, 11.0, 0.05),
        manner("after", 6_900.0, 11.0, 118.0, 9.0, 0.02),
    ];
    let mut runs = Vec::new();
    for offered in [1_000.0, 2_000.0, 3_000.0] {
        for round in 0..3 {
            for manner in &manners {
                let level = Level {
                    connections: 64,
                    rate: Some(offered),
                };
                let mut run = run("rate", manner, round, level, runs.len());
                run.rate = offered * (1.0 - 0.001 * noise("rate", runs.len()));
                run.tool = "oha".to_owned();
                let busy = 1.0 / (1.0 - offered / manner.most);
                run.latency = Some(latency(2.0 * busy, runs.len()));
                runs.push(run);
            }
        }
    }
    Experiment {
        name: "rate".to_owned(),
        question: "What does the same load take of each?".to_owned(),
        path: "/markets/{id}/book".to_owned(),
        processes: 1,
        ceilings: Vec::new(),
        runs,
        findings: Vec::new(),
    }
}

fn manner(name: &'static str, most: f64, half: f64, cpu_us: f64, memory: f64, each: f64) -> Manner {
    Manner {
        name,
        most,
        half,
        cpu_us,
        memory,
        memory_a_connection: each,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made-up amounts"
)]
fn run(experiment: &str, manner: &Manner, round: u32, level: Level, at: usize) -> Run {
    let shaken = 1.0 + 0.04 * noise(experiment, at);
    let connections = f64::from(level.connections);
    let rate = shaken
        * if manner.half < 0.0 {
            // Waits 50 ms, until threads or processors run out.
            (connections * 19.6).min(manner.most)
        } else {
            manner.most * connections / (connections + manner.half)
        };
    let rate = (rate * 10.0).round() / 10.0;
    let answered = (rate * 10.0) as u64;
    let memory = (manner.memory + connections * manner.memory_a_connection) * 1_048_576.0 * shaken;
    let threads = if manner.name == "before" {
        200.0
    } else {
        connections
    };
    let asks_database = !matches!(experiment, "ping" | "waiting");
    let last = round == 2 && matches!(level.connections, 400 | 100 | 2_000 | 64);
    Run {
        subject: manner.name.to_owned(),
        round,
        level,
        tool: "wrk".to_owned(),
        at_s: 12.0 * at as f64 + 8.0,
        duration_s: 10.0,
        answered,
        rate,
        answers: BTreeMap::from([("200".to_owned(), answered)]),
        failed: BTreeMap::new(),
        cut: u64::from(level.connections),
        latency: Some(latency(connections / rate * 1_000.0, at)),
        connections_served: Some(level.connections.into()),
        usage: Some(Usage {
            cpu_s: (rate * manner.cpu_us / 1e5 * 100.0).round() / 100.0,
            cpu_us_per_answer: (manner.cpu_us * shaken * 100.0).round() / 100.0,
            resident_bytes: memory as u64,
            threads: if manner.name == "before" {
                u64::from(level.connections.min(200)) + 4
            } else {
                5
            },
            switches_voluntary: answered * if manner.name == "before" { 2 } else { 1 } / 3,
            switches_involuntary: answered / 400,
        }),
        database_cpu_s: asks_database.then_some((answered as f64 * 8.1e-5).round()),
        split: Vec::new(),
        series: if last {
            series(rate, connections, threads, memory)
        } else {
            Vec::new()
        },
        invalid: Vec::new(),
        raw: format!("raw/{experiment}-{at}-{}.txt", manner.name),
    }
}

fn latency(mean_ms: f64, at: usize) -> Latency {
    let of = |factor: f64| {
        let shaken = factor * (1.0 + 0.1 * noise("latency", at));
        (mean_ms * shaken * 1_000.0).round() / 1_000.0
    };
    Latency {
        p50: of(0.92),
        p90: of(1.3),
        p95: of(1.6),
        p99: of(2.7),
        p999: of(6.0),
        max: of(14.0),
    }
}

fn series(rate: f64, connections: f64, threads: f64, memory: f64) -> Vec<Second> {
    let second = |at: u32| {
        let shaken = 1.0 + 0.05 * noise("series", at as usize);
        let grown = (f64::from(at) / 3.0).min(1.0);
        Second {
            at_s: f64::from(at),
            rate: (rate * shaken).round(),
            in_flight: (connections.min(threads) * 0.9 * shaken).round(),
            connections,
            resident_bytes: (memory * (0.6 + 0.4 * grown)).round(),
            processors: 1.9,
        }
    };
    (1..=10).map(second).collect()
}

/// The same each time, between -1 and 1.
fn noise(what: &str, at: usize) -> f64 {
    let seed = what.bytes().fold(at as u64 + 1, |seed, byte| {
        seed.wrapping_mul(31).wrapping_add(byte.into())
    });
    let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40;
    mixed as f64 / f64::from(1 << 23) - 1.0
}
