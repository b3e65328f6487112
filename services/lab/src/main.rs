//! `lab`: see `lab --help`.

use std::process::ExitCode;

use clap::Parser as _;
use lab::cli::Cli;
use lab::commands;

fn main() -> ExitCode {
    commands::run(Cli::parse().command)
}
