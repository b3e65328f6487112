//! A thread that serves connections.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use super::Options;
use super::line::Line;

/// How many events are taken from the kernel at once.
const EVENTS: usize = 256;

/// How much is read at once: many requests, if they come together.
const BUFFER: usize = 16 * 1024;

/// What ends the head of a request. Bodies are not read: none should come.
const END: &[u8; 4] = b"\r\n\r\n";

/// Events that are no connection's. Those are counted from 0.
const BELL: u64 = u64::MAX;
const TIMER: u64 = u64::MAX - 1;

/// The acceptor's end of it.
pub(super) struct Worker {
    streams: Sender<TcpStream>,
    bell: Arc<OwnedFd>,
}

impl Worker {
    pub(super) fn start(options: Options) -> io::Result<Self> {
        let (streams, taken) = mpsc::channel();
        let bell = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        let server = Server::new(options, taken, bell.clone())?;
        thread::Builder::new().spawn(|| server.run())?;
        Ok(Self { streams, bell })
    }

    /// Gives it a connection.
    pub(super) fn take(&self, stream: TcpStream) -> io::Result<()> {
        let gone = |_| io::Error::other("a worker has ended");
        self.streams.send(stream).map_err(gone)?;
        rustix::io::write(&*self.bell, &1_u64.to_ne_bytes())?;
        Ok(())
    }
}

struct Server {
    epoll: OwnedFd,
    streams: Receiver<TcpStream>,
    bell: Arc<OwnedFd>,
    timer: OwnedFd,
    connections: HashMap<u64, Connection>,
    /// How many connections there ever were: the name of the next.
    names: u64,
    answers: Answers,
    /// The connections whose requests wait, if there is a delay.
    line: Option<Line<u64>>,
    /// For what is read.
    buffer: Vec<u8>,
}

impl Server {
    fn new(options: Options, streams: Receiver<TcpStream>, bell: Arc<OwnedFd>) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &*bell, EventData::new_u64(BELL), EventFlags::IN)?;
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
        let delayed = !options.delay.is_zero();
        Ok(Self {
            epoll,
            streams,
            bell,
            timer,
            connections: HashMap::new(),
            names: 0,
            answers: Answers::new(options),
            line: delayed.then(|| Line::new(options.slots, options.delay, Instant::now())),
            buffer: vec![0; BUFFER],
        })
    }

    /// Serves until the process ends.
    fn run(mut self) {
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        loop {
            events.clear();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => panic!("epoll: {error}"),
            }
            for event in &events {
                match event.data.u64() {
                    BELL => self.welcome(),
                    TIMER => self.on_time(),
                    name => self.serve(name, event.flags),
                }
            }
        }
    }

    fn welcome(&mut self) {
        // Read for nothing but to be told of the next.
        let _ = rustix::io::read(&*self.bell, &mut [0; 8]);
        while let Ok(stream) = self.streams.try_recv() {
            let name = self.names;
            self.names += 1;
            let data = EventData::new_u64(name);
            if epoll::add(&self.epoll, &stream, data, EventFlags::IN).is_ok() {
                self.connections.insert(name, Connection::new(stream));
            }
        }
    }

    fn serve(&mut self, name: u64, events: EventFlags) {
        let Some(connection) = self.connections.get_mut(&name) else {
            return;
        };
        let served = if events.contains(EventFlags::OUT) {
            connection.go_on(&self.epoll, name)
        } else {
            connection.read(&mut self.buffer)
        };
        let sent = match (served, &mut self.line) {
            (Ok(0), _) => return,
            (Ok(requests), None) => {
                let answers = self.answers.next(requests);
                connection.send(answers, &self.epoll, name)
            }
            (Ok(requests), Some(line)) => {
                let now = Instant::now();
                let waits = line.next().is_some();
                for _ in 0..requests {
                    line.join(name, now);
                }
                if !waits {
                    self.set_timer();
                }
                return;
            }
            (Err(error), _) => Err(error),
        };
        if sent.is_err() {
            // Closed with it, the epoll forgets it.
            self.connections.remove(&name);
        }
    }

    /// Answers those whose time has come.
    fn on_time(&mut self) {
        // Read for nothing but to be told of the next time.
        let _ = rustix::io::read(&self.timer, &mut [0; 8]);
        while let Some(name) = self
            .line
            .as_mut()
            .and_then(|line| line.leave(Instant::now()))
        {
            let Some(connection) = self.connections.get_mut(&name) else {
                continue; // it has left
            };
            let answer = self.answers.next(1);
            if connection.send(answer, &self.epoll, name).is_err() {
                self.connections.remove(&name);
            }
        }
        self.set_timer();
    }

    /// For the next one in the line. A timeout of the epoll would be a whole
    /// number of milliseconds.
    fn set_timer(&self) {
        let Some(due) = self.line.as_ref().and_then(Line::next) else {
            return;
        };
        let wait = due.saturating_duration_since(Instant::now());
        let zero = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let timer = Itimerspec {
            it_interval: zero,
            it_value: Timespec {
                tv_sec: wait.as_secs().try_into().unwrap_or(i64::MAX),
                // Zero would be no timer at all.
                tv_nsec: i64::from(wait.subsec_nanos()).max(1),
            },
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &timer)
            .expect("the timer is ours and the time is valid");
    }
}

