//! Tests through a real socket.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{CONNECTIONS, Server};
use crate::report::tests::sample;
use crate::results::save;

/// A server over a folder of its own.
struct Served {
    outer: PathBuf,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// Beside the folder that is served lies a file that must not be.
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let outer = std::env::temp_dir().join(format!("lab-serve-{}-{number}", std::process::id()));
        let folder = outer.join("served");
        fs::create_dir_all(&folder).unwrap();
        fs::write(outer.join("secret.txt"), "secret").unwrap();
        let server = Server::bind(&folder, "127.0.0.1:0".parse().unwrap()).unwrap();
        let address = server.address().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || server.run(&stopped).unwrap());
        Self {
            outer,
            address,
            stop,
            thread: Some(thread),
        }
    }

    fn with_run(self, name: &str) -> Self {
        let folder = self.folder().join(name);
        fs::create_dir_all(folder.join("raw")).unwrap();
        save(&sample::results(), &folder).unwrap();
        fs::write(folder.join("report.html"), "<p>the report</p>").unwrap();
        fs::write(folder.join("raw/1.txt"), "what wrk said").unwrap();
        self
    }

    fn folder(&self) -> PathBuf {
        self.outer.join("served")
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
    }

    /// The whole answer to a request line.
    fn ask(&self, line: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "{line}\r\nHost: lab\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        fs::remove_dir_all(&self.outer).unwrap();
        if !thread::panicking() {
            ended.unwrap();
        }
    }
}

#[test]
fn files_of_a_run_have_their_types() {
    let served = Served::new().with_run("one");
    for (path, kind, part) in [
        ("/runs/one/", "text/html; charset=utf-8", "the report"),
        (
            "/runs/one/report.html",
            "text/html; charset=utf-8",
            "the report",
        ),
        (
            "/runs/one/results.json",
            "application/json",
            "\"version\": 1",
        ),
        (
            "/runs/one/raw/1.txt",
            "text/plain; charset=utf-8",
            "what wrk said",
        ),
        (
            "/runs/one/raw/1.txt?x=/../..",
            "text/plain; charset=utf-8",
            "what wrk said",
        ),
        ("/health", "text/plain; charset=utf-8", "ok"),
    ] {
        let answer = served.get(path);
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n"),
            "{path}: {answer}"
        );
        assert!(
            answer.contains(&format!("Content-Type: {kind}\r\n")),
            "{path}: {answer}"
        );
        assert!(answer.contains(part), "{path}: {answer}");
    }
    let answer = served.get("/runs/one");
    assert!(
        answer.starts_with("HTTP/1.1 308 ") && answer.contains("Location: /runs/one/\r\n"),
        "{answer}"
    );
}

#[test]
fn nothing_outside_of_the_folder_can_be_had() {
    let served = Served::new().with_run("one");
    std::os::unix::fs::symlink(
        served.outer.join("secret.txt"),
        served.folder().join("one/link.txt"),
    )
    .unwrap();
    std::os::unix::fs::symlink(&served.outer, served.folder().join("out")).unwrap();
    fs::write(served.folder().join("one/.hidden"), "secret").unwrap();
    for path in [
        "/runs/../secret.txt",
        "/runs/one/../../secret.txt",
        "/runs/one/../../../secret.txt",
        "/runs/%2e%2e/secret.txt",
        "/runs/one/%2e%2e/%2e%2e/secret.txt",
        "/runs/one/..%2f..%2fsecret.txt",
        "/runs/one/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/runs/one/..%5c..%5csecret.txt",
        "/runs/one//../../secret.txt",
        "/runs//secret.txt",
        "/runs/one/link.txt",
        "/runs/one/.hidden",
        "/runs/out/secret.txt",
        "/runs/one/raw",
        "/runs/one/raw/",
        "/runs/one/none.txt%00.html",
        "/runs//etc/passwd",
        "/secret.txt",
        "//etc/passwd",
    ] {
        let answer = served.get(path);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        assert!(
            !answer.contains("root:") && !answer.ends_with("secret"),
            "{path}: {answer}"
        );
    }
    for path in ["/runs/%zz", "/runs/%f", "secret.txt", "http://lab/"] {
        let answer = served.get(path);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{path}: {answer}");
    }
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let served = Served::new().with_run("one");
    let get = served.get("/runs/one/");
    let head = served.ask("HEAD /runs/one/ HTTP/1.1");
    assert_eq!(Some(head.as_str()), get.strip_suffix("<p>the report</p>"));
    assert!(head.contains("Content-Length: 17\r\n"));
}

