//! The bare responder, as a process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use url::Url;

/// One that runs; it ends with this value.
pub(crate) struct Bare {
    child: Child,
    address: String,
}

impl Bare {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lab"))
            .arg("responder")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the lab runs");
        let stdout = child.stdout.take().expect("it is piped");
        let mut address = String::new();
        BufReader::new(stdout)
            .read_line(&mut address)
            .expect("it says where it listens");
        Self {
            child,
            address: address.trim_end().to_owned(),
        }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).expect("an address")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    /// Closes its standard input and waits for its end: whether it ended well.
    pub(crate) fn end(mut self) -> bool {
        drop(self.child.stdin.take());
        self.child.wait().expect("a child of ours").success()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
