//! The command line of the services: they are configured by the environment,
//! so it only asks for help, the version or a health check.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::config::{Service, VARIABLES};

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Serve.
    Run,
    /// Ask the service that runs under the same configuration whether it is
    /// ready: for health checks in images without an HTTP client.
    Check,
    /// Print this text and end well.
    Print(String),
    /// Print this text and end badly.
    Misuse(String),
}

/// Reads the arguments after the program's name.
pub fn parse(service: Service, arguments: impl IntoIterator<Item = String>) -> Command {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => Command::Run,
        ["--check"] => Command::Check,
        ["--help" | "-h"] => Command::Print(help(service)),
        ["--version" | "-V"] => Command::Print(format!(
            "{} {}\n",
            service.name(),
            env!("CARGO_PKG_VERSION")
        )),
        _ => Command::Misuse(format!(
            "{0}: unknown arguments: {1}\nTry {0} --help.\n",
            service.name(),
            words.join(" ")
        )),
    }
}

fn help(service: Service) -> String {
    let name = service.name();
    let kind = match service {
        Service::Before => "blocking threads",
        Service::After => "axum, tokio and sqlx",
    };
    let mut text = format!(
        "The exchange service on {kind}.\n\n\
         Usage: {name} [--check | --help | --version]\n\n\
         \x20 --check    ask the running service whether it is ready; exit code 0 if so\n\
         \x20 --help     this text\n\
         \x20 --version  the version\n\n\
         SIGTERM and SIGINT stop it when what is in flight is finished; a second one at once.\n\n\
         Environment:\n"
    );
    for variable in VARIABLES {
        let _ = write!(text, "  {:24}{}", variable.name, variable.meaning);
        if !variable.default.is_empty() {
            let _ = write!(text, " [{}]", variable.default);
        }
        text.push('\n');
    }
    text
}

/// Whether the service that listens there answers `GET /ready` with 200. Blocks,
/// for some seconds at most.
#[must_use]
pub fn is_ready(listen: SocketAddr) -> bool {
    let ask = || -> std::io::Result<bool> {
        let limit = Duration::from_secs(3);
        let mut stream = TcpStream::connect_timeout(&reachable(listen), limit)?;
        stream.set_read_timeout(Some(limit))?;
        stream.write_all(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(&status == b"HTTP/1.1 200")
    };
    ask().unwrap_or(false)
}

/// An address that listens everywhere is asked on loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line() {
        let parse =
            |words: &[&str]| parse(Service::After, words.iter().map(|word| (*word).to_owned()));
        assert_eq!(parse(&[]), Command::Run);
        assert_eq!(parse(&["--check"]), Command::Check);
        let Command::Print(help) = parse(&["--help"]) else {
            panic!("no help")
        };
        assert!(help.contains("DB_POOL") && help.contains("[8]"));
        assert!(matches!(parse(&["--port", "80"]), Command::Misuse(_)));
    }
}
