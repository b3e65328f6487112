//! The commands, as a user calls them, on servers whose behaviour is known.

use std::process::{Child, Command, Output, Stdio};
use std::{fs, thread};

use lab::results::{self, Results};
use rustix::process::{Pid, Signal, kill_process};

use crate::bare::Bare;
use crate::tool::Folder;

/// The lab in a folder of its own, with a lock of its own.
fn lab(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command
        .args(arguments)
        .arg("--out")
        .arg(folder.path().join("runs"))
        // The lock of the machine is in the folder for temporary files.
        .env("TMPDIR", folder.path())
        .env_remove("DATABASE_URL")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn subject(bare: &Bare) -> String {
    format!("stub={}", bare.url(""))
}

/// Only ping, on the stub.
fn ping<'a>(subject: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let base = [
        "talk",
        "--only-subjects",
        "--only",
        "ping",
        "--subject",
        subject,
    ];
    [&base, more].concat()
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the lab runs")
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .concat()
}

/// The results of the only run in a folder, which has a report, too.
fn results_in(folder: &Folder) -> Results {
    let runs: Vec<_> = fs::read_dir(folder.path().join("runs"))
        .expect("there was a run")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(runs.len(), 1);
    let report = fs::read_to_string(runs[0].join("report.html")).expect("it has a report");
    assert!(report.contains("</html>"));
    results::load(&runs[0]).expect("they can be read")
}

/// A lab that runs for long on a server that answers at once, and whose round has
/// just ended.
fn begun(
    folder: &Folder,
    bare: &Bare,
    runs: &str,
    round: u32,
) -> (Child, thread::JoinHandle<String>) {
    let subject = subject(bare);
    let more = ["--connections", "10", "--runs", runs, "--duration", "1"];
    let mut command = lab(folder, &ping(&subject, &more));
    let mut child = command.spawn().expect("the lab runs");
    let told = wait_for_round(&mut child, round);
    (child, told)
}

/// Waits until the lab has told that a run of the round is done.
fn wait_for_round(child: &mut Child, round: u32) -> thread::JoinHandle<String> {
    use std::io::{BufRead as _, BufReader, Read as _};
    let mut told = BufReader::new(child.stderr.take().expect("it is piped"));
    let wanted = format!("round {round} of");
    let mut line = String::new();
    while !line.contains(&wanted) {
        line.clear();
        let read = told.read_line(&mut line).expect("it is text");
        assert!(read > 0, "the lab ended before round {round}");
    }
    // Somebody has to go on reading, or the lab could not go on telling.
    thread::spawn(move || {
        let mut rest = String::new();
        let _ = told.read_to_string(&mut rest);
        rest
    })
}

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("it is one"), signal).expect("it lives");
}

/// Four slots of 20 ms: with n connections, an answer takes n times 5 ms.
#[test]
fn the_capacity_of_a_server_with_a_known_knee_is_found() {
    let folder = Folder::new("capacity");
    let bare = Bare::start(&["--slots", "4", "--delay-ms", "20"]);
    let subject = subject(&bare);
    let output = run(&mut lab(
        &folder,
        &[
            "capacity",
            "--only-subjects",
            "--subject",
            &subject,
            "--path",
            "/",
            "--limit",
            "82",
            "--percentile",
            "90",
            "--duration",
            "1",
            "--most",
            "200",
        ],
    ));
    let text = said(&output);
    let results = results_in(&folder);
    let experiment = &results.experiments[0];
    let finding = &experiment.findings[0];
    let highest = finding.highest.expect("one held").connections;
    assert!(
        (15..=17).contains(&highest),
        "{highest} connections: {text}"
    );
    assert!(!finding.bounded);
    assert!(
        (5..=12).contains(&experiment.runs.len()),
        "{}",
        experiment.runs.len()
    );
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
fn a_run_with_errors_does_not_count() {
    let folder = Folder::new("errors");
    let bare = Bare::start(&["--status", "503", "--fail-share", "0.02"]);
    let subject = subject(&bare);
    let more = ["--connections", "10", "--runs", "2", "--duration", "1"];
    let output = run(&mut lab(&folder, &ping(&subject, &more)));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let results = results_in(&folder);
    let runs = &results.experiments[0].runs;
    assert_eq!(runs.len(), 2);
    assert!(
        runs.iter()
            .all(|run| !run.is_valid() && run.answered > 1000)
    );
    assert!(text.contains("0/2"), "{text}");
}

#[test]
fn a_server_that_only_fails_is_not_measured_at_all() {
    let folder = Folder::new("broken");
    let bare = Bare::start(&["--status", "500"]);
    let subject = subject(&bare);
    let output = run(&mut lab(&folder, &ping(&subject, &["--quick"])));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("only a 2xx can be measured"), "{text}");
    assert!(results_in(&folder).experiments.is_empty());
}

