use super::*;
use crate::fixture::{closed, experiment, failed, results, rounds, run};

/// The verdict on ping, by the runs at 50 connections.
fn ping(rates: &[(f64, f64)]) -> Verdict {
    let experiment = experiment("ping", rounds(closed(50), rates));
    verdicts(&results(vec![experiment])).remove(0)
}

fn reason(verdict: &Verdict) -> &str {
    match &verdict.outcome {
        Outcome::NotComparable(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn claimed_ratios_are_those_of_the_claimed_rates() {
    let middle = |(from, to): (u32, u32)| f64::from(from + to) / 2.0;
    for claim in CLAIMS {
        let ratio = middle(claim.after) / middle(claim.before);
        assert!((ratio - claim.ratio).abs() <= 0.05, "{claim:?}");
    }
}

#[test]
fn a_claim_is_reproduced_if_the_interval_reaches_it() {
    let within = ping(&[(100.0, 215.0), (100.0, 220.0), (100.0, 225.0)]);
    assert_eq!(within.outcome, Outcome::Reproduced);
    assert!(
        within
            .sentence
            .starts_with("Reproduced: the interval contains")
    );
    let above = ping(&[(100.0, 400.0), (100.0, 410.0), (100.0, 405.0)]);
    assert_eq!(above.outcome, Outcome::Reproduced);
    assert!(above.sentence.contains("at or above"), "{}", above.sentence);
    assert!(above.sentence.contains("no promise for Rust"));
    assert_eq!((above.before, above.after), (Some(100.0), Some(405.0)));
}

#[test]
fn a_claim_is_not_reproduced_if_the_whole_interval_is_below() {
    let below = ping(&[(100.0, 130.0), (100.0, 131.0), (100.0, 132.0)]);
    assert_eq!(below.outcome, Outcome::NotReproduced);
    assert!(below.sentence.contains("the whole interval is below"));
    let equal = ping(&[(100.0, 99.0), (100.0, 100.0), (100.0, 101.0)]);
    assert_eq!(equal.outcome, Outcome::NotReproduced);
    assert!(equal.sentence.contains("no difference is shown"));
    let slower = ping(&[(100.0, 80.0), (100.0, 81.0), (100.0, 82.0)]);
    assert_eq!(slower.outcome, Outcome::NotReproduced);
    assert!(slower.sentence.contains("before was the faster one"));
}

#[test]
fn a_wide_interval_around_the_claim_says_nothing() {
    let wide = ping(&[(100.0, 200.0), (95.0, 220.0), (105.0, 210.0)]);
    assert_eq!(
        reason(&wide),
        "the interval from 1.70 to 2.59 is too wide to say anything"
    );
    assert!(wide.sentence.contains("With 50 connections"));
}

#[test]
fn what_was_not_measured_is_not_comparable() {
    let all = verdicts(&results(Vec::new()));
    assert_eq!(all.len(), 3);
    assert!(
        all.iter()
            .all(|verdict| reason(verdict).contains("not both measured"))
    );
    let single = ping(&[(100.0, 220.0)]);
    assert!(reason(&single).starts_with("only one round has"));
    let invalid = experiment(
        "ping",
        vec![
            run("before", 0, closed(50), 100.0),
            failed("after", 0, closed(50), "late"),
        ],
    );
    let invalid = verdicts(&results(vec![invalid])).remove(0);
    assert_eq!(
        reason(&invalid),
        "no round has valid runs of both, and an interval needs two (1 of 1 runs of before \
         are valid, 0 of 1 of after)"
    );
}

#[test]
fn noise_and_a_limited_tool_are_not_comparable() {
    let noisy = ping(&[(100.0, 220.0), (200.0, 440.0), (300.0, 660.0)]);
    assert_eq!(
        reason(&noisy),
        "before and after are too noisy to say anything"
    );
    let mut limited = experiment(
        "ping",
        rounds(closed(50), &[(100.0, 220.0), (101.0, 221.0), (99.0, 222.0)]),
    );
    limited.ceilings[0].rate = 250.0;
    let limited = verdicts(&results(vec![limited])).remove(0);
    assert!(reason(&limited).starts_with("after is limited by the load tool"));
}

#[test]
fn other_workers_than_the_talks_are_not_comparable() {
    let mut other = experiment("production", rounds(closed(50), &[(1.0, 5.0), (1.0, 5.5)]));
    other.processes = 2;
    let verdict = verdicts(&results(vec![other])).remove(2);
    assert_eq!(
        reason(&verdict),
        "each service ran as 2 and not as 3 processes"
    );
}

#[test]
fn the_most_connections_count_and_not_the_best_level() {
    let mut runs = rounds(
        closed(500),
        &[(100.0, 110.0), (100.0, 111.0), (100.0, 112.0)],
    );
    runs.extend(rounds(
        closed(50),
        &[(100.0, 300.0), (100.0, 301.0), (100.0, 302.0)],
    ));
    let rate = Some(100.0);
    runs.extend(rounds(
        Level {
            rate,
            ..closed(2000)
        },
        &[(100.0, 100.0), (100.0, 100.0)],
    ));
    // One service alone is no pair, as after an interruption.
    runs.push(run("before", 0, closed(1000), 1.0));
    let verdict = verdicts(&results(vec![experiment("ping", runs)])).remove(0);
    assert_eq!(verdict.level, Some(closed(500)));
    assert_eq!(verdict.outcome, Outcome::NotReproduced);
}

#[test]
fn after_is_divided_by_before_whoever_ran_first() {
    let mut runs = rounds(
        closed(50),
        &[(100.0, 219.0), (100.0, 220.0), (100.0, 221.0)],
    );
    runs.reverse();
    let verdict = verdicts(&results(vec![experiment("ping", runs)])).remove(0);
    assert_eq!(verdict.outcome, Outcome::Reproduced);
}
