//! oha itself: that it is as `lab::tools::oha` says.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use lab::results::Level;
use lab::tools::oha::{run, version};
use lab::tools::{Error, Load};
use rustix::process::Signal;
use url::Url;

use crate::bare::Bare;
use crate::stub::{Manner, Stub};
use crate::tool::{Folder, failed, load, never};

/// As `load`, at a rate.
fn at_rate(rate: f64, url: Url, connections: u32, folder: &Folder) -> Load {
    Load {
        level: Level {
            connections,
            rate: Some(rate),
        },
        ..load(url, connections, folder)
    }
}

fn within(value: f64, wanted: f64, share: f64) -> bool {
    (value - wanted).abs() <= wanted * share
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn it_has_the_version_that_is_known() {
    assert_eq!(version().expect("oha is built"), "1.16.0");
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn a_rate_is_kept_and_every_request_is_accounted_for() {
    let (bare, folder) = (Bare::start(&[]), Folder::new("rate"));
    let seen = run(&at_rate(500.0, bare.url("/"), 10, &folder), &never).expect("oha runs");
    assert_eq!(seen.answers, BTreeMap::from([("200".into(), 1_000)]));
    assert_eq!((failed(&seen), seen.cut), (0, 0));
    assert!(within(seen.duration_s, 2.0, 0.1), "{seen:?}");
    assert_eq!(folder.names(), ["raw"], "nothing else stays");
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn bad_answers_are_counted_by_status() {
    let folder = Folder::new("bad");
    let bare = Bare::start(&["--status", "503", "--fail-share", "0.25"]);
    let seen = run(&at_rate(200.0, bare.url("/"), 1, &folder), &never).expect("oha runs");
    let answers = [("200".into(), 300), ("503".into(), 100)];
    assert_eq!(seen.answers, BTreeMap::from(answers));
    assert_eq!(seen.answered, 400);
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn markets_are_drawn_and_none_is_made_up() {
    let (stub, folder) = (Stub::start(Manner::Answer(200)), Folder::new("markets"));
    let load = at_rate(1_000.0, stub.url("/markets/{id}/book"), 10, &folder);
    run(&load, &never).expect("oha runs");
    let come = stub.come();
    let known = |path: &String| {
        let id = path.strip_prefix("/markets/")?.strip_suffix("/book")?;
        id.parse().ok().filter(|id| (1..=1_000).contains(id))
    };
    let ids: Vec<u32> = come.paths.iter().filter_map(known).collect();
    assert_eq!(ids.len(), come.paths.len(), "others than markets");
    // After twice as many draws as there are, 135 of 1,000 are missing.
    assert!(ids.len() > 800, "{} of {}", ids.len(), come.requests);
}

#[test]
#[ignore = "takes half a minute and needs oha: .ci/run --lab"]
fn a_pause_of_the_subject_shows() {
    let (bare, folder) = (Bare::start(&[]), Folder::new("pause"));
    let mut load = at_rate(100.0, bare.url("/"), 10, &folder);
    (load.duration, load.timeout) = (Duration::from_secs(30), Duration::from_secs(10));
    let seen = thread::scope(|scope| {
        scope.spawn(|| {
            let started = Instant::now();
            let pause = [(10, Signal::STOP), (13, Signal::CONT)];
            for (at, signal) in pause {
                let at = Duration::from_secs(at);
                thread::sleep(at.saturating_sub(started.elapsed())); // the case itself
                bare.signal(signal);
            }
        });
        run(&load, &never).expect("oha runs")
    });
    assert_eq!((seen.answered, failed(&seen), seen.cut), (3_000, 0, 0));
    let latency = seen.latency.expect("there are answers");
    assert!(latency.p50 < 100.0, "{latency:?}");
    assert!(within(latency.p95, 1_500.0, 0.2), "{latency:?}");
    assert!(within(latency.p99, 2_700.0, 0.2), "{latency:?}");
    assert!(within(latency.max, 3_000.0, 0.1), "{latency:?}");
}

#[test]
#[ignore = "takes half a minute and needs oha: .ci/run --lab"]
fn what_is_in_flight_at_the_end_may_be_finished() {
    let folder = Folder::new("end");
    let bare = Bare::start(&["--delay-ms", "1000"]);
    let mut load = at_rate(50.0, bare.url("/"), 60, &folder);
    load.duration = Duration::from_secs(30);
    let seen = run(&load, &never).expect("oha runs");
    assert_eq!((seen.answered, failed(&seen), seen.cut), (1_500, 0, 0));
    let latency = seen.latency.expect("there are answers");
    assert!(within(latency.max, 1_000.0, 0.2), "{latency:?}");
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn what_the_end_cuts_off_has_neither_failed_nor_been_answered() {
    let folder = Folder::new("cut");
    // A tenth of what is asked of it: 20 a second, for 2 and 2 and some seconds.
    let bare = Bare::start(&["--delay-ms", "1000", "--slots", "20"]);
    let mut load = at_rate(200.0, bare.url("/"), 20, &folder);
    load.timeout = Duration::from_secs(2);
    let seen = run(&load, &never).expect("oha runs");
    assert_eq!(failed(&seen), 0, "{seen:?}");
    assert_eq!(seen.answered + seen.cut, 400);
    assert!((60..=120).contains(&seen.answered), "{seen:?}");
    // It took longer than it should, and that shows.
    assert!(seen.duration_s > 3.0, "{seen:?}");
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn what_is_not_answered_in_time_has_failed() {
    let (stub, folder) = (Stub::start(Manner::Silence), Folder::new("silence"));
    let mut load = at_rate(5.0, stub.url("/"), 20, &folder);
    load.timeout = Duration::from_millis(500);
    let seen = run(&load, &never).expect("oha runs");
    assert_eq!(seen.failed, BTreeMap::from([("timeout".into(), 10)]));
    assert_eq!((seen.answered, seen.cut, seen.latency), (0, 0, None));
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn a_subject_that_is_not_there_fails_every_request() {
    let folder = Folder::new("nobody");
    // Nothing listens on the port of a listener that is gone.
    let url = Bare::start(&[]).url("/");
    let seen = run(&at_rate(50.0, url, 5, &folder), &never).expect("oha runs");
    assert_eq!((seen.answered, failed(&seen), seen.cut), (0, 100, 0));
    assert_eq!(seen.latency, None);
}

#[test]
#[ignore = "needs oha: .ci/run --lab"]
fn when_the_lab_is_to_stop_it_is_gone_at_once() {
    let (stub, folder) = (Stub::start(Manner::Answer(200)), Folder::new("stop"));
    let mut load = at_rate(100.0, stub.url("/"), 5, &folder);
    load.duration = Duration::from_secs(60);
    let started = Instant::now();
    let stop = || stub.come().connections > 0;
    assert!(matches!(run(&load, &stop), Err(Error::Interrupted)));
    assert!(started.elapsed() < Duration::from_secs(30));
    stub.wait("its connections are closed", |come| come.open == 0);
}
