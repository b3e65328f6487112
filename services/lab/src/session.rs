//! One call of the lab: its machine, its subjects, its folder, its results.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use time::OffsetDateTime;
use time::macros::format_description;

use crate::cores;
use crate::database::Database;
use crate::host;
use crate::interrupt::Interrupt;
use crate::lock::{self, Lock};
use crate::progress::Progress;
use crate::report;
use crate::results::{self, Results};
use crate::subject::{self, Subject};
use crate::tools;

/// Why the lab stops before its time.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// Somebody wants it to.
    #[error("interrupted")]
    Interrupted,
    /// A subject cannot be measured.
    #[error(transparent)]
    Subject(subject::Error),
    /// A tool cannot be used.
    #[error(transparent)]
    Tool(tools::Error),
    /// Another lab measures.
    #[error(transparent)]
    Lock(#[from] lock::Error),
    /// The results cannot be written.
    #[error("cannot write to {folder}: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Something that the user can put right.
    #[error("{0}")]
    Needs(String),
}

impl From<subject::Error> for Stop {
    fn from(error: subject::Error) -> Self {
        match error {
            subject::Error::Interrupted => Self::Interrupted,
            error => Self::Subject(error),
        }
    }
}

impl From<tools::Error> for Stop {
    fn from(error: tools::Error) -> Self {
        match error {
            tools::Error::Interrupted => Self::Interrupted,
            error => Self::Tool(error),
        }
    }
}

/// What somebody asked for on the command line, for all commands alike.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The command's name.
    pub command: &'static str,
    /// The preset's name.
    pub preset: String,
    /// The folder of all runs.
    pub out: PathBuf,
    /// Where the database is; nothing if no subject of the lab's needs one.
    pub database_url: Option<String>,
    /// Whether the database is there for the lab alone, and may be put on
    /// processors of its own.
    pub owns_database: bool,
}

/// A call of the lab under way.
#[derive(Debug)]
pub struct Session {
    /// Tells what happens.
    pub progress: Progress,
    /// Ends it.
    pub interrupt: Interrupt,
    /// The subjects.
    pub subjects: Vec<Subject>,
    /// Their database.
    pub database: Database,
    /// Where everything goes.
    pub folder: PathBuf,
    /// What was seen so far.
    pub results: Results,
    _lock: Lock,
}

impl Session {
    /// Looks at everything that a run stands on.
    ///
    /// # Errors
    /// If another lab measures, or something is missing.
    pub fn open(
        request: &Request,
        subjects: Vec<Subject>,
        interrupt: Interrupt,
    ) -> Result<Self, Stop> {
        let lock = Lock::take()?;
        let progress = Progress::default();
        progress.heading("The machine");
        let mut host = host::look();
        let mut warnings = host::fairness(&host);
        let mut cores = cores::plan(&cores::allowed());
        if cores.subjects.is_empty() {
            warnings.push("Nothing is pinned to processors: there is but one.".to_owned());
        }
        for subject in subjects.iter().filter(|subject| subject.is_given()) {
            warnings.push(format!(
                "{} runs wherever it was put: on the processors of the load and of the database, \
                 too, if nobody keeps it from them.",
                subject.name
            ));
        }
        if subjects.iter().all(Subject::is_given) {
            // They run wherever they were put, and the bare responder as they do.
            cores.subjects = Vec::new();
        }
        let database = match &request.database_url {
            Some(url) => {
                let password = std::env::var("PGPASSWORD").ok();
                Database::look(url, password.as_deref()).map_err(Stop::Needs)?
            }
            None => Database::default(),
        };
        host.postgres.clone_from(&database.version);
        if request.owns_database {
            database.pin(&cores.database);
        }
        let folder = new_folder(&request.out, request.command)?;
        let results = Results {
            version: results::VERSION,
            command: request.command.to_owned(),
            preset: request.preset.clone(),
            started: now(),
            finished: None,
            partial: Some("It has not ended yet, or was killed.".to_owned()),
            lab: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit(),
            tools: BTreeMap::new(),
            host,
            warnings,
            cores,
            subjects: subjects.iter().map(Subject::facts).collect(),
            experiments: Vec::new(),
        };
        let session = Self {
            progress,
            interrupt,
            subjects,
            database,
            folder,
            results,
            _lock: lock,
        };
        session.tell_machine();
        session.save()?;
        Ok(session)
    }

