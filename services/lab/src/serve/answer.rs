//! What is answered: the list, a file of a run, or why not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::list;
use super::request::Request;
use crate::{report, results};

/// The largest file that is sent. The tools put out far less.
const LARGEST: u64 = 64 << 20;

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    status: u16,
    kind: &'static str,
    /// Where to go instead.
    location: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// A sentence.
    pub(super) fn text(status: u16, sentence: &str) -> Self {
        Self::of(status, TEXT, format!("{sentence}\n").into_bytes())
    }

    fn of(status: u16, kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status,
            kind,
            location: None,
            body,
        }
    }

    /// Its status and headers.
    pub(super) fn head(&self) -> Vec<u8> {
        let reason = match self.status {
            200 => "OK",
            308 => "Permanent Redirect",
            400 => "Bad Request",
            404 => "Not Found",
            405 => "Method Not Allowed",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        };
        let mut head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n\
             Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:\r\n",
            self.status,
            self.kind,
            self.body.len()
        );
        if self.status == 405 {
            head += "Allow: GET, HEAD\r\n";
        }
        if self.status == 503 {
            head += "Retry-After: 1\r\n";
        }
        if let Some(location) = &self.location {
            head += &format!("Location: {location}\r\n");
        }
        head += "\r\n";
        head.into_bytes()
    }
}

/// Answers a request.
pub(super) fn to(request: &Request, folder: &Path) -> Answer {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    match path.as_slice() {
        [""] => Answer::of(200, HTML, list::html(folder).into_bytes()),
        ["health"] => Answer::text(200, "ok"),
        ["runs", run] if !run.is_empty() => Answer {
            location: Some(format!(
                "/runs/{}/",
                report::link(run).trim_start_matches("./")
            )),
            ..Answer::text(308, "A run is a folder.")
        },
        ["runs", run, ""] => file(folder, &[run, report::FILE]),
        ["runs", parts @ ..] if parts.len() > 1 => file(folder, parts),
        _ => none(),
    }
}

fn none() -> Answer {
    Answer::text(404, "There is nothing here. The list of results is at /.")
}

/// A file of a run. Its report is made where it was not written.
fn file(folder: &Path, parts: &[&str]) -> Answer {
    match read(folder, parts) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Answer::text(
            413,
            "The file is too large for a page; open it in its folder.",
        ),
        Ok(body) => Answer::of(200, kind(parts[parts.len() - 1]), body),
        Err(_) => match parts {
            [run, name] if *name == report::FILE => made(folder, run),
            _ => none(),
        },
    }
}

fn made(folder: &Path, run: &str) -> Answer {
    let Some(path) = inside(folder, &[run, results::FILE]) else {
        return none();
    };
    match results::load(&path) {
        Ok(results) => Answer::of(200, HTML, report::html(&results).into_bytes()),
        Err(error) => Answer::text(500, &format!("This run cannot be shown: {error}")),
    }
}

fn read(folder: &Path, parts: &[&str]) -> io::Result<Vec<u8>> {
    let path = inside(folder, parts).ok_or(io::ErrorKind::NotFound)?;
    let about = fs::metadata(&path)?;
    // Nothing that could be waited for, as a pipe.
    if !about.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    if about.len() > LARGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    fs::read(path)
}

/// The place of a file, if it is below the folder: not by its name only, but
/// after all links.
fn inside(folder: &Path, parts: &[&str]) -> Option<PathBuf> {
    let mut path = folder.canonicalize().ok()?;
    let root = path.clone();
    for part in parts {
        let plain = !part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\', '\0']);
        if !plain {
            return None;
        }
        path.push(part);
    }
    let path = path.canonicalize().ok()?;
    path.starts_with(&root).then_some(path)
}

/// The type of a file. The output of tools is shown and not downloaded.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => HTML,
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        None | Some("txt" | "log" | "out" | "err") => TEXT,
        Some(_) => "application/octet-stream",
    }
}
