use super::*;
use crate::fixture::{closed, experiment, failed, rounds, run};
use crate::results::Ceiling;

const MIXED: [f64; 10] = [7.0, 1.0, 10.0, 4.0, 2.0, 9.0, 3.0, 8.0, 6.0, 5.0];

fn only(experiment: &Experiment) -> SubjectSummary {
    let mut levels = summarize(experiment);
    assert_eq!(levels.len(), 1);
    levels.remove(0).subjects.remove(0)
}

fn same(value: f64) -> Quartiles {
    Quartiles {
        p25: value,
        median: value,
        p75: value,
    }
}

#[test]
fn a_failed_run_of_ten_is_listed_and_not_counted() {
    let level = closed(50);
    let mut runs: Vec<_> = (0..)
        .zip(MIXED)
        .map(|(n, r)| run("before", n, level, r))
        .collect();
    runs[2] = failed("before", 2, level, "the subject died during the run");
    let subject = only(&experiment("ping", runs));
    assert_eq!((subject.valid, subject.total), (9, 10));
    assert_eq!(subject.reasons, ["the subject died during the run"]);
    // 1 to 9: the best run, which failed, is gone.
    let rate = subject.rate.unwrap();
    assert_eq!((rate.p25, rate.median, rate.p75), (3.0, 5.0, 7.0));
}

#[test]
fn without_a_valid_run_there_are_reasons_and_no_figures() {
    let level = closed(50);
    let runs = (0..3)
        .map(|n| failed("before", n, level, "no answers"))
        .collect();
    let subject = only(&experiment("ping", runs));
    assert_eq!((subject.valid, subject.total), (0, 3));
    assert_eq!(subject.reasons, ["no answers"]);
    assert_eq!(
        (subject.rate, subject.p99, subject.cpu_us),
        (None, None, None)
    );
    assert!(!subject.noisy && !subject.limited_by_tool);
}

#[test]
fn percentiles_are_medians_of_runs_and_no_means() {
    let level = closed(50);
    let mut runs: Vec<_> = (0..3).map(|n| run("before", n, level, 100.0)).collect();
    for (run, p99) in runs.iter_mut().zip([10.0, 900.0, 20.0]) {
        run.latency.as_mut().unwrap().p99 = p99;
    }
    // The mean would be 310, the best 10.
    let p99 = only(&experiment("ping", runs)).p99.unwrap();
    assert_eq!((p99.p25, p99.median, p99.p75), (15.0, 20.0, 460.0));
}

#[test]
fn costs_are_those_of_an_answer() {
    let subject = only(&experiment(
        "ping",
        vec![run("before", 0, closed(50), 100.0)],
    ));
    assert_eq!(subject.database_cpu_us, Some(same(50.0)));
    assert_eq!(subject.cpu_us, Some(same(100.0)));
    assert_eq!(subject.threads, Some(same(12.0)));
    assert_eq!(subject.resident, Some(same(20_971_520.0)));
}

#[test]
fn rows_are_noisy_from_a_fifth_of_the_median_on() {
    let level = closed(50);
    let of = |rates: [f64; 3]| {
        let runs = (0..)
            .zip(rates)
            .map(|(n, r)| run("before", n, level, r))
            .collect();
        only(&experiment("ping", runs))
    };
    // The quartiles of three are half-way to the outer ones.
    assert!(of([80.0, 100.0, 120.0]).noisy);
    assert!(!of([81.0, 100.0, 120.0]).noisy);
}

#[test]
fn what_comes_near_the_ceiling_is_limited_by_the_tool() {
    let level = closed(50);
    let mut experiment = experiment("ping", vec![run("before", 0, level, 801.0)]);
    experiment.ceilings = vec![
        Ceiling {
            connections: 10,
            rate: 10.0,
        },
        Ceiling {
            connections: 50,
            rate: 1000.0,
        },
    ];
    assert!(only(&experiment).limited_by_tool);
    experiment.runs[0].rate = 800.0;
    assert!(!only(&experiment).limited_by_tool);
    experiment.ceilings.pop();
    assert_eq!(summarize(&experiment)[0].ceiling, None);
    assert!(!only(&experiment).limited_by_tool);
}

#[test]
fn levels_ascend_and_subjects_keep_their_order() {
    let at_rate = |rate| Level {
        connections: 50,
        rate: Some(rate),
    };
    let experiment = experiment(
        "ping",
        vec![
            run("before", 0, closed(100), 1.0),
            run("after", 0, closed(50), 1.0),
            run("before", 0, closed(50), 1.0),
            run("mine", 0, at_rate(20.0), 1.0),
            run("mine", 0, at_rate(3.0), 1.0),
        ],
    );
    let levels = summarize(&experiment);
    let order: Vec<_> = levels.iter().map(|summary| summary.level).collect();
    assert_eq!(
        order,
        [closed(50), at_rate(3.0), at_rate(20.0), closed(100)]
    );
    let names: Vec<_> = levels[0].subjects.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["before", "after"]);
    // Nothing to divide by where the first did not run.
    assert_eq!(levels[1].ratios, []);
}

#[test]
fn ratios_pair_valid_runs_of_a_round() {
    let level = closed(50);
    let mut runs = rounds(level, &[(100.0, 200.0), (50.0, 150.0), (100.0, 100.0)]);
    runs.push(run("after", 3, level, 1e6));
    runs[5].invalid.push("late".to_owned());
    let summary = summarize(&experiment("ping", runs)).remove(0);
    assert_eq!(
        (summary.ratios[0].of.as_str(), summary.ratios[0].by.as_str()),
        ("after", "before")
    );
    let ratio = summary.ratios[0].ratio.unwrap();
    assert_eq!(ratio.pairs, 2);
    assert!((ratio.value - 6_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn rounds_without_both_have_no_ratio() {
    let level = closed(50);
    let runs = vec![
        run("before", 0, level, 1.0),
        failed("after", 0, level, "late"),
    ];
    assert_eq!(
        summarize(&experiment("ping", runs))[0].ratios[0].ratio,
        None
    );
}
