//! What is measured: the pair, which the lab starts itself, or any service at an
//! address.

mod process;
mod settings;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ureq::http::Response;
use ureq::{Agent, Body};
use url::Url;

pub use self::process::Process;
pub use self::settings::{Role, Settings};
use crate::interrupt::Interrupt;
use crate::results;
use crate::scrape::Scraper;
use crate::usage::{self, Snapshot};

/// How long a service may take until it is ready.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// Something to be measured.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name in the results.
    pub name: String,
    /// Where it comes from.
    pub source: Source,
}

/// Where a subject comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The lab starts this program.
    Started(PathBuf, Settings),
    /// It runs already, at this address.
    Given(Url),
}

/// Why a subject cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It did not start, or ended.
    #[error("{name} {what}\n{log}")]
    Start {
        /// The subject.
        name: String,
        /// What happened.
        what: String,
        /// The last lines that it said, or where to look.
        log: String,
    },
    /// It gives no answer that could be measured.
    #[error("GET {path} of {name} gave {seen}, and only a 2xx can be measured")]
    Answer {
        /// The subject.
        name: String,
        /// What was asked for.
        path: String,
        /// What came.
        seen: String,
    },
    /// Two of the pair give different answers.
    #[error("{one} and {other} answer GET {path} differently: it is not the same work")]
    Different {
        /// One of them.
        one: String,
        /// The other.
        other: String,
        /// What was asked for.
        path: String,
    },
    /// The lab was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Subject {
    /// Reads `NAME=URL`.
    ///
    /// # Errors
    /// If it is not that.
    pub fn given(text: &str) -> Result<Self, String> {
        let (name, url) = text
            .split_once('=')
            .ok_or("give it as NAME=URL, for example mine=http://127.0.0.1:8080")?;
        let url: Url = url.parse().map_err(|error| format!("{url}: {error}"))?;
        if url.scheme() != "http" || url.host_str().is_none() {
            return Err(format!(
                "{url} is no http:// address; the load tools speak no TLS here"
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!(
                "{url} is more than an address: the lab adds the paths itself"
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("an address with a password would stand in the report".to_owned());
        }
        let is_fine = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if name.is_empty() || name.len() > 24 || !name.chars().all(is_fine) {
            return Err(format!(
                "`{name}` is no name: up to 24 letters, digits, - _ ."
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            source: Source::Given(url),
        })
    }

    /// Whether it runs already, and is not the lab's.
    #[must_use]
    pub fn is_given(&self) -> bool {
        matches!(self.source, Source::Given(_))
    }

    /// What the results say of it.
    #[must_use]
    pub fn facts(&self) -> results::Subject {
        let (address, settings) = match &self.source {
            Source::Started(_, settings) => (None, settings.shown()),
            Source::Given(url) => (Some(url.to_string()), [].into()),
        };
        results::Subject {
            name: self.name.clone(),
            address,
            settings,
        }
    }

    /// Starts it as so many processes on one port, or finds it, and waits until it
    /// is ready.
    ///
    /// # Errors
    /// If it does not get ready in time.
    pub fn start(&self, how: &Start<'_>) -> Result<Running, Error> {
        let (base, processes) = match &self.source {
            Source::Given(url) => (url.clone(), Vec::new()),
            Source::Started(program, settings) => {
                let settings = settings.clone().role(how.role);
                let first = Process::start(&self.name, 1, program, &settings, how)?;
                let addr = first.wait_for_address(how.interrupt)?;
                let mut processes = vec![first];
                for number in 2..=how.processes {
                    let settings = settings.clone().set("LISTEN", addr);
                    let process = Process::start(&self.name, number, program, &settings, how)?;
                    process.wait_for_address(how.interrupt)?;
                    processes.push(process);
                }
                let base = format!("http://{addr}").parse();
                (base.expect("an address is one"), processes)
            }
        };
        let scraper = Scraper::new(&base);
        let mut running = Running {
            name: self.name.clone(),
            base,
            processes,
            scraper,
        };
        if !self.is_given() {
            running.wait_ready(how.interrupt)?;
        }
        // Its connection is not to be taken for one of the load's.
        let _ = running.scraper.look();
        Ok(running)
    }
}

/// How to start subjects.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// What for.
    pub role: Role,
    /// How many processes on one port.
    pub processes: u32,
    /// On which processors.
    pub cores: &'a [usize],
    /// The folder for what they say.
    pub logs: &'a std::path::Path,
    /// Ends the wait.
    pub interrupt: &'a Interrupt,
}

/// A subject that can be asked. What the lab has started ends with it.
#[derive(Debug)]
pub struct Running {
    /// Its name.
    pub name: String,
    /// Its address.
    pub base: Url,
    /// Its processes, if the lab has started it.
    pub processes: Vec<Process>,
    /// Asks for its metrics.
    pub scraper: Scraper,
}

impl Running {
    /// The address of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> Url {
        below(&self.base, path)
    }

    /// The process ids.
    #[must_use]
    pub fn pids(&self) -> Vec<u32> {
        self.processes.iter().map(Process::pid).collect()
    }

    /// What its processes use; nothing if they are not the lab's, or gone.
    #[must_use]
    pub fn snapshot(&self) -> Option<Snapshot> {
        let pids = self.pids();
        (!pids.is_empty()).then(|| Snapshot::of(&pids))?
    }

    /// Whether all its processes are alive; for others, whether it answers at all.
    pub fn is_alive(&mut self) -> bool {
        if self.processes.is_empty() {
            // With whatever status: it need not have a page there.
            return ask(&self.base).is_ok();
        }
        self.processes.iter_mut().all(Process::is_alive)
    }

    /// How many connections each of its processes has.
    #[must_use]
    pub fn split(&self) -> Vec<u64> {
        let port = self.base.port_or_known_default().unwrap_or(0);
        usage::connections(&self.pids(), port)
    }

    /// Asks for a path, and returns the body of a good answer.
    ///
    /// # Errors
    /// If the answer is no 2xx.
    pub fn answer(&self, path: &str) -> Result<Vec<u8>, Error> {
        get(&self.url(path)).map_err(|seen| Error::Answer {
            name: self.name.clone(),
            path: path.to_owned(),
            seen,
        })
    }

    fn wait_ready(&mut self, interrupt: &Interrupt) -> Result<(), Error> {
        let until = Instant::now() + READY_WITHIN;
        loop {
            let Err(seen) = get(&self.url("/ready")) else {
                return Ok(());
            };
            for process in &mut self.processes {
                if !process.is_alive() {
                    return Err(process.failed("ended by itself"));
                }
            }
            if Instant::now() >= until {
                let what = format!("was not ready within 60 s: GET /ready gave {seen}");
                return Err(self.processes[0].failed(&what));
            }
            if interrupt.sleep(Duration::from_millis(50)) {
                return Err(Error::Interrupted);
            }
        }
    }
}

/// The address of a path below a base.
pub(crate) fn below(base: &Url, path: &str) -> Url {
    let text = format!("{}{path}", base.as_str().trim_end_matches('/'));
    text.parse().unwrap_or_else(|_| base.clone())
}

/// What a service answers; what went wrong if it does not.
fn ask(url: &Url) -> Result<Response<Body>, String> {
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(Duration::from_secs(10)))
        .http_status_as_error(false)
        // The load tools follow none: what is behind one would not be measured.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .build()
        .into();
    agent
        .get(url.as_str())
        .call()
        .map_err(|error| format!("no answer ({error})"))
}

