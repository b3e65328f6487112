//! Brings the schema up to date, and loads the seed data if asked to.

use std::fmt::Write as _;
use std::process::ExitCode;

use shared::config::{self, Config};
use shared::error::chain;
use shared::migrate::{Report, migrate};

const HELP: &str = "\
Brings the database's schema up to date.

Usage: migrate [--seed | --help | --version]

  --seed     load the seed data too: 1,000 markets with 120,000 orders;
             run again, it changes nothing
  --help     this text
  --version  the version

Any number may run at the same time. Waits up to a minute for the database.

Environment:
  DATABASE_URL  postgres://user[:password]@host[:port]/name
  PGPASSWORD    the password, raw, if the URL has none
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let seed = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--seed"] => true,
        ["--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        ["--version" | "-V"] => {
            println!("migrate {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!(
                "migrate: unknown arguments: {}\nTry migrate --help.",
                arguments.join(" ")
            );
            return ExitCode::from(2);
        }
    };
    let url = match Config::read_database(config::environment) {
        Ok(url) => url,
        Err(error) => {
            eprintln!("migrate: {error}");
            return ExitCode::from(2);
        }
    };
    match migrate(&url, seed).await {
        Ok(report) => {
            print!("{}", told(&report));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("migrate: {}", chain(&error));
            ExitCode::FAILURE
        }
    }
}

fn told(report: &Report) -> String {
    let versions: Vec<_> = report.applied.iter().map(ToString::to_string).collect();
    let mut text = if versions.is_empty() {
        format!(
            "migrate: the schema is up to date (version {})\n",
            report.version
        )
    } else {
        format!(
            "migrate: applied {} (now at version {})\n",
            versions.join(", "),
            report.version
        )
    };
    match report.seeded {
        Some(0) => text += "migrate: the seed data was there already\n",
        Some(orders) => {
            let _ = writeln!(text, "migrate: loaded the seed data ({orders} orders)");
        }
        None => {}
    }
    text
}