    /// Notes the version of a tool.
    ///
    /// # Errors
    /// If it is not there.
    pub fn uses(
        &mut self,
        tool: &str,
        version: impl FnOnce() -> Result<String, tools::Error>,
    ) -> Result<(), Stop> {
        let version = version()?;
        self.progress.note(&format!("{tool} {version}"));
        self.results.tools.insert(tool.to_owned(), version);
        Ok(())
    }

    fn tell_machine(&self) {
        let host = &self.results.host;
        let cores = &self.results.cores;
        self.progress.note(&format!(
            "{}, {} processors, {:.1} GiB; {}; {:.1} processors in use",
            host.processor,
            host.processors,
            crate::usage::as_f64(host.memory_bytes) / f64::from(1 << 30),
            host.system,
            host.load
        ));
        if !cores.load.is_empty() {
            let subjects = if cores.subjects.is_empty() {
                "wherever they run".to_owned()
            } else {
                format!("on processor {}", cores::list(&cores.subjects))
            };
            self.progress.note(&format!(
                "subjects {subjects}, load on {}, database on {}",
                cores::list(&cores.load),
                cores::list(&cores.database)
            ));
        }
        for warning in &self.results.warnings {
            self.progress.warn(warning);
        }
        self.tell_settings();
    }

    /// What the subjects that the lab starts have in common, and what not.
    fn tell_settings(&self) {
        let started: Vec<_> = self
            .results
            .subjects
            .iter()
            .filter(|subject| subject.address.is_none())
            .collect();
        let Some((first, others)) = started.split_first() else {
            return;
        };
        let is_common = |name: &String, value: &String| {
            others
                .iter()
                .all(|other| other.settings.get(name) == Some(value))
        };
        let (common, differing): (Vec<_>, Vec<_>) = first
            .settings
            .iter()
            .partition(|(name, value)| is_common(name, value));
        let common: Vec<_> = common
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        self.progress
            .note(&format!("all alike: {}", common.join(" ")));
        for (name, _) in differing {
            let values: Vec<_> = started
                .iter()
                .map(|subject| {
                    let value = subject.settings.get(name).map_or("(unset)", String::as_str);
                    format!("{} {value}", subject.name)
                })
                .collect();
            self.progress
                .note(&format!("different: {name}: {}", values.join(", ")));
        }
    }

    /// Tells of something that makes the results less fair, and keeps it with them.
    pub fn warn(&mut self, warning: String) {
        self.progress.warn(&warning);
        self.results.warnings.push(warning);
    }

    /// Writes what was seen so far: whatever happens next, it is there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self) -> Result<(), Stop> {
        results::save(&self.results, &self.folder).map_err(|source| self.unwritable(source))
    }

    /// Ends it, for a reason if it is before its time, and writes the report.
    /// Returns the report's file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn close(&mut self, why: Option<&Stop>) -> Result<PathBuf, Stop> {
        self.results.finished = Some(now());
        self.results.partial = why.map(|stop| match stop {
            Stop::Interrupted => "It was interrupted.".to_owned(),
            other => other.to_string(),
        });
        self.save()?;
        report::write(&self.results, &self.folder).map_err(|source| self.unwritable(source))
    }

    fn unwritable(&self, source: io::Error) -> Stop {
        Stop::Folder {
            folder: self.folder.clone(),
            source,
        }
    }
}

fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc().truncate_to_second()
}

/// A folder that was not there: `talk-2026-11-30-224012`, with `-2` if need be.
fn new_folder(out: &Path, command: &str) -> Result<PathBuf, Stop> {
    let format = format_description!("[year]-[month]-[day]-[hour][minute][second]");
    let when = now().format(format).unwrap_or_default();
    let failed = |folder: &Path, source| Stop::Folder {
        folder: folder.to_owned(),
        source,
    };
    fs::create_dir_all(out).map_err(|source| failed(out, source))?;
    for number in 1_u32.. {
        let name = match number {
            1 => format!("{command}-{when}"),
            number => format!("{command}-{when}-{number}"),
        };
        let folder = out.join(name);
        match fs::create_dir(&folder) {
            Ok(()) => {
                let raw = folder.join("raw");
                return fs::create_dir(&raw)
                    .map(|()| folder)
                    .map_err(|source| failed(&raw, source));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(failed(&folder, source)),
        }
    }
    unreachable!("there are more numbers than folders")
}

/// The commit of the sources that the current folder is in.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let is_clean = git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if is_clean {
        commit
    } else {
        format!("{commit}+")
    })
}
