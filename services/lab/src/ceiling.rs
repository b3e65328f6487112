//! What the load tool itself can do: it against a server that does nothing.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, Stdio};

use url::Url;

use crate::pinned;

/// The bare responder of the lab ([`crate::responder`]), as a process of its own.
#[derive(Debug)]
pub struct Responder {
    child: Child,
    url: Url,
}

impl Responder {
    /// Starts it on some processors.
    ///
    /// # Errors
    /// If this program cannot be run once more.
    pub fn start(cores: &[usize]) -> io::Result<Self> {
        let mut child = pinned::command(&std::env::current_exe()?, cores)
            .arg("responder")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let url = format!("http://{}/", line.trim());
        match url.parse() {
            Ok(url) => Ok(Self { child, url }),
            Err(_) => {
                let _ = child.kill();
                child.wait()?;
                Err(io::Error::other("it did not say where it listens"))
            }
        }
    }

    /// Where it answers.
    #[must_use]
    pub fn url(&self) -> Url {
        self.url.clone()
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        // It keeps nothing that could be lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
