//! The real program of a service: its log lines, signals and exit code.

use std::io::{BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;

use super::service::Settings;
use super::wait::{PATIENCE, Watched};

/// A program that runs; it is killed with this value.
pub struct Process {
    pid: Pid,
    stdout: Arc<Watched<Pipe>>,
    stderr: Arc<Watched<Pipe>>,
    exit: Arc<Watched<Option<ExitStatus>>>,
}

/// What came out of a pipe so far.
#[derive(Default)]
struct Pipe {
    lines: Vec<String>,
    /// Nothing more will come.
    ended: bool,
    /// The pipe itself, once it is not read any more: closed, it would be an
    /// error to the program, and not a stalled reader.
    stalled: Option<Box<dyn Send>>,
}

impl Pipe {
    /// Reads lines on a thread of its own, until the pipe is closed or a line
    /// contains a text.
    fn read(pipe: impl Read + Send + 'static, until: Option<&'static str>) -> Arc<Watched<Self>> {
        let all = Arc::new(Watched::new(Self::default()));
        let seen = all.clone();
        thread::spawn(move || {
            let mut reader = BufReader::new(pipe);
            let mut stalled = false;
            while !stalled {
                let mut line = String::new();
                if !reader.read_line(&mut line).is_ok_and(|length| length > 0) {
                    break;
                }
                stalled = until.is_some_and(|text| line.contains(text));
                seen.change(|all| all.lines.push(line.trim_end().to_owned()));
            }
            seen.change(|all| {
                all.ended = true;
                if stalled {
                    all.stalled = Some(Box::new(reader));
                }
            });
        });
        all
    }
}

impl Process {
    /// Starts a program with these variables and no others, its log as JSON.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn start(program: &str, settings: &Settings) -> Self {
        Self::with_arguments(program, &[], settings)
    }

    /// As [`Self::start`], with arguments.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn with_arguments(program: &str, arguments: &[&str], settings: &Settings) -> Self {
        Self::of(spawn(program, arguments, settings), None)
    }

    /// As [`Self::start`], but nobody reads its log any more as soon as it
    /// says this.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn read_until(text: &'static str, program: &str, settings: &Settings) -> Self {
        Self::of(spawn(program, &[], settings), Some(text))
    }

    fn of(mut child: Child, read_until: Option<&'static str>) -> Self {
        let stdout = Pipe::read(child.stdout.take().expect("it is piped"), read_until);
        let stderr = Pipe::read(child.stderr.take().expect("it is piped"), None);
        let pid = Pid::from_child(&child);
        let exit = Arc::new(Watched::new(None));
        let ended = exit.clone();
        thread::spawn(move || {
            let status = child.wait().expect("a child of ours can be waited for");
            ended.change(|exit| *exit = Some(status));
        });
        Self {
            pid,
            stdout,
            stderr,
            exit,
        }
    }

    /// Where it listens, once it says so.
    ///
    /// # Panics
    /// If it does not.
    pub fn addr(&self) -> SocketAddr {
        let line = self.wait_for_line("listening");
        line["addr"]
            .as_str()
            .and_then(|addr| addr.parse().ok())
            .unwrap_or_else(|| panic!("no address in {line}"))
    }

    /// The first log line whose message contains this text, once it is there.
    ///
    /// # Panics
    /// If it does not come.
    pub fn wait_for_line(&self, text: &str) -> Value {
        let found = |out: &Pipe| {
            let mut lines = out.lines.iter().map(|line| parsed(line));
            lines.find(|line| message(line).contains(text))
        };
        self.stdout.wait(PATIENCE, found).unwrap_or_else(|| {
            let out = self.stdout.lock().lines.join("\n");
            panic!(
                "no line {text:?} in the log:\n{out}\non standard error:\n{}",
                self.stderr()
            )
        })
    }

    /// The log so far, a JSON object a line.
    ///
    /// # Panics
    /// If a line is not one.
    pub fn log(&self) -> Vec<Value> {
        let out = self.stdout.lock();
        out.lines.iter().map(|line| parsed(line)).collect()
    }

    /// Standard output so far, whatever it is.
    pub fn stdout(&self) -> String {
        self.stdout.lock().lines.join("\n")
    }

    /// Standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().lines.join("\n")
    }

    /// Sends a signal, if it still runs.
    ///
    /// # Panics
    /// If that is not allowed.
    pub fn signal(&self, signal: Signal) {
        // Under the lock: the id is ours until the exit is known.
        let exit = self.exit.lock();
        if exit.is_none() {
            kill_process(self.pid, signal).expect("a child of ours takes signals");
        }
    }

    /// How much time it has computed so far, in its own code and in the kernel's.
    ///
    /// # Panics
    /// If it does not run any more.
    pub fn cpu_time(&self) -> Duration {
        /// What `/proc` counts in, on every Linux that we run on.
        const TICKS_PER_SECOND: u64 = 100;
        let stat = self.proc("stat");
        let (_, rest) = stat.rsplit_once(") ").expect("its name is in brackets");
        let ticks = |at| rest.split(' ').nth(at).and_then(|field| field.parse().ok());
        // proc_pid_stat(5): fields 14 and 15, of which 3 is the first here.
        let (Some(user), Some(system)) = (ticks(11), ticks(12)) else {
            panic!("not as in the manual: {stat}");
        };
        let ticks: u64 = user;
        Duration::from_millis((ticks + system) * 1000 / TICKS_PER_SECOND)
    }

    /// A figure of `/proc/PID/status`: `Threads`, or in kilobytes `VmHWM`, the
    /// most memory that it ever had.
    ///
    /// # Panics
    /// If it does not run any more, or there is no such figure.
    pub fn status(&self, name: &str) -> u64 {
        let status = self.proc("status");
        status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .and_then(|value| value.split_whitespace().next()?.parse().ok())
            .unwrap_or_else(|| panic!("no {name} in {status}"))
    }

    fn proc(&self, file: &str) -> String {
        let path = format!("/proc/{}/{file}", self.pid.as_raw_nonzero());
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Lets it open no more than so many files and sockets.
    ///
    /// # Panics
    /// If that is not allowed.
    pub fn limit_handles(&self, most: u64) {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        prlimit(Some(self.pid), Resource::Nofile, limit).expect("a child of ours can be limited");
    }

    /// Asks it to stop.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Waits for its end, its log included.
    ///
    /// # Panics
    /// If it does not end.
    pub fn wait_for_exit(&self) -> ExitStatus {
        let status = self.exit.wait(PATIENCE, |exit| *exit).unwrap_or_else(|| {
            panic!(
                "it still runs; its log:\n{}",
                self.stdout.lock().lines.join("\n")
            )
        });
        for pipe in [&self.stdout, &self.stderr] {
            pipe.wait(PATIENCE, |pipe| pipe.ended.then_some(()))
                .expect("the pipes of a program that has ended are closed");
        }
        status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

fn spawn(program: &str, arguments: &[&str], settings: &Settings) -> Child {
    Command::new(program)
        .args(arguments)
        .env_clear()
        .env("LOG_FORMAT", "json")
        .envs(settings.variables())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program} cannot be run: {error}"))
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("no JSON ({error}): {line}"))
}

/// The message of a log line.
pub fn message(line: &Value) -> &str {
    line["message"].as_str().unwrap_or_default()
}
