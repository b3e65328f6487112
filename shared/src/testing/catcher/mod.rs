//! A small Sentry on loopback: takes envelopes, keeps them, and can be told to
//! delay, to refuse and to hang.

mod envelope;
mod listen;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use super::wait::{PATIENCE, Watched};

/// What the catcher does with an envelope that it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Keeps it and says so.
    Answer,
    /// Keeps it and says so after this time.
    Delay(Duration),
    /// Refuses it with 429, to be tried again after so many seconds.
    Refuse(u32),
    /// Keeps it and never answers.
    Hang,
}

/// What was posted so far.
struct State {
    mode: Mode,
    /// The raw bytes of each request, head and decoded body.
    raw: Vec<Vec<u8>>,
    /// The events that were kept.
    events: Vec<Value>,
    stopped: bool,
}

/// The catcher; it stops with this value.
pub struct Catcher {
    addr: SocketAddr,
    state: Arc<Watched<State>>,
    acceptor: Option<JoinHandle<()>>,
}

impl Catcher {
    /// Starts to listen on a free port of loopback.
    ///
    /// # Panics
    /// If there is none.
    pub fn start() -> Self {
        let state = Arc::new(Watched::new(State {
            mode: Mode::Answer,
            raw: Vec::new(),
            events: Vec::new(),
            stopped: false,
        }));
        let (addr, acceptor) = listen::start(&state);
        Self {
            addr,
            state,
            acceptor: Some(acceptor),
        }
    }

    /// What to give as `SENTRY_DSN`.
    pub fn dsn(&self) -> String {
        format!("http://catcher-key@{}/1", self.addr)
    }

    /// Changes what is done with envelopes, those that wait included.
    pub fn set(&self, mode: Mode) {
        self.state.change(|state| state.mode = mode);
    }

    /// The events that were kept so far, in the order of their arrival.
    pub fn events(&self) -> Vec<Value> {
        self.state.lock().events.clone()
    }

    /// How many envelopes were posted, also those that were refused.
    pub fn posted(&self) -> usize {
        self.state.lock().raw.len()
    }

    /// Everything that was posted, head and body.
    pub fn raw_bytes(&self) -> Vec<u8> {
        self.state.lock().raw.concat()
    }

    /// Waits until there are so many events, and no more.
    ///
    /// # Panics
    /// If no more come for the usual patience, or there are more already.
    pub fn wait_for(&self, count: usize) -> Vec<Value> {
        let mut seen = 0;
        while seen < count {
            let more = |state: &State| Some(state.events.len()).filter(|now| *now > seen);
            match self.state.wait(PATIENCE, more) {
                Some(now) => seen = now,
                None => break,
            }
        }
        let events = self.events();
        let transactions: BTreeSet<_> = events
            .iter()
            .map(|event| event["transaction"].to_string())
            .collect();
        let came = events.len();
        assert_eq!(came, count, "events came, of {transactions:?}");
        events
    }

    /// Waits until so many envelopes were posted, whatever became of them.
    ///
    /// # Panics
    /// If there are fewer after the usual patience.
    pub fn wait_for_posts(&self, count: usize) {
        self.state
            .wait(PATIENCE, |state| (state.raw.len() >= count).then_some(()))
            .unwrap_or_else(|| panic!("{count} posts were expected, {} came", self.posted()));
    }
}

impl Drop for Catcher {
    fn drop(&mut self) {
        self.state.change(|state| state.stopped = true);
        // Wakes the acceptor.
        let _ = std::net::TcpStream::connect(self.addr);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}
