//! The bare responder: what it answers, and when it ends.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use rustix::process::Signal;

use crate::bare::Bare;

const ANSWER: &str = "HTTP/1.1 200 \r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\npong";

/// Everything that is answered to this many requests, sent at once.
fn answers(bare: &Bare, count: usize) -> String {
    let mut stream = TcpStream::connect(bare.address()).expect("it listens");
    let requests = "GET /anything HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count);
    stream.write_all(requests.as_bytes()).expect("it reads");
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while text.matches("pong").count() < count {
        let length = stream.read(&mut buffer).expect("it answers");
        assert!(length > 0, "closed after {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..length]));
    }
    text
}

#[test]
fn it_answers_requests_that_come_together() {
    let bare = Bare::start(&[]);
    let text = answers(&bare, 1_000);
    assert_eq!(text.matches("HTTP/1.1 200 \r\n").count(), 1_000);
}

#[test]
fn it_goes_on_when_a_client_reads_late() {
    let bare = Bare::start(&[]);
    let mut stream = TcpStream::connect(bare.address()).expect("it listens");
    let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000);
    let mut reader = stream.try_clone().expect("a handle");
    // More than fits into both sockets, so that it has to stop and go on.
    let count = 200_000;
    let writing = thread::spawn(move || {
        for _ in 0..count / 1_000 {
            stream.write_all(request.as_bytes()).expect("it reads on");
        }
        stream
    });
    let mut come = 0;
    let mut buffer = vec![0; 1 << 16];
    while come < count * ANSWER.len() {
        let length = reader.read(&mut buffer).expect("it answers");
        assert!(length > 0, "closed after {come} bytes");
        come += length;
    }
    assert_eq!(come, count * ANSWER.len());
    drop(writing.join().expect("all were written"));
}

#[test]
fn it_fails_as_often_as_it_is_told_to() {
    let bare = Bare::start(&["--status", "503", "--fail-share", "0.1"]);
    let text = answers(&bare, 100);
    assert_eq!(text.matches("HTTP/1.1 503 ").count(), 10);
    assert_eq!(text.matches("HTTP/1.1 200 ").count(), 90);
}

#[test]
fn its_slots_are_its_capacity() {
    let bare = Bare::start(&["--slots", "4", "--delay-ms", "20"]);
    let started = Instant::now();
    answers(&bare, 16);
    // 16 over 4 slots of 20 ms each. It may take longer on a busy machine.
    assert!(started.elapsed().as_millis() >= 80);
}

#[test]
fn it_ends_when_nobody_holds_its_input() {
    let bare = Bare::start(&[]);
    answers(&bare, 1);
    assert!(bare.end());
}

#[test]
fn it_ends_when_it_is_told_to() {
    let bare = Bare::start(&[]);
    bare.signal(Signal::TERM);
    assert!(!bare.end(), "a signal is no good end");
}