#[test]
fn other_methods_and_other_protocols_are_refused() {
    let served = Served::new();
    let answer = served.ask("POST / HTTP/1.1");
    assert!(
        answer.starts_with("HTTP/1.1 405 ") && answer.contains("Allow: GET, HEAD\r\n"),
        "{answer}"
    );
    for line in ["GET /", "hello", "GET / HTTP/2.0", "GET / x HTTP/1.1"] {
        assert!(served.ask(line).starts_with("HTTP/1.1 400 "), "{line}");
    }
    let long = format!("GET /{} HTTP/1.1", "x".repeat(10_000));
    assert!(served.ask(&long).starts_with("HTTP/1.1 431 "));
}

#[test]
fn the_list_has_the_newest_first_and_what_is_broken_with_its_error() {
    let served = Served::new().with_run("new").with_run("<i>old");
    let mut old = sample::results();
    old.started -= time::Duration::days(1);
    old.partial = Some("interrupted".to_owned());
    save(&old, &served.folder().join("<i>old")).unwrap();
    for (name, text) in [("broken", "{"), ("other", "{\"version\": 99}")] {
        fs::create_dir(served.folder().join(name)).unwrap();
        fs::write(served.folder().join(name).join("results.json"), text).unwrap();
    }
    fs::create_dir(served.folder().join("empty")).unwrap();
    let list = served.get("/");
    let places: Vec<usize> = [">new<", "&lt;i&gt;old", ">other<", ">empty<", ">broken<"]
        .into_iter()
        .map(|part| list.find(part).unwrap_or_else(|| panic!("{part}: {list}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    for part in [
        "href=\"./runs/%3Ci%3Eold/\"",
        ">partial<",
        "has version 99 of the format",
        "is no results file of the lab",
        "no results yet",
        "ping 1.64\u{d7} (after / before)",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
    assert!(!list.contains("<i>") && !list.contains(served.outer.to_str().unwrap()));
    assert!(served.get("/runs/broken/").starts_with("HTTP/1.1 500 "));
    assert!(served.get("/runs/%3Ci%3Eold/").contains("the report"));
}

#[test]
fn a_report_that_was_not_written_is_made() {
    let served = Served::new().with_run("one");
    fs::remove_file(served.folder().join("one/report.html")).unwrap();
    assert!(served.get("/runs/one/").contains("The short answer</h2>"));
}

#[test]
fn without_results_the_list_says_how_to_get_some() {
    let served = Served::new();
    assert!(
        served
            .get("/")
            .contains("docker compose run lab talk --quick")
    );
    fs::remove_dir(served.folder()).unwrap();
    let list = served.get("/");
    assert!(
        list.starts_with("HTTP/1.1 200 ") && list.contains("scripts/load-test"),
        "{list}"
    );
}

#[test]
fn more_connections_than_there_are_places_are_told_to_come_again() {
    let served = Served::new();
    let idle: Vec<TcpStream> = (0..CONNECTIONS).map(|_| served.connect()).collect();
    // In the order in which they came, so this one finds all places taken.
    let mut one_more = served.connect();
    let mut answer = String::new();
    one_more.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 503 ") && answer.contains("Retry-After"),
        "{answer}"
    );
    drop(idle);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !served.get("/health").starts_with("HTTP/1.1 200 ") {
        assert!(Instant::now() < deadline, "no place became free");
    }
}
