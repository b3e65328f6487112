//! The exchange service on blocking threads.

use std::io;
use std::process::ExitCode;
use std::thread;

use before::{Server, startup};
use shared::cli::{self, Command};
use shared::config::{self, Config, Service};
use shared::{server, telemetry};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

fn main() -> ExitCode {
    let command = cli::parse(Service::Before, std::env::args().skip(1));
    if let Command::Print(text) = command {
        print!("{text}");
        return ExitCode::SUCCESS;
    }
    if let Command::Misuse(text) = command {
        eprint!("{text}");
        return ExitCode::from(2);
    }
    let config = match Config::read(Service::Before, config::environment) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("before: {error}");
            return ExitCode::from(2);
        }
    };
    if command == Command::Check {
        return ExitCode::from(u8::from(!cli::is_ready(config.listen)));
    }
    let _log = telemetry::init(&config.log);
    match run(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until a signal asks to stop.
fn run(mut config: Config) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    server::fit_file_limit(&mut config);
    startup::refuse_edited_schema(&config.database)?;
    let server = Server::start(config)?;
    if let Some(signal) = signals.forever().next() {
        tracing::info!(signal, "stopping; a second signal stops at once");
    }
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            std::process::exit(1);
        }
    });
    server.stop().log();
    Ok(())
}
