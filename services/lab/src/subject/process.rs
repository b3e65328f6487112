//! A process that the lab has started, and ends.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Error, Settings, Start};
use crate::interrupt::Interrupt;
use crate::pinned;

/// How long a service may take to listen.
const LISTENS_WITHIN: Duration = Duration::from_secs(30);

/// How long a service may take to stop: more than its own `SHUTDOWN_GRACE_MS`.
const STOPS_WITHIN: Duration = Duration::from_secs(15);

const LOOK: Duration = Duration::from_millis(10);

/// One process of a subject. It is told to stop when this is dropped, and ends
/// with the lab even if the lab is killed.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a program on some processors.
    pub(super) fn start(
        name: &str,
        number: u32,
        program: &Path,
        settings: &Settings,
        how: &Start<'_>,
    ) -> Result<Self, Error> {
        let log = how.logs.join(format!("{name}-{number}.log"));
        let failed = |what: String| Error::Start {
            name: name.to_owned(),
            what,
            log: String::new(),
        };
        if !program.is_file() {
            return Err(failed(format!(
                "is not built: there is no {}. Build it: cargo build --release -p {name}",
                program.display()
            )));
        }
        let output = fs::create_dir_all(how.logs)
            .and_then(|()| File::create(&log))
            .and_then(|file| Ok((file.try_clone()?, file)));
        let (out, err) = output.map_err(|error| failed(format!("has no log: {error}")))?;
        let mut command = pinned::command(program, how.cores);
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        for (name, value) in settings.pairs() {
            command.env(name, value);
        }
        let child = command
            .spawn()
            .map_err(|error| failed(format!("cannot be started: {error}")))?;
        Ok(Self {
            name: name.to_owned(),
            child,
            log,
        })
    }

    /// Its id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Where it listens, as soon as it says so.
    pub(super) fn wait_for_address(&self, interrupt: &Interrupt) -> Result<SocketAddr, Error> {
        let until = Instant::now() + LISTENS_WITHIN;
        loop {
            let said = fs::read_to_string(&self.log).unwrap_or_default();
            let addr = said.split("listening addr=").nth(1);
            if let Some(addr) = addr.and_then(|rest| rest.split_whitespace().next()) {
                return addr.parse().map_err(|_| self.failed("listens nowhere"));
            }
            // A zombie has no open files any more.
            if fs::read_link(format!("/proc/{}/exe", self.pid())).is_err() {
                return Err(self.failed("ended by itself"));
            }
            if Instant::now() >= until {
                return Err(self.failed("did not listen within 30 s"));
            }
            if interrupt.sleep(LOOK) {
                return Err(Error::Interrupted);
            }
        }
    }

    /// An error with the end of its log.
    pub(super) fn failed(&self, what: &str) -> Error {
        let said = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = said.lines().collect();
        let end = lines[lines.len().saturating_sub(8)..].join("\n  ");
        Error::Start {
            name: self.name.clone(),
            what: what.to_owned(),
            log: format!("its log ({}) ends so:\n  {end}", self.log.display()),
        }
    }

    /// Tells it to stop; [`Drop`] waits for it.
    pub fn tell_to_stop(&self) {
        if let Some(pid) = i32::try_from(self.pid()).ok().and_then(Pid::from_raw) {
            // Fails if it has ended, which is what is wanted.
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.tell_to_stop();
        let until = Instant::now() + STOPS_WITHIN;
        while self.is_alive() {
            if Instant::now() >= until {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(LOOK);
        }
    }
}
