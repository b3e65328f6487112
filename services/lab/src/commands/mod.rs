//! The commands, one file each.

mod capacity;
mod compare;
mod demo;
mod doctor;
mod rate;
mod report;
mod serve;
mod steps;
mod talk;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::claims;
use crate::cli::{Command, Common};
use crate::cores;
use crate::interrupt::Interrupt;
use crate::responder;
use crate::results::{Experiment, Results};
use crate::session::{Request, Session, Stop};
use crate::subject::{Settings, Source, Subject};
use crate::table;

/// Runs a command, and tells how it ended.
pub fn run(command: Command) -> ExitCode {
    let ended = match command {
        Command::Talk(arguments) => talk::run(&arguments),
        Command::Capacity(arguments) => capacity::run(&arguments),
        Command::Rate(arguments) => rate::run(&arguments),
        Command::Report { run, picture } => report::run(&run, picture.as_deref()),
        Command::Compare {
            old,
            new,
            fail_below,
        } => compare::run(&old, &new, fail_below),
        Command::Doctor(common) => doctor::run(&common),
        Command::Serve { listen, out } => serve::run(listen, &out),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Responder(options) => responder::run(options.into())
            .map_err(|error| Stop::Needs(format!("the responder: {error}")))
            .map(|()| End::Good),
    };
    match ended {
        Ok(End::Good) => ExitCode::SUCCESS,
        Ok(End::Bad) => ExitCode::FAILURE,
        Err(Stop::Interrupted) => {
            eprintln!("lab: interrupted");
            ExitCode::from(130)
        }
        Err(stop) => {
            eprintln!("lab: {stop}");
            ExitCode::FAILURE
        }
    }
}

/// How a command ended that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Good,
    /// A run does not count, something is missing, or a rate fell.
    Bad,
}

/// The pair as the command line wants it, and the reader's own services.
fn subjects(common: &Common) -> Result<Vec<Subject>, Stop> {
    let mut subjects = Vec::new();
    if !common.only_subjects {
        let url = database_url(common)?;
        let programs = programs(common)?;
        let threads = cores::plan(&cores::allowed()).subjects.len().max(1);
        for (name, workers) in [
            // What a thread is for in the one, and in the other: see `--help` of both.
            (
                "before",
                env::var("BEFORE_WORKERS").unwrap_or("200".to_owned()),
            ),
            (
                "after",
                env::var("AFTER_WORKERS").unwrap_or(threads.to_string()),
            ),
        ] {
            let mut settings = Settings::common(url).set("WORKERS", workers);
            if name == "after" {
                // One core's worth of threads for each of several processes.
                settings = settings.set_for_worker("WORKERS", 1);
            }
            subjects.push(Subject {
                name: name.to_owned(),
                source: Source::Started(programs.join(name), settings),
            });
        }
    }
    subjects.extend(common.subjects.iter().cloned());
    let mut names: Vec<_> = subjects.iter().map(|subject| &subject.name).collect();
    names.sort();
    names.dedup();
    if names.len() < subjects.len() {
        return Err(Stop::Needs("two subjects have the same name".to_owned()));
    }
    Ok(subjects)
}

fn database_url(common: &Common) -> Result<&str, Stop> {
    common.database_url.as_deref().ok_or_else(|| {
        Stop::Needs(
            "the pair needs a database: set DATABASE_URL (postgres://user@host/database, with \
             the schema and the seed data of `migrate --seed`), or run scripts/load-test, which \
             starts one; without the pair: --only-subjects --subject NAME=URL"
                .to_owned(),
        )
    })
}

/// Where the programs of the pair are: beside the lab's own, if nobody says.
fn programs(common: &Common) -> Result<PathBuf, Stop> {
    if let Some(programs) = &common.programs {
        return Ok(programs.clone());
    }
    let own = env::current_exe()
        .map_err(|error| Stop::Needs(format!("where this program is: {error}")))?;
    Ok(own.parent().map(PathBuf::from).unwrap_or_default())
}

fn request(command: &'static str, preset: String, common: &Common) -> Request {
    Request {
        command,
        preset,
        out: common.out.clone(),
        database_url: common
            .database_url
            .clone()
            .filter(|_| !common.only_subjects),
        owns_database: common.owns_database,
    }
}

/// All tables of a run.
fn tables(results: &Results) -> String {
    let mut text = String::new();
    for experiment in &results.experiments {
        text.push('\n');
        text.push_str(&table::experiment(experiment));
    }
    let verdicts = claims::verdicts(results);
    // Only beside what somebody asked for.
    if verdicts.iter().any(|verdict| verdict.level.is_some()) {
        text.push('\n');
        text.push_str(&table::claims(&verdicts));
    }
    text
}

/// How many runs of an experiment do not count. A search goes beyond what its
/// subjects can bear, and such a step is no fault, unless there is no other.
fn does_not_count(experiment: &Experiment) -> usize {
    if experiment.findings.is_empty() {
        let runs = experiment.runs.iter();
        return runs.filter(|run| !run.is_valid()).count();
    }
    let found_none = experiment
        .findings
        .iter()
        .filter(|finding| finding.highest.is_none());
    found_none.count()
}

/// Opens a session, works in it, and closes it, whatever the work came to: the
/// tables go to standard output, and the report's file is named last.
fn in_session(
    request: &Request,
    subjects: Vec<Subject>,
    interrupt: Interrupt,
    work: impl FnOnce(&mut Session) -> Result<(), Stop>,
) -> Result<End, Stop> {
    let mut session = Session::open(request, subjects, interrupt)?;
    let worked = work(&mut session);
    let report = session.close(worked.as_ref().err())?;
    print!("{}", tables(&session.results));
    println!("\nReport: {}", report.display());
    worked?;
    if session.results.experiments.is_empty() {
        let why = "nothing was measured: see above what was left out, and why";
        return Err(Stop::Needs(why.to_owned()));
    }
    let experiments = session.results.experiments.iter();
    let invalid: usize = experiments.map(does_not_count).sum();
    if invalid > 0 {
        session
            .progress
            .warn(&format!("{invalid} runs do not count: see above why."));
        return Ok(End::Bad);
    }
    Ok(End::Good)
}
