//! One run: the load tool against a subject, and all that can be seen of both.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::results::{Level, Run, Second, Usage};
use crate::scrape::{Page, Scraper};
use crate::session::{Session, Stop};
use crate::subject::Running;
use crate::tools::{self, Load, Seen, oha, wrk};
use crate::usage::{Snapshot, as_f64};
use crate::validity::{self, Evidence};

/// How long an answer may take before it counts as lost: longer than the limit
/// of the services, so that their own 503 is seen.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How long subjects are left alone between two runs.
const PAUSE: Duration = Duration::from_millis(250);

/// How often a subject is looked at during a run.
const LOOK: Duration = Duration::from_secs(1);

/// A run that is to be made.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// The experiment, for the names of files.
    pub experiment: &'a str,
    /// The path.
    pub path: &'a str,
    /// The load.
    pub level: Level,
    /// For how long.
    pub duration: Duration,
    /// The round.
    pub round: u32,
}

/// Makes a run, and judges it.
///
/// # Errors
/// If there is no tool, or the lab was asked to stop.
pub fn run(session: &Session, subject: &mut Running, order: &Order<'_>) -> Result<Run, Stop> {
    if session.interrupt.sleep(PAUSE) {
        return Err(Stop::Interrupted);
    }
    let raw = format!("raw/{}", file_name(&subject.name, order));
    let load = load(session, subject, order, session.folder.join(&raw));
    let several = subject.processes.len() > 1;
    // Of several processes on one port, who knows which one answers.
    let look = || (!several).then(|| subject.scraper.look()).flatten();
    let (page, used, database) = (look(), subject.snapshot(), session.database.cpu_s());
    let at_s = session.progress.at_s();
    let watch = Watch::new(subject);
    let seen = thread::scope(|scope| {
        let watching = scope.spawn(|| watch.run());
        let seen = with_tool(session, &load);
        watch.stop();
        // A panic there is one of ours, and would be seen here, too.
        let _ = watching.join();
        seen
    });
    let (page_after, used_after) = (look(), subject.snapshot());
    let database = session
        .database
        .cpu_s()
        .zip(database)
        .map(|(after, before)| after - before);
    let (seen, failure) = match seen {
        Ok(seen) => (seen, None),
        // It is no result, but there are other runs.
        Err(error @ (tools::Error::Failed { .. } | tools::Error::Output { .. })) => {
            (nothing(order), Some(error.to_string()))
        }
        Err(error) => return Err(error.into()),
    };
    let pages = page.zip(page_after);
    // A subject elsewhere tells the same of itself.
    let told = pages
        .as_ref()
        .map(|(before, after)| (before.process(), after.process()));
    let served = pages.as_ref().map(connections_served);
    let ours = pages.map(|(before, after)| after.answers_since(&before));
    let mut invalid = validity::judge(&Evidence {
        seen: &seen,
        duration: order.duration,
        rate: order.level.rate,
        alive: subject.is_alive(),
        connections_served: served,
        served: ours.as_ref().map(|answers| answers.values().sum()),
    });
    invalid.extend(failure);
    let watched = watch.into_result();
    invalid.extend(idle(&watched.split));
    let good = validity::good(&seen.answers);
    Ok(Run {
        subject: subject.name.clone(),
        round: order.round,
        level: Level {
            connections: seen.connections,
            rate: order.level.rate,
        },
        tool: tool(order.level).to_owned(),
        at_s,
        duration_s: seen.duration_s,
        answered: seen.answered,
        rate: if seen.duration_s > 0.0 {
            as_f64(good) / seen.duration_s
        } else {
            0.0
        },
        answers: ours.unwrap_or(seen.answers),
        failed: seen.failed,
        cut: seen.cut,
        latency: seen.latency,
        connections_served: served,
        usage: used
            .zip(used_after)
            .or(told)
            .map(|(before, after)| usage(&before, &after, &watched, seen.answered)),
        database_cpu_s: database,
        split: watched.split,
        series: watched.seconds,
        invalid,
        raw,
    })
}

