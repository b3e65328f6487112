use super::*;
use crate::fixture::{closed, experiment, failed, results, rounds, run};

const STEADY: [f64; 3] = [99.0, 100.0, 101.0];

fn ping(rates: &[f64]) -> Results {
    let runs = (0..)
        .zip(rates)
        .map(|(n, r)| run("after", n, closed(50), *r));
    results(vec![experiment("ping", runs.collect())])
}

fn times(factor: f64) -> Results {
    ping(&STEADY.map(|rate| rate * factor))
}

#[test]
fn a_service_that_became_slower_fails_and_the_other_way_round_passes() {
    let worse = compare(&times(1.0), &times(0.8), 0.95);
    assert_eq!(worse.rows[0].outcome, Outcome::Slower);
    assert_eq!(worse.decision(), Decision::Fail(1));
    assert!((worse.rows[0].ratio.unwrap().value - 0.8).abs() < 1e-9);
    let better = compare(&times(0.8), &times(1.0), 0.95);
    assert_eq!(better.rows[0].outcome, Outcome::Holds);
    assert_eq!(better.decision(), Decision::Pass);
    assert!((better.rows[0].ratio.unwrap().value - 1.25).abs() < 1e-9);
}

#[test]
fn equal_results_hold() {
    let equal = compare(&times(1.0), &times(1.0), 0.95);
    assert_eq!(equal.rows[0].outcome, Outcome::Holds);
    assert_eq!(
        (
            equal.caveats.len(),
            equal.only_old.len(),
            equal.only_new.len()
        ),
        (0, 0, 0)
    );
}

#[test]
fn a_difference_within_the_noise_is_unclear_and_no_pass() {
    let noisy = compare(
        &ping(&[60.0, 100.0, 140.0]),
        &ping(&[50.0, 90.0, 130.0]),
        0.95,
    );
    assert_eq!(noisy.rows[0].outcome, Outcome::Unclear);
    assert!(matches!(noisy.decision(), Decision::Nothing(_)));
}

#[test]
fn nothing_to_compare_is_no_pass() {
    let none = compare(&results(Vec::new()), &times(1.0), 0.95);
    assert!(matches!(none.decision(), Decision::Nothing(_)));
    assert_eq!(none.only_new, ["ping"]);
    // Single runs differ, but nobody knows by how much runs differ anyway.
    let single = compare(&ping(&[100.0]), &ping(&[50.0]), 0.95);
    assert_eq!(single.rows[0].outcome, Outcome::Unclear);
    assert!(matches!(single.decision(), Decision::Nothing(_)));
    let nonsense = compare(&times(1.0), &times(1.0), f64::NAN);
    assert!(matches!(nonsense.decision(), Decision::Nothing(_)));
}

#[test]
fn a_service_without_a_valid_run_is_broken_and_fails() {
    let mut broken = times(1.0);
    for run in &mut broken.experiments[0].runs {
        run.invalid.push("there were no answers at all".to_owned());
    }
    let worse = compare(&times(1.0), &broken, 0.95);
    assert_eq!(worse.rows[0].outcome, Outcome::Broken);
    assert_eq!(worse.decision(), Decision::Fail(1));
    let mended = compare(&broken, &times(1.0), 0.95);
    assert_eq!(mended.rows[0].outcome, Outcome::Baseless);
    assert!(matches!(mended.decision(), Decision::Nothing(_)));
}

#[test]
fn invalid_runs_are_not_compared() {
    let mut new = times(1.0);
    new.experiments[0]
        .runs
        .push(failed("after", 3, closed(50), "late"));
    let comparison = compare(&times(1.0), &new, 0.95);
    assert!((comparison.rows[0].ratio.unwrap().value - 1.0).abs() < 1e-9);
    assert_eq!(
        (comparison.rows[0].new.valid, comparison.rows[0].new.total),
        (3, 4)
    );
}

#[test]
fn what_only_one_of_them_has_is_listed() {
    let mut old = times(1.0);
    old.experiments.push(experiment("book", Vec::new()));
    old.experiments[0]
        .runs
        .extend(rounds(closed(100), &[(1.0, 1.0)]));
    let mut new = times(1.0);
    new.experiments[0]
        .runs
        .push(run("mine", 0, closed(50), 1.0));
    let comparison = compare(&old, &new, 0.95);
    assert_eq!(comparison.rows.len(), 1);
    assert_eq!(
        comparison.only_old,
        [
            "ping: after, 100 connections",
            "ping: before, 100 connections",
            "book"
        ]
    );
    assert_eq!(comparison.only_new, ["ping: mine, 50 connections"]);
}

#[test]
fn a_constant_rate_has_its_caveat() {
    let level = Level {
        connections: 50,
        rate: Some(100.0),
    };
    let at_rate = results(vec![experiment("rate", rounds(level, &[(100.0, 100.0)]))]);
    let comparison = compare(&at_rate, &at_rate, 0.95);
    assert!(comparison.caveats[0].contains("constant rate"));
}
