//! Running a tool: found, pinned, attended, and never left behind.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::Error;

/// How often a tool is looked at. Its own clock says how long it took.
const LOOK: Duration = Duration::from_millis(10);

/// How much of what a tool said goes into an error.
const SAID: usize = 2_000;

/// When a tool has to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// When it is asked to end (SIGINT), after which it may still report.
    pub(super) ask: Option<Duration>,
    /// When it is killed.
    pub(super) kill: Duration,
}

/// What a tool said before it ended.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Said {
    /// What it printed, if it ended well.
    pub(super) fn good(self, tool: &'static str) -> Result<String, Error> {
        if self.status.success() {
            return Ok(self.stdout);
        }
        let words = [self.stderr.trim(), self.stdout.trim()];
        let words = words.into_iter().find(|words| !words.is_empty());
        Err(Error::Failed {
            tool,
            said: match words {
                Some(words) => shortened(words),
                None => self.status.to_string(),
            },
        })
    }
}

/// The beginning of what a tool said.
pub(super) fn shortened(words: &str) -> String {
    words.chars().take(SAID).collect()
}

/// The program of this name on the PATH.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

/// Whether it is a file that may be executed.
pub(super) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// How many processors a tool may use that is pinned to these.
pub(super) fn processors(cores: &[usize]) -> usize {
    match cores.len() {
        0 => thread::available_parallelism().map_or(1, usize::from),
        some => some,
    }
}

/// A file beside the raw output that goes when the run is over.
pub(super) struct Beside(PathBuf);

impl Beside {
    pub(super) fn new(raw: &Path, ending: &str, content: &str) -> io::Result<Self> {
        let path = beside(raw, ending);
        fs::write(&path, content)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // A file that is gone already is what was wanted.
        let _ = fs::remove_file(&self.0);
    }
}

fn beside(raw: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(raw);
    path.push(ending);
    path.into()
}

/// Runs a command to its end, its output in `raw`, what it complains about
/// beside it, in `raw.stderr`, if it does.
///
/// It is in a process group of its own: Ctrl-C in a terminal goes to the lab
/// alone. wrk would take it as its end and report figures as if all were well.
pub(super) fn attend(
    tool: &'static str,
    mut command: Command,
    raw: &Path,
    limits: Limits,
    stop: &dyn Fn() -> bool,
) -> Result<Said, Error> {
    let run = |source| Error::Run { tool, source };
    crate::handles::raise();
    let complaints = beside(raw, ".stderr");
    command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(File::create(raw).map_err(run)?)
        .stderr(File::create(&complaints).map_err(run)?);
    let status = wait(
        tool,
        &mut Attended(command.spawn().map_err(run)?),
        limits,
        stop,
    );
    let stderr = text(&complaints).map_err(run)?;
    if stderr.is_empty() {
        fs::remove_file(&complaints).map_err(run)?;
    }
    Ok(Said {
        status: status?,
        stdout: text(raw).map_err(run)?,
        stderr,
    })
}

fn text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

/// A child that is killed, and waited for, with this value.
struct Attended(Child);

impl Drop for Attended {
    fn drop(&mut self) {
        // Neither can fail for a child that was waited for: it is not asked then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait(
    tool: &'static str,
    Attended(child): &mut Attended,
    limits: Limits,
    stop: &dyn Fn() -> bool,
) -> Result<ExitStatus, Error> {
    let started = Instant::now();
    let mut asked = false;
    loop {
        if stop() {
            return Err(Error::Interrupted);
        }
        let status = child.try_wait();
        if let Some(status) = status.map_err(|source| Error::Run { tool, source })? {
            return Ok(status);
        }
        let ran = started.elapsed();
        if ran > limits.kill {
            return Err(Error::Failed {
                tool,
                said: format!("it did not end within {} s", limits.kill.as_secs()),
            });
        }
        if !asked && limits.ask.is_some_and(|ask| ran > ask) {
            asked = true;
            // Can only fail if it has just ended.
            let _ = kill_process(Pid::from_child(child), Signal::INT);
        }
        thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pinned;

    const LONG: Limits = Limits {
        ask: None,
        kill: Duration::from_secs(60),
    };

    /// Runs a command of the shell in a folder of its own.
    fn shell(name: &str, script: &str, limits: Limits, stop: bool) -> Result<String, Error> {
        let raw = env::temp_dir().join(format!("lab-{name}-{}", std::process::id()));
        let mut command = pinned::command(Path::new("/bin/sh"), &[0]);
        command.args(["-c", script]);
        let said = attend("sh", command, &raw, limits, &|| stop);
        let _ = fs::remove_file(&raw);
        let _ = fs::remove_file(beside(&raw, ".stderr"));
        said?.good("sh")
    }

    #[test]
    fn a_tool_runs_on_the_processors_that_it_is_given() {
        let status = shell("pinned", "cat /proc/self/status", LONG, false).expect("it runs");
        let allowed = status
            .lines()
            .find(|line| line.starts_with("Cpus_allowed_list"));
        assert_eq!(allowed, Some("Cpus_allowed_list:\t0"));
    }

    #[test]
    fn a_tool_that_fails_is_quoted() {
        match shell("fails", "echo out; echo bad luck >&2; exit 3", LONG, false) {
            Err(Error::Failed { said, .. }) => assert_eq!(said, "bad luck"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_tool_that_does_not_end_is_killed() {
        let limits = Limits {
            ask: None,
            kill: Duration::from_millis(200),
        };
        let started = Instant::now();
        match shell("killed", "exec sleep 60", limits, false) {
            Err(Error::Failed { said, .. }) => assert!(said.contains("did not end"), "{said}"),
            other => panic!("{other:?}"),
        }
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_tool_that_is_asked_to_end_may_still_report() {
        let limits = Limits {
            ask: Some(Duration::from_millis(500)),
            kill: Duration::from_secs(30),
        };
        let script = "trap 'echo so far; exit 0' INT; while :; do sleep 0.05; done";
        let said = shell("asked", script, limits, false).expect("it reports");
        assert_eq!(said, "so far\n");
    }

    #[test]
    fn nothing_is_waited_for_when_the_lab_is_to_stop() {
        let stopped = shell("stopped", "exec sleep 60", LONG, true);
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