/// The body of a good answer, or what came instead.
fn get(url: &Url) -> Result<Vec<u8>, String> {
    let mut answer = ask(url)?;
    let status = answer.status();
    let body = answer
        .body_mut()
        .read_to_vec()
        .map_err(|error| error.to_string())?;
    if status.is_success() {
        Ok(body)
    } else {
        Err(status.to_string())
    }
}

/// Checks that all subjects answer a path, and those that the lab has started
/// alike.
///
/// # Errors
/// If one does not.
pub fn check(subjects: &[Running], path: &str) -> Result<(), Error> {
    let mut first: Option<(&Running, Vec<u8>)> = None;
    for subject in subjects {
        let body = subject.answer(path)?;
        if subject.processes.is_empty() {
            continue;
        }
        match &first {
            None => first = Some((subject, body)),
            Some((one, expected)) if *expected != body => {
                return Err(Error::Different {
                    one: one.name.clone(),
                    other: subject.name.clone(),
                    path: path.to_owned(),
                });
            }
            Some(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_below_that_of_the_address() {
        let url = |base: &str| below(&base.parse().expect("an address"), "/ping");
        assert_eq!(url("http://x:1").as_str(), "http://x:1/ping");
        assert_eq!(url("http://x:1/api/v1/").as_str(), "http://x:1/api/v1/ping");
    }

    #[test]
    fn a_subject_of_the_readers_own_is_a_name_and_an_address() {
        let subject = Subject::given("mine=http://127.0.0.1:8080").expect("it is one");
        assert_eq!(subject.name, "mine");
        for wrong in [
            "a=http://x/?q=1",
            "a=http://me:secret@x/",
            "http://127.0.0.1:1",
            "=http://x",
            "a=ftp://x",
            "a b=http://x",
            "a=x",
        ] {
            assert!(Subject::given(wrong).is_err(), "{wrong}");
        }
    }
}
