//! The program.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use lab::responder::{self, Options};

/// Loads the services and says how far the numbers can be believed
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answers everything at once, on a port of its own choice, until its
    /// standard input is closed
    #[command(hide = true)]
    Responder {
        /// How long a slot is busy with a request
        #[arg(long, default_value_t = 0)]
        delay_ms: u64,
        /// How many requests are served at once; all if 0
        #[arg(long, default_value_t = 0)]
        slots: usize,
        /// The status of the answers
        #[arg(long, default_value_t = 200)]
        status: u16,
        /// The share of the answers with this status; the others are 200
        #[arg(long, default_value_t = 1.0)]
        fail_share: f64,
    },
}

fn main() -> io::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Responder {
            delay_ms,
            slots,
            status,
            fail_share,
        } => responder::run(Options {
            delay: Duration::from_millis(delay_ms),
            slots,
            status,
            share: fail_share,
        })?,
    }
    Ok(ExitCode::SUCCESS)
}
