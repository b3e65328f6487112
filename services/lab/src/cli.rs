//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand};

use crate::plan::{Preset, TALK};
use crate::responder::Options;
use crate::subject::Subject;

/// Loads the services, says how far the numbers can be believed, and draws them.
///
/// Exit code: 0 if all went well, 1 if a run does not count or something failed,
/// 2 for a wrong command line, 130 if interrupted.
#[derive(Debug, Parser)]
#[command(name = "lab", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Asks the talk's questions: ping, book, production; and waiting.
    #[command(after_help = TALK_EXAMPLES)]
    Talk(Talk),
    /// Looks for the most connections at which answers are quick enough.
    #[command(after_help = CAPACITY_EXAMPLES)]
    Capacity(Capacity),
    /// Loads all subjects at the same constant rates.
    #[command(after_help = RATE_EXAMPLES)]
    Rate(Rate),
    /// Draws the report of a run anew, and prints its tables.
    #[command(after_help = REPORT_EXAMPLES)]
    Report {
        /// The folder of a run, or its results.json.
        run: PathBuf,
        /// Draws the comparison into this SVG file instead: one picture that stands by itself.
        #[arg(long, value_name = "FILE")]
        picture: Option<PathBuf>,
    },
    /// Compares two runs; for CI, too.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare {
        /// The older run: its folder, or its results.json.
        old: PathBuf,
        /// The newer one.
        new: PathBuf,
        /// Exit code 1 if a rate fell below this share of the old one, beyond noise.
        #[arg(long, default_value_t = 0.95, value_name = "SHARE", value_parser = share)]
        fail_below: f64,
    },
    /// Says what is missing, and whether this machine can give a fair result.
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Common),
    /// Shows the results of all runs on a page.
    #[command(after_help = SERVE_EXAMPLES)]
    Serve {
        /// Where to listen.
        #[arg(long, default_value = "127.0.0.1:8000", env = "LAB_LISTEN")]
        listen: SocketAddr,
        /// The folder of all runs.
        #[arg(
            long,
            default_value = "target/lab/runs",
            env = "LAB_OUT",
            value_name = "FOLDER"
        )]
        out: PathBuf,
    },
    /// Starts the pair, compares both for about a minute, and keeps them running.
    #[command(after_help = DEMO_EXAMPLES)]
    Demo(Demo),
    /// A server that does nothing, quickly: to measure the load tool against.
    #[command(hide = true)]
    Responder(Responder),
}

/// What all commands that load something have in common.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// A service of your own beside the pair, or instead of it (--only-subjects)
    #[arg(long = "subject", value_name = "NAME=URL", env = "LAB_SUBJECTS", value_delimiter = ',', value_parser = Subject::given)]
    pub subjects: Vec<Subject>,
    /// Leave the pair out: measure what --subject names, and nothing else
    #[arg(long, requires = "subjects", env = "LAB_ONLY_SUBJECTS", value_parser = FalseyValueParser::new(), num_args = 0..=1, default_missing_value = "true", default_value = "false")]
    pub only_subjects: bool,
    /// Where the pair's database is: postgres://user@host/database
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// The database is there for the lab alone: it may be put on processors of its own
    #[arg(long, env = "LAB_OWNS_DATABASE", value_parser = FalseyValueParser::new(), num_args = 0..=1, default_missing_value = "true", default_value = "false")]
    pub owns_database: bool,
    /// The folder of the programs `before` and `after`; the lab's own if not given
    #[arg(long, env = "LAB_PROGRAMS", value_name = "FOLDER")]
    pub programs: Option<PathBuf>,
    /// The folder of all runs; each makes one in it
    #[arg(
        long,
        default_value = "target/lab/runs",
        env = "LAB_OUT",
        value_name = "FOLDER"
    )]
    pub out: PathBuf,
}

/// `lab talk`
#[derive(Clone, Debug, Args)]
pub struct Talk {
    /// Under two minutes: whether it works, and a first impression
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// As the talk did it: 10 runs of 30 s at each level. Takes hours
    #[arg(long)]
    pub full: bool,
    /// Runs of each subject at each level
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: Option<u32>,
    /// How long a run takes, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub duration: Option<Duration>,
    /// How many connections at once: 10,50,100
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub connections: Vec<u32>,
    /// Only these questions: ping,book,production,waiting
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = TALK)]
    pub only: Vec<String>,
    /// See [`Common`].
    #[command(flatten)]
    pub common: Common,
}

impl Talk {
    /// Which preset.
    #[must_use]
    pub fn preset(&self) -> Preset {
        match (self.quick, self.full) {
            (true, _) => Preset::Quick,
            (_, true) => Preset::Full,
            _ => Preset::Default,
        }
    }
}

