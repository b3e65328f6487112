//! `lab demo`: the pair, shown and compared, and kept running.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use super::{End, in_session, request, subjects};
use crate::cli::Demo;
use crate::interrupt::Interrupt;
use crate::plan::{BOOK, Plan, Planned, closed};
use crate::protocol;
use crate::session::{Session, Stop};
use crate::subject::{Role, Running, Source};
use crate::tools::wrk;

/// What is asked of each for a look.
const SHOWN: [&str; 2] = ["/ping", "/markets/1/book?depth=1"];

/// How often it is looked whether both still run.
const LOOK: Duration = Duration::from_secs(1);

pub(super) fn run(arguments: &Demo) -> Result<End, Stop> {
    let interrupt = Interrupt::listen().map_err(|error| Stop::Needs(error.to_string()))?;
    let mut subjects = subjects(&arguments.common)?;
    let mut taken = None;
    for (subject, wanted) in subjects
        .iter_mut()
        .zip([arguments.before_port, arguments.after_port])
    {
        if let Source::Started(_, settings) = &mut subject.source {
            let port = free_port(wanted, taken)
                .ok_or_else(|| Stop::Needs(format!("no port is free from {wanted} on")))?;
            if port != wanted {
                eprintln!(
                    "   !  port {wanted} is not free: {} listens on {port}",
                    subject.name
                );
            }
            taken = Some(port);
            *settings = settings
                .clone()
                .set("LISTEN", format_args!("127.0.0.1:{port}"));
        }
    }
    let request = request("demo", "demo".to_owned(), &arguments.common);
    let mut running = Vec::new();
    let watching = interrupt.clone();
    let ended = in_session(&request, subjects, interrupt, |session| {
        session.uses("wrk", wrk::version)?;
        session.progress.heading("Starting both services");
        running = protocol::start(session, &planned("demo", "", "/ready"))?;
        for subject in &running {
            session
                .progress
                .note(&format!("{} is ready on {}", subject.name, subject.base));
        }
        show_answers(session, &running)?;
        compare(session, &mut running)
    });
    // Whoever pressed Ctrl-C wants all of it to end, in order.
    let ended = ended.and_then(|end| {
        if !arguments.once {
            show_addresses(&running);
            stay(&mut running, &watching)?;
        }
        Ok(end)
    });
    for process in running.iter().flat_map(|subject| &subject.processes) {
        process.tell_to_stop();
    }
    ended
}

fn planned(name: &'static str, question: &str, path: &str) -> Planned {
    Planned {
        name,
        question: question.to_owned(),
        path: path.to_owned(),
        role: Role::Plain,
        processes: 1,
        levels: vec![closed(50)],
    }
}

/// About a minute: both routes of the talk, with 50 connections.
fn compare(session: &mut Session, running: &mut [Running]) -> Result<(), Stop> {
    let plan = Plan {
        preset: "demo",
        runs: 5,
        duration: Duration::from_secs(2),
        warm_up: Duration::from_secs(1),
        ceiling: Duration::from_secs(1),
        experiments: vec![
            planned(
                "ping",
                "How many answers a second, when nothing is to be waited for?",
                "/ping",
            ),
            planned(
                "book",
                "How many answers a second, each with one query of the database?",
                BOOK,
            ),
        ],
    };
    let count = u32::try_from(running.len()).unwrap_or(u32::MAX);
    session.progress.plan(plan.time(count));
    for planned in &plan.experiments {
        session
            .progress
            .heading(&format!("{}: {}", planned.name, planned.question));
        protocol::experiment(session, &plan, planned, running)?;
    }
    Ok(())
}

fn show_answers(session: &Session, running: &[Running]) -> Result<(), Stop> {
    session.progress.heading("One request to each");
    for path in SHOWN {
        let mut answers = Vec::new();
        for subject in running {
            let answer = subject.answer(path)?;
            session.progress.note(&format!("GET {}", subject.url(path)));
            for line in pretty(&String::from_utf8_lossy(&answer)).lines() {
                session.progress.note(&format!("    {line}"));
            }
            answers.push(answer);
        }
        if answers.windows(2).any(|two| two[0] != two[1]) {
            return Err(Stop::Needs(format!(
                "before and after answered GET {path} differently"
            )));
        }
        session.progress.note(&format!(
            "both answers are the same, byte for byte ({} bytes)",
            answers.first().map_or(0, Vec::len)
        ));
    }
    Ok(())
}

/// A line for each contract and each side of a book.
fn pretty(text: &str) -> String {
    text.replace("{\"id\"", "\n  {\"id\"")
        .replace("\"buys\"", "\n     \"buys\"")
        .replace("\"sells\"", "\n     \"sells\"")
}

fn show_addresses(running: &[Running]) {
    println!("\nWhere to look");
    for subject in running {
        println!("  {}", subject.name);
        for (what, path) in [
            ("ping", "/ping"),
            ("a book", "/markets/1/book"),
            ("Swagger UI", "/docs"),
            ("metrics", "/metrics"),
        ] {
            println!("    {what:<12} {}", subject.url(path));
        }
    }
    println!("\nCtrl-C stops everything.");
}

/// Stays until somebody has seen enough, or one of them ends.
fn stay(running: &mut [Running], interrupt: &Interrupt) -> Result<(), Stop> {
    while !interrupt.sleep(LOOK) {
        if let Some(dead) = running
            .iter_mut()
            .find_map(|subject| (!subject.is_alive()).then(|| subject.name.clone()))
        {
            return Err(Stop::Needs(format!(
                "{dead} has ended by itself: see its log"
            )));
        }
    }
    Ok(())
}

/// The first port from one on that is free, and that nobody else is to have.
fn free_port(wanted: u16, taken: Option<u16>) -> Option<u16> {
    let is_free = |port: &u16| {
        let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
        Some(*port) != taken && TcpListener::bind(addr).is_ok()
    };
    (wanted..=u16::MAX).find(is_free)
}