struct Connection {
    stream: TcpStream,
    /// How much of [`END`] stands at the end of what was read. All the state
    /// that a request of any length needs.
    matched: usize,
    /// What did not fit into the socket.
    unsent: Vec<u8>,
}

impl Connection {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            matched: 0,
            unsent: Vec::new(),
        }
    }

    /// How many requests end in what has come. An error, if the client has
    /// left.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stream.read(buffer) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => Ok(ends(&mut self.matched, &buffer[..length])),
            Err(error) if is_later(&error) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Sends answers; what does not fit is sent when it does.
    fn send(&mut self, answers: &[u8], epoll: &OwnedFd, name: u64) -> io::Result<()> {
        if !self.unsent.is_empty() {
            self.unsent.extend_from_slice(answers);
            return Ok(());
        }
        let sent = match self.stream.write(answers) {
            Ok(sent) => sent,
            Err(error) if is_later(&error) => 0,
            Err(error) => return Err(error),
        };
        if sent < answers.len() {
            self.unsent.extend_from_slice(&answers[sent..]);
            // Nothing is read in the meantime: who does not read may not ask.
            self.watch(epoll, name, EventFlags::OUT)?;
        }
        Ok(())
    }

    /// Sends on. No requests were read.
    fn go_on(&mut self, epoll: &OwnedFd, name: u64) -> io::Result<usize> {
        match self.stream.write(&self.unsent) {
            Ok(sent) => drop(self.unsent.drain(..sent)),
            Err(error) if is_later(&error) => {}
            Err(error) => return Err(error),
        }
        if self.unsent.is_empty() {
            self.watch(epoll, name, EventFlags::IN)?;
        }
        Ok(0)
    }

    fn watch(&self, epoll: &OwnedFd, name: u64, events: EventFlags) -> io::Result<()> {
        epoll::modify(epoll, self.stream.as_fd(), EventData::new_u64(name), events)?;
        Ok(())
    }
}

fn is_later(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, WouldBlock};
    matches!(error.kind(), WouldBlock | Interrupted)
}

/// How often [`END`] ends in these bytes, if so much of it stood before them.
fn ends(matched: &mut usize, bytes: &[u8]) -> usize {
    let mut ends = 0;
    for byte in bytes {
        *matched = match byte {
            byte if *byte == END[*matched] => *matched + 1,
            b'\r' => 1,
            _ => 0,
        };
        if *matched == END.len() {
            *matched = 0;
            ends += 1;
        }
    }
    ends
}

/// The answers, good and bad ones.
struct Answers {
    good: Vec<u8>,
    bad: Vec<u8>,
    /// The share of the bad ones.
    share: f64,
    /// What is due of the next bad one: spread evenly, and not by chance.
    due: f64,
    /// For several at once.
    several: Vec<u8>,
}

impl Answers {
    fn new(options: Options) -> Self {
        let answer = |status: u16| {
            format!(
                "HTTP/1.1 {status} \r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\npong"
            )
            .into_bytes()
        };
        Self {
            good: answer(200),
            bad: answer(options.status),
            share: options.share,
            due: 0.0,
            several: Vec::new(),
        }
    }

    /// The next so many.
    fn next(&mut self, count: usize) -> &[u8] {
        if count == 1 {
            return self.one();
        }
        let mut several = std::mem::take(&mut self.several);
        several.clear();
        for _ in 0..count {
            several.extend_from_slice(self.one());
        }
        self.several = several;
        &self.several
    }

    fn one(&mut self) -> &[u8] {
        self.due += self.share;
        // Ten tenths are a bit less than one.
        if self.due > 1.0 - 1e-9 {
            self.due -= 1.0;
            &self.bad
        } else {
            &self.good
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_however_they_are_cut() {
        let two = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: b\r\n\r\n";
        for cut in 0..two.len() {
            let mut matched = 0;
            let (first, rest) = two.split_at(cut);
            let count = ends(&mut matched, first) + ends(&mut matched, rest);
            assert_eq!((count, matched), (2, 0), "cut at {cut}");
        }
    }

    #[test]
    fn almost_an_end_is_none() {
        let mut matched = 0;
        assert_eq!(ends(&mut matched, b"\r\n\r\r\n"), 0);
        assert_eq!(ends(&mut matched, b"\r\n"), 1);
    }

    #[test]
    fn bad_answers_are_spread_evenly() {
        let mut answers = Answers::new(Options {
            status: 500,
            share: 0.25,
            ..Options::default()
        });
        let text = String::from_utf8(answers.next(8).to_vec()).expect("text");
        let statuses: Vec<&str> = text
            .split("HTTP/1.1 ")
            .skip(1)
            .map(|answer| &answer[..3])
            .collect();
        assert_eq!(
            statuses,
            ["200", "200", "200", "500", "200", "200", "200", "500"]
        );
    }
}