/// `lab capacity`
#[derive(Clone, Debug, Args)]
pub struct Capacity {
    /// How slow answers may be, in milliseconds
    #[arg(long, default_value_t = 80.0, value_name = "MS", value_parser = positive)]
    pub limit: f64,
    /// Of which share of the answers, in percent
    #[arg(long, default_value = "90", value_parser = ["50", "90", "95", "99"])]
    pub percentile: String,
    /// What to ask for; {id} stands for a random market
    #[arg(long, default_value = crate::plan::BOOK)]
    pub path: String,
    /// The most connections that are tried
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub most: u32,
    /// How long each step takes, in seconds
    #[arg(long, default_value = "3", value_name = "SECONDS", value_parser = seconds)]
    pub duration: Duration,
    /// See [`Common`].
    #[command(flatten)]
    pub common: Common,
}

/// `lab rate`
#[derive(Clone, Debug, Args)]
pub struct Rate {
    /// Requests a second: 500,1000,2000; a quarter, a half and three quarters of what the slower
    /// one can do if not given
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rates: Vec<u32>,
    /// How slow answers may be, in milliseconds, for the search of the highest rate
    #[arg(long, default_value_t = 50.0, value_name = "MS", value_parser = positive)]
    pub limit: f64,
    /// Of which share of the answers, in percent
    #[arg(long, default_value = "99", value_parser = ["50", "90", "95", "99"])]
    pub percentile: String,
    /// What to ask for; {id} stands for a random market
    #[arg(long, default_value = crate::plan::BOOK)]
    pub path: String,
    /// How many connections carry the requests
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub connections: u32,
    /// Runs of each subject at each rate
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// How long a run takes, in seconds
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    pub duration: Duration,
    /// See [`Common`].
    #[command(flatten)]
    pub common: Common,
}

/// `lab demo`
#[derive(Clone, Debug, Args)]
pub struct Demo {
    /// End after the comparison; exit code 0 only if every check held
    #[arg(long)]
    pub once: bool,
    /// The port for `before`; when taken, the next free one
    #[arg(long, env = "BEFORE_PORT", default_value_t = 8001)]
    pub before_port: u16,
    /// The port for `after`; when taken, the next free one
    #[arg(long, env = "AFTER_PORT", default_value_t = 8002)]
    pub after_port: u16,
    /// See [`Common`].
    #[command(flatten)]
    pub common: Common,
}

/// `lab responder`
#[derive(Clone, Copy, Debug, Args)]
pub struct Responder {
    /// How long a slot is busy with a request, in milliseconds
    #[arg(long, default_value_t = 0)]
    pub delay_ms: u64,
    /// How many requests are served at once; all if 0
    #[arg(long, default_value_t = 0)]
    pub slots: usize,
    /// The status of the answers
    #[arg(long, default_value_t = 200)]
    pub status: u16,
    /// The share of the answers with this status; the others are 200
    #[arg(long, default_value_t = 1.0)]
    pub fail_share: f64,
}

impl From<Responder> for Options {
    fn from(arguments: Responder) -> Self {
        Self {
            delay: Duration::from_millis(arguments.delay_ms),
            slots: arguments.slots,
            status: arguments.status,
            share: arguments.fail_share,
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (1.0..=3600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a number of seconds from 1 to 3600".to_owned()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("a number above 0".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 2.0 => Ok(number),
        _ => Err("a share such as 0.95".to_owned()),
    }
}

const TALK_EXAMPLES: &str = "\
Examples:
  lab talk --quick                         all questions, under two minutes
  lab talk                                 about ten minutes
  lab talk --full --only ping,book         as the talk did it
  lab talk --connections 10,100,1000 --runs 7 --duration 10
  lab talk --subject mine=http://127.0.0.1:8080 --only ping

Everything goes into a folder of its own below target/lab/runs: results.json, report.html, the tools'
raw output.";

const CAPACITY_EXAMPLES: &str = "\
Examples:
  lab capacity                             p90 within 80 ms on the database route
  lab capacity --limit 20 --percentile 99 --path /ping
  lab capacity --only-subjects --subject mine=http://127.0.0.1:8080 --path /";

const RATE_EXAMPLES: &str = "\
Examples:
  lab rate                                 at 25, 50 and 75 % of what the slower one can do
  lab rate --rates 500,1000,2000 --duration 30
  lab rate --limit 20 --percentile 95 --path /ping";

const REPORT_EXAMPLES: &str = "\
Examples:
  lab report target/lab/runs/talk-2026-11-30-224012
  lab report docs/results/talk.json --picture docs/guide/comparison.svg";

const COMPARE_EXAMPLES: &str = "\
Examples:
  lab compare target/lab/runs/talk-OLD target/lab/runs/talk-NEW
  lab compare old.json new.json --fail-below 0.9";

const DOCTOR_EXAMPLES: &str = "\
Example:
  lab doctor                               exit code 1 if something is missing";

const SERVE_EXAMPLES: &str = "\
Examples:
  lab serve
  lab serve --listen 0.0.0.0:8000 --out /results";

const DEMO_EXAMPLES: &str = "\
Examples:
  scripts/demo                             builds, starts a private database, runs `lab demo`
  lab demo --once";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Cli::command()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
        {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(help.contains("Example"), "{}", command.get_name());
        }
    }
}
