//! The parking lot: connections that wait for their clients and hold no thread.

use std::collections::HashMap;
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{PollFlags, Timespec};

use super::connection::Connection;
use super::stop::Stop;

/// How many events are taken from the kernel at once.
const EVENTS: usize = 256;

/// No file handle has this number.
const LISTENER: u64 = u64::MAX;
const BELL: u64 = u64::MAX - 1;

/// What has happened.
#[derive(Default)]
pub(super) struct News {
    /// Somebody wants to be accepted.
    pub(super) knocks: bool,
    /// Connections that can go on, and those that have waited too long.
    pub(super) ready: Vec<Connection>,
}

/// One `epoll(7)` for all of them, in which the acceptor waits.
pub(super) struct Parking {
    epoll: OwnedFd,
    /// By file handle. A std mutex, held for a look into a table.
    parked: Mutex<HashMap<u64, Connection>>,
}

impl Parking {
    pub(super) fn new(listener: &TcpListener, stop: &Stop) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(
            &epoll,
            listener,
            EventData::new_u64(LISTENER),
            EventFlags::IN,
        )?;
        epoll::add(&epoll, stop, EventData::new_u64(BELL), EventFlags::IN)?;
        Ok(Self {
            epoll,
            parked: Mutex::default(),
        })
    }

    fn parked(&self) -> MutexGuard<'_, HashMap<u64, Connection>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in until its socket is ready. Gives it back if it
    /// cannot be watched.
    pub(super) fn park(&self, mut connection: Connection) -> Option<Connection> {
        // hyper always waits for the one or the other; errors come unasked.
        let mut events = EventFlags::ONESHOT;
        events.set(
            EventFlags::IN,
            connection.interest().contains(PollFlags::IN),
        );
        events.set(
            EventFlags::OUT,
            connection.interest().contains(PollFlags::OUT),
        );
        let Ok(key) = u64::try_from(connection.stream().as_raw_fd()) else {
            return Some(connection);
        };
        let known = std::mem::replace(&mut connection.known, true);
        // First the table, then the kernel, which may say at once that it is
        // ready: the lock is held until both know.
        let mut parked = self.parked();
        let watched = if known {
            epoll::modify(&self.epoll, &connection, EventData::new_u64(key), events)
        } else {
            epoll::add(&self.epoll, &connection, EventData::new_u64(key), events)
        };
        if watched.is_err() {
            return Some(connection);
        }
        parked.insert(key, connection);
        None
    }

    /// Waits until something happens, for so long at most.
    pub(super) fn news(&self, limit: Option<Duration>) -> News {
        let limit = limit.map(|limit| Timespec {
            tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: limit.subsec_nanos().into(),
        });
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        let mut news = News::default();
        // An interrupted wait ends early, as whoever calls looks again anyway.
        let _ = epoll::wait(&self.epoll, spare_capacity(&mut events), limit.as_ref());
        let mut parked = self.parked();
        for event in &events {
            match event.data.u64() {
                LISTENER => news.knocks = true,
                BELL => {}
                key => news.ready.extend(parked.remove(&key)),
            }
        }
        news
    }

    /// Those that have waited too long.
    pub(super) fn due(&self) -> Vec<Connection> {
        let mut parked = self.parked();
        let due = parked.extract_if(|_, connection| connection.is_due());
        due.map(|(_, connection)| connection).collect()
    }

    /// Tells all of them that the server stops.
    pub(super) fn stop(&self) {
        for connection in self.parked().values_mut() {
            connection.stop();
        }
    }

    /// Looks at the listener and at the bell no more.
    pub(super) fn close(&self, listener: &TcpListener, stop: &Stop) {
        // Can only fail for a handle that it does not know.
        let _ = epoll::delete(&self.epoll, listener);
        let _ = epoll::delete(&self.epoll, stop);
    }
}