/// Loads a subject without looking at what comes of it.
///
/// # Errors
/// If there is no tool, or the lab was asked to stop.
pub fn warm_up(session: &Session, subject: &Running, order: &Order<'_>) -> Result<(), Stop> {
    let raw = session.folder.join("raw/warm-up");
    match with_tool(session, &load(session, subject, order, raw)) {
        // The runs themselves will tell.
        Ok(_) | Err(tools::Error::Failed { .. } | tools::Error::Output { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn load(session: &Session, subject: &Running, order: &Order<'_>, raw: PathBuf) -> Load {
    Load {
        url: subject.url(order.path),
        level: order.level,
        duration: order.duration,
        timeout: TIMEOUT,
        cores: session.results.cores.load.clone(),
        raw,
    }
}

/// wrk for closed loops, oha for constant rates.
fn with_tool(session: &Session, load: &Load) -> Result<Seen, tools::Error> {
    let stop = || session.interrupt.is_set();
    match load.level.rate {
        None => wrk::run(load, &stop),
        Some(_) => oha::run(load, &stop),
    }
}

fn tool(level: Level) -> &'static str {
    if level.rate.is_some() { "oha" } else { "wrk" }
}

/// `ping-before-100c-r1.txt`, or `rate-before-500rps-r1.txt`.
fn file_name(subject: &str, order: &Order<'_>) -> String {
    let level = match order.level.rate {
        None => format!("{}c", order.level.connections),
        Some(rate) => format!("{rate:.0}rps"),
    };
    format!(
        "{}-{subject}-{level}-r{}.txt",
        order.experiment, order.round
    )
}

fn nothing(order: &Order<'_>) -> Seen {
    Seen {
        connections: order.level.connections,
        duration_s: 0.0,
        answered: 0,
        answers: [].into(),
        failed: [].into(),
        cut: 0,
        latency: None,
    }
}

/// A process on a shared port that nobody was sent to makes another experiment of
/// it.
fn idle(split: &[u64]) -> Option<String> {
    let idle = split
        .iter()
        .filter(|connections| **connections == 0)
        .count();
    (idle > 0).then(|| {
        format!(
            "{idle} of {} processes on the port had no connection",
            split.len()
        )
    })
}

/// Connections of this run that got an answer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a difference of counters is whole and not negative"
)]
fn connections_served((before, after): &(Page, Page)) -> u64 {
    let get = |page: &Page| page.get("http_connections_served_total").unwrap_or(0.0);
    (get(after) - get(before)).max(0.0).round() as u64
}

fn usage(before: &Snapshot, after: &Snapshot, watched: &Watched, answered: u64) -> Usage {
    let cpu_s = after.cpu_s - before.cpu_s;
    Usage {
        cpu_s,
        cpu_us_per_answer: cpu_s * 1e6 / as_f64(answered.max(1)),
        resident_bytes: watched.resident_bytes.max(after.resident_bytes),
        threads: watched.threads.max(after.threads),
        // Threads that have ended took theirs along.
        switches_voluntary: after
            .switches_voluntary
            .saturating_sub(before.switches_voluntary),
        switches_involuntary: after
            .switches_involuntary
            .saturating_sub(before.switches_involuntary),
    }
}

/// Looks at a subject every second while it is loaded.
struct Watch {
    pids: Vec<u32>,
    port: u16,
    scraper: Option<Scraper>,
    done: AtomicBool,
    seen: Mutex<Watched>,
}

#[derive(Default)]
struct Watched {
    seconds: Vec<Second>,
    split: Vec<u64>,
    resident_bytes: u64,
    threads: u64,
}

impl Watch {
    fn new(subject: &Running) -> Self {
        Self {
            pids: subject.pids(),
            port: subject.base.port_or_known_default().unwrap_or(0),
            scraper: (subject.processes.len() < 2).then(|| subject.scraper.clone()),
            done: AtomicBool::new(false),
            seen: Mutex::default(),
        }
    }

    fn stop(&self) {
        self.done.store(true, Ordering::SeqCst);
    }

    fn into_result(self) -> Watched {
        self.seen.into_inner().unwrap_or_default()
    }

    fn run(&self) {
        let started = Instant::now();
        let mut before: Option<(f64, f64, Option<Page>)> = None;
        let mut next = started + LOOK / 2;
        while !self.done.load(Ordering::SeqCst) {
            if Instant::now() < next {
                thread::sleep(Duration::from_millis(10));
                continue;
            }
            next += LOOK;
            let at_s = started.elapsed().as_secs_f64();
            let page = self.scraper.as_ref().and_then(Scraper::look);
            let snapshot = Snapshot::of(&self.pids).unwrap_or_default();
            let Ok(mut seen) = self.seen.lock() else {
                return;
            };
            seen.resident_bytes = seen.resident_bytes.max(snapshot.resident_bytes);
            seen.threads = seen.threads.max(snapshot.threads);
            if self.pids.len() > 1 {
                seen.split = crate::usage::connections(&self.pids, self.port);
            }
            if let Some((then, cpu_s, then_page)) = &before {
                let seconds = at_s - then;
                let get = |name| page.as_ref().and_then(|page| page.get(name));
                let answers = page
                    .as_ref()
                    .zip(then_page.as_ref())
                    .map_or(0, |(page, then)| page.answers_since(then).values().sum());
                seen.seconds.push(Second {
                    at_s,
                    rate: as_f64(answers) / seconds,
                    in_flight: get("http_requests_in_flight").unwrap_or(0.0),
                    connections: get("http_connections").unwrap_or(0.0),
                    resident_bytes: as_f64(snapshot.resident_bytes),
                    processors: (snapshot.cpu_s - cpu_s).max(0.0) / seconds,
                });
            }
            before = Some((at_s, snapshot.cpu_s, page));
        }
    }
}
