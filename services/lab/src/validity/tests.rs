use super::*;

fn map(entries: &[(&str, u64)]) -> BTreeMap<String, u64> {
    let own = |(key, number): &(&str, u64)| ((*key).to_owned(), *number);
    entries.iter().map(own).collect()
}

fn seen(answers: &[(&str, u64)], failed: &[(&str, u64)]) -> Seen {
    let answers = map(answers);
    Seen {
        connections: 50,
        duration_s: 10.0,
        answered: answers.values().sum(),
        answers,
        failed: map(failed),
        cut: 0,
        latency: None,
    }
}

fn evidence(seen: &Seen) -> Evidence<'_> {
    Evidence {
        seen,
        duration: Duration::from_secs(10),
        rate: None,
        alive: true,
        connections_served: Some(50),
        served: Some(seen.answered),
    }
}

#[test]
fn a_clean_run_counts() {
    let seen = seen(&[("200", 9_000), ("204", 1_000)], &[]);
    assert_eq!(judge(&evidence(&seen)), [""; 0]);
    assert_eq!(good(&seen.answers), 10_000);
}

#[test]
fn only_2xx_is_good() {
    let answers = map(&[("200", 1), ("2xx", 2), ("302", 4), ("other", 8), ("2", 16)]);
    assert_eq!(good(&answers), 3);
}

#[test]
fn one_in_a_thousand_may_go_wrong_and_no_more() {
    let allowed = seen(&[("200", 9_990), ("503", 4)], &[("read", 6)]);
    assert_eq!(judge(&evidence(&allowed)), [""; 0]);
    let wrong = seen(&[("200", 9_989), ("503", 4)], &[("read", 7)]);
    assert_eq!(
        judge(&evidence(&wrong)),
        [
            "11 of 10,000 requests failed or were not answered with 2xx, 0.11 % where 0.1 % is \
          allowed (read: 7, 503: 4)"
        ]
    );
}

#[test]
fn fast_errors_are_no_speed() {
    let seen = seen(&[("500", 200_000)], &[]);
    let reasons = judge(&evidence(&seen));
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].contains("100 %") && reasons[0].contains("500: 200,000"));
}

#[test]
fn an_answer_without_a_known_status_is_not_good() {
    let mut seen = seen(&[("200", 9_000)], &[]);
    seen.answered = 10_000;
    assert!(judge(&evidence(&seen))[0].contains("1,000 of 10,000"));
}

#[test]
fn a_dead_subject_is_named_and_so_is_its_silence() {
    let seen = seen(&[], &[("connect", 50)]);
    let mut evidence = evidence(&seen);
    evidence.alive = false;
    evidence.connections_served = None;
    assert_eq!(
        judge(&evidence),
        [
            "the subject died during the run",
            "there were no answers at all (connect: 50)"
        ]
    );
}

#[test]
fn one_late_answer_hides_the_slowest_latencies() {
    let seen = seen(&[("200", 1_000_000)], &[("timeout", 1)]);
    let reasons = judge(&evidence(&seen));
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].starts_with("time-outs of the load tool: 1; "));
}

#[test]
fn a_run_that_ended_early_does_not_count() {
    let mut seen = seen(&[("200", 1_000)], &[]);
    seen.duration_s = 9.81;
    assert_eq!(judge(&evidence(&seen)), [""; 0]);
    seen.duration_s = 4.0;
    assert_eq!(
        judge(&evidence(&seen)),
        ["the run took 4.0 s where 10.0 s were meant"]
    );
}

#[test]
fn a_rate_counts_if_reached_within_two_percent() {
    let mut seen = seen(&[("200", 960)], &[]);
    seen.cut = 20;
    let mut at_rate = evidence(&seen);
    at_rate.rate = Some(100.0);
    assert_eq!(judge(&at_rate), [""; 0]);
    seen.cut = 19;
    let mut at_rate = evidence(&seen);
    at_rate.rate = Some(100.0);
    let reasons = judge(&at_rate);
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].contains("979 requests of 1,000"), "{reasons:?}");
    // Of twenty requests, one is more than 2 %.
    seen.answered = 19;
    seen.answers = map(&[("200", 19)]);
    seen.cut = 0;
    let mut at_rate = evidence(&seen);
    at_rate.rate = Some(2.0);
    assert_eq!(judge(&at_rate), [""; 0]);
}

#[test]
fn answers_that_the_tool_does_not_know_of_are_lost() {
    let mut seen = seen(&[("200", 10_000)], &[]);
    seen.cut = 50;
    let mut counted = evidence(&seen);
    // 50 cut, one for each of 50 connections, and 0.1 % of 10,110.
    counted.served = Some(10_110);
    assert_eq!(judge(&counted), [""; 0]);
    counted.served = Some(10_111);
    assert_eq!(
        judge(&counted),
        ["the load tool lost answers: the subject gave 10,111, the tool knows of 10,050"]
    );
    // Those that failed for the tool may have been answers for the subject.
    let mut seen = seen.clone();
    seen.failed = map(&[("read", 1)]);
    let mut counted = evidence(&seen);
    counted.served = Some(10_111);
    assert_eq!(judge(&counted), [""; 0]);
    counted.served = None;
    assert_eq!(judge(&counted), [""; 0]);
}

#[test]
fn connections_without_an_answer_are_told_in_a_closed_loop() {
    let seen = seen(&[("200", 1_000)], &[]);
    let mut hungry = evidence(&seen);
    hungry.connections_served = Some(48);
    assert_eq!(judge(&hungry), ["2 of 50 connections never got an answer"]);
    hungry.rate = Some(100.0);
    assert_eq!(judge(&hungry), [""; 0]);
}