#[test]
fn the_runs_of_a_subject_that_was_killed_are_marked() {
    let folder = Folder::new("killed");
    let bare = Bare::start(&[]);
    let (child, told) = begun(&folder, &bare, "4", 2);
    bare.signal(Signal::KILL);
    let output = child.wait_with_output().expect("it ends");
    let text = said(&output) + &told.join().expect("it was read");
    assert_eq!(output.status.code(), Some(1), "{text}");
    let results = results_in(&folder);
    let runs = &results.experiments[0].runs;
    let valid: Vec<_> = runs.iter().map(results::Run::is_valid).collect();
    assert_eq!(valid[..2], [true, true]);
    assert!(valid.len() == 4 && !valid[3], "{valid:?}: {text}");
    assert!(runs[3].invalid.iter().any(|reason| !reason.is_empty()));
    assert!(text.contains("2/4") || text.contains("3/4"), "{text}");
}

#[test]
fn ctrl_c_leaves_a_marked_result_and_no_process() {
    let folder = Folder::new("interrupted");
    let bare = Bare::start(&[]);
    let (child, told) = begun(&folder, &bare, "50", 1);
    signal(child.id(), Signal::INT);
    let output = child.wait_with_output().expect("it ends");
    let text = said(&output) + &told.join().expect("it was read");
    assert_eq!(output.status.code(), Some(130), "{text}");
    let results = results_in(&folder);
    assert_eq!(results.partial.as_deref(), Some("It was interrupted."));
    assert!(
        results.experiments[0]
            .runs
            .iter()
            .all(results::Run::is_valid)
    );
    assert!(!results.experiments[0].runs.is_empty());
    // Whatever it has started was told about this folder.
    let mine = folder.path().to_string_lossy().into_owned();
    let left: Vec<_> = fs::read_dir("/proc")
        .expect("it is there")
        .flatten()
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&mine))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_second_lab_is_refused() {
    let folder = Folder::new("second");
    let bare = Bare::start(&[]);
    let (mut child, told) = begun(&folder, &bare, "50", 1);
    let subject = subject(&bare);
    let second = run(&mut lab(&folder, &ping(&subject, &["--quick"])));
    signal(child.id(), Signal::INT);
    child.wait().expect("it ends");
    told.join().expect("it was read");
    assert_eq!(second.status.code(), Some(1));
    let text = said(&second);
    assert!(text.contains(&format!("kill {}", child.id())), "{text}");
    results_in(&folder);
}

#[test]
fn two_runs_can_be_compared() {
    let folder = Folder::new("compared");
    let bare = Bare::start(&[]);
    let subject = subject(&bare);
    let more = ["--connections", "10", "--runs", "3", "--duration", "1"];
    assert!(
        run(&mut lab(&folder, &ping(&subject, &more)))
            .status
            .success()
    );
    // Real results, but with rates that no noise of this machine is in.
    let save = |name: &str, rate: f64| {
        let mut results = results_in(&folder);
        for run in &mut results.experiments[0].runs {
            run.rate = rate + f64::from(run.round);
        }
        let folder = Folder::new(name);
        results::save(&results, folder.path()).expect("it can be written");
        folder
    };
    let (quick, slow) = (save("compared-quick", 1000.0), save("compared-slow", 250.0));
    let compare = |old: &std::path::Path, new: &std::path::Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        run(command.arg("compare").arg(old).arg(new))
    };
    let worse = compare(quick.path(), slow.path());
    assert_eq!(worse.status.code(), Some(1), "{}", said(&worse));
    let better = compare(slow.path(), quick.path());
    assert_eq!(better.status.code(), Some(0), "{}", said(&better));
}

#[test]
fn without_a_database_the_next_step_is_told() {
    let folder = Folder::new("no-database");
    let output = run(&mut lab(&folder, &["talk", "--quick"]));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("DATABASE_URL") && text.contains("scripts/load-test"),
        "{text}"
    );
}

#[test]
fn the_doctor_names_what_is_missing() {
    let folder = Folder::new("doctor");
    let output = run(lab(&folder, &["doctor"]).env("PATH", folder.path()));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1));
    for name in ["wrk", "taskset", "database"] {
        assert!(text.contains(&format!("missing  {name}")), "{text}");
    }
}
