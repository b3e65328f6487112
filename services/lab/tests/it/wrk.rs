//! wrk itself: that it is as `lab::tools::wrk` says. They need it installed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lab::tools::wrk::{run, version};
use lab::tools::{Error, Load};

use crate::bare::Bare;
use crate::stub::{Manner, Stub};
use crate::tool::{Folder, failed, load, never};

/// As long as wrk can be short.
fn short(load: Load) -> Load {
    Load {
        duration: Duration::from_secs(1),
        timeout: Duration::from_secs(1),
        ..load
    }
}

#[test]
fn it_has_a_version() {
    let version = version().expect("wrk is installed");
    assert!(version.contains("4."), "{version}");
}

#[test]
fn all_good_answers_are_seen() {
    let (bare, folder) = (Bare::start(&[]), Folder::new("good"));
    let seen = run(&load(bare.url("/ping"), 7, &folder), &never).expect("wrk runs");
    assert_eq!(seen.connections, 7);
    assert!((2.0..4.0).contains(&seen.duration_s), "{seen:?}");
    assert!(seen.answered > 0);
    assert_eq!(
        seen.answers,
        BTreeMap::from([("2xx".into(), seen.answered)])
    );
    assert_eq!((failed(&seen), seen.cut), (0, 0));
    let latency = seen.latency.expect("there are answers");
    let ascending = [
        latency.p50,
        latency.p90,
        latency.p95,
        latency.p99,
        latency.p999,
        latency.max,
    ];
    assert!(ascending.is_sorted() && latency.p50 > 0.0, "{latency:?}");
    assert_eq!(folder.names(), ["raw"], "nothing else stays");
}

#[test]
fn its_requests_are_all_answers_and_bad_ones_are_among_them() {
    let (stub, folder) = (Stub::start(Manner::Answer(500)), Folder::new("bad"));
    let seen = run(&short(load(stub.url("/"), 2, &folder)), &never).expect("wrk runs");
    let came = stub.come().requests;
    // At its end each connection may wait for an answer.
    assert!(
        (came - 2..=came).contains(&seen.answered),
        "{came}, {seen:?}"
    );
    assert_eq!(
        seen.answers,
        BTreeMap::from([("other".into(), seen.answered)])
    );
}

#[test]
fn good_and_bad_answers_are_told_apart() {
    let folder = Folder::new("share");
    let bare = Bare::start(&["--status", "503", "--fail-share", "0.25"]);
    let seen = run(&load(bare.url("/"), 1, &folder), &never).expect("wrk runs");
    let (good, bad) = (seen.answers["2xx"], seen.answers["other"]);
    assert_eq!(good + bad, seen.answered);
    assert!(good.abs_diff(3 * bad) <= 3, "{good} good, {bad} bad");
}

#[test]
fn a_known_capacity_is_found() {
    let (bare, folder) = (
        Bare::start(&["--slots", "4", "--delay-ms", "20"]),
        Folder::new("slots"),
    );
    for connections in [4, 16] {
        let seen = run(&load(bare.url("/"), connections, &folder), &never).expect("wrk runs");
        // 5 ms for each connection; not much more even on a busy machine.
        let wanted = f64::from(connections) * 5.0;
        let median = seen.latency.expect("there are answers").p50;
        assert!(
            (wanted * 0.95..wanted * 1.5).contains(&median),
            "{connections}: {seen:?}"
        );
    }
}

#[test]
fn a_redirect_stands_among_the_good_ones() {
    let (stub, folder) = (Stub::start(Manner::Answer(302)), Folder::new("redirect"));
    let seen = run(&short(load(stub.url("/"), 1, &folder)), &never).expect("wrk runs");
    assert_eq!(
        seen.answers,
        BTreeMap::from([("2xx".into(), seen.answered)])
    );
}

#[test]
fn as_many_connections_are_opened_as_it_says() {
    // Of 50 over 8 threads wrk would drop 2.
    for (connections, cores) in [(50, 8), (4, 8), (7, 2), (1, 1)] {
        let (stub, folder) = (Stub::start(Manner::Answer(200)), Folder::new("number"));
        let mut load = short(load(stub.url("/"), connections, &folder));
        // Only their number counts: the first is always there.
        load.cores = vec![0; cores];
        let seen = run(&load, &never).expect("wrk runs");
        assert_eq!(seen.connections, connections);
        let came = stub.come().connections;
        assert_eq!(u32::try_from(came), Ok(connections), "over {cores} cores");
    }
}

#[test]
fn markets_are_drawn_evenly_and_none_is_made_up() {
    let (stub, folder) = (Stub::start(Manner::Answer(200)), Folder::new("markets"));
    let load = load(stub.url("/markets/{id}/book"), 4, &folder);
    run(&load, &never).expect("wrk runs");
    let come = stub.come();
    let known = |path: &String| {
        let id = path.strip_prefix("/markets/")?.strip_suffix("/book")?;
        id.parse().ok().filter(|id| (1..=1_000).contains(id))
    };
    let ids: Vec<u32> = come.paths.iter().filter_map(known).collect();
    assert_eq!(ids.len(), come.paths.len(), "others than markets");
    // After five times as many draws as there are, 7 of 1,000 are missing.
    let enough = come.requests > 5_000;
    assert!(
        enough && ids.len() > 950,
        "{} of {}",
        ids.len(),
        come.requests
    );
}

#[test]
fn an_answer_after_the_time_limit_has_failed() {
    let late = Manner::Late(Duration::from_millis(1_200));
    let (stub, folder) = (Stub::start(late), Folder::new("late"));
    let mut load = load(stub.url("/"), 2, &folder);
    (load.duration, load.timeout) = (Duration::from_secs(3), Duration::from_secs(1));
    let seen = run(&load, &never).expect("wrk runs");
    // Two come in time, on two connections.
    assert_eq!(seen.failed, BTreeMap::from([("timeout".into(), 4)]));
    assert_eq!((seen.answered, seen.latency), (0, None));
}

#[test]
fn what_is_never_answered_is_not_seen() {
    let (stub, folder) = (Stub::start(Manner::Silence), Folder::new("silence"));
    let seen = run(&short(load(stub.url("/"), 3, &folder)), &never).expect("wrk runs");
    assert_eq!((seen.answered, failed(&seen), seen.latency), (0, 0, None));
    assert_eq!(stub.come().requests, 3);
}

#[test]
fn a_subject_that_hangs_up_has_failed() {
    let (stub, folder) = (Stub::start(Manner::Close), Folder::new("close"));
    let seen = run(&short(load(stub.url("/"), 1, &folder)), &never).expect("wrk runs");
    assert_eq!(seen.answered, 0);
    assert!(seen.failed["read"] > 0, "{seen:?}");
}

#[test]
fn a_subject_that_is_not_there_is_an_error() {
    let folder = Folder::new("nobody");
    // Nothing listens on the port of a listener that is gone.
    let url = Bare::start(&[]).url("/");
    match run(&short(load(url, 1, &folder)), &never) {
        Err(Error::Failed { said, .. }) => assert!(said.contains("refused"), "{said}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn when_the_lab_is_to_stop_it_is_gone_at_once() {
    let (stub, folder) = (Stub::start(Manner::Answer(200)), Folder::new("stop"));
    let mut load = load(stub.url("/"), 5, &folder);
    load.duration = Duration::from_secs(60);
    let started = Instant::now();
    let stop = || stub.come().connections == 5;
    assert!(matches!(run(&load, &stop), Err(Error::Interrupted)));
    assert!(started.elapsed() < Duration::from_secs(30));
    stub.wait("its connections are closed", |come| come.open == 0);
}
