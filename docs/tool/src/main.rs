//! `guide`: checks the pages, writes what belongs into them, makes the site.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use guide::book::{Book, Error, Page};
use guide::site;

/// Keeps the guide's quotes, figures and links in step with the workspace
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    /// The root of the workspace
    #[arg(long, global = true, default_value = ".")]
    root: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Says which pages are out of date or lead nowhere; changes nothing
    Check,
    /// Writes the quotes, figures and tables into the pages
    Write,
    /// Makes the site with mdBook, the sources that the pages link to included
    Site {
        /// The folder of the site; what was in it is removed
        #[arg(long, default_value = "target/guide")]
        out: PathBuf,
        /// The program
        #[arg(long, default_value = "mdbook")]
        mdbook: PathBuf,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("guide: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let book = Book::open(&cli.root)?;
    match &cli.command {
        Command::Check => Ok(check(&book.pages()?)),
        Command::Write => write(cli, &book.pages()?),
        Command::Site { out, mdbook } => {
            let site = site::build(&cli.root, out, mdbook)?;
            println!(
                "{} ({} pages of sources)",
                site.index.display(),
                site.sources
            );
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn check(pages: &[Page]) -> ExitCode {
    let mut wrong = tell_problems(pages);
    for page in pages.iter().filter(|page| page.text != page.filled) {
        wrong += 1;
        let changed = page.text.lines().zip(page.filled.lines());
        let line = changed.take_while(|(is, should)| is == should).count() + 1;
        eprintln!(
            "{}:{line}: out of date with what it quotes",
            page.path.display()
        );
    }
    if wrong == 0 {
        println!("{} pages are up to date", pages.len());
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "scripts/guide write  brings quotes, figures and tables up to date; then look at the change"
    );
    ExitCode::FAILURE
}

fn write(cli: &Cli, pages: &[Page]) -> Result<ExitCode, Box<dyn std::error::Error>> {
    for page in pages.iter().filter(|page| page.text != page.filled) {
        let path = cli.root.join(&page.path);
        fs::write(&path, &page.filled).map_err(|error| Error::File(path, error))?;
        println!("written: {}", page.path.display());
    }
    Ok(match tell_problems(pages) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn tell_problems(pages: &[Page]) -> usize {
    let mut told = 0;
    for page in pages {
        for problem in &page.problems {
            told += 1;
            eprintln!("{}:{}: {}", page.path.display(), problem.line, problem.what);
        }
    }
    told
}
