//! The parking lot: connections that wait for their clients and hold no thread.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};

use super::connection::Connection;

/// How many events are taken from the kernel at once.
const EVENTS: usize = 128;

/// No file handle has this number.
const CALL: u64 = u64::MAX;

/// One `epoll(7)` for all of them. It is told of a connection once, and then
/// reports each change ("edge-triggered"), also one that comes while a thread
/// serves it.
pub(super) struct Parking {
    epoll: OwnedFd,
    /// Calls whoever waits in the epoll. A counter that is never read: each
    /// write is a change.
    call: OwnedFd,
    /// By file handle. A std mutex, held for a look into a table.
    places: Mutex<HashMap<u64, Place>>,
}

/// What is known of a file handle. It outlives its connection, and is that of the
/// next one with the same number: taken away later, it might be that one's.
enum Place {
    Parked(Connection),
    /// A thread has it, and this has happened since.
    Away(EventFlags),
}

impl Place {
    /// Takes the connection that may be parked there, and tells it, now or later,
    /// what has happened.
    fn tell(&mut self, events: EventFlags) -> Option<Connection> {
        match std::mem::replace(self, Self::Away(EventFlags::empty())) {
            Self::Parked(connection) => {
                connection.came(events);
                Some(connection)
            }
            Self::Away(before) => {
                *self = Self::Away(before | events);
                None
            }
        }
    }
}

/// What became of a connection that was to be parked.
pub(super) enum Parked {
    Yes,
    /// Something has come for it in the meantime.
    Ready(Connection),
    /// It cannot be watched.
    Never,
}

impl Parking {
    pub(super) fn new() -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let call = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        let each = EventFlags::IN | EventFlags::ET;
        epoll::add(&epoll, &call, EventData::new_u64(CALL), each)?;
        Ok(Self {
            epoll,
            call,
            places: Mutex::default(),
        })
    }

    fn places(&self) -> MutexGuard<'_, HashMap<u64, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in until something happens to its socket.
    pub(super) fn park(&self, mut connection: Connection) -> Parked {
        let Ok(key) = u64::try_from(connection.stream().as_raw_fd()) else {
            return Parked::Never;
        };
        let known = std::mem::replace(&mut connection.known, true);
        let mut places = self.places();
        if known {
            if let Some(Place::Away(events)) = places.get_mut(&key)
                && !events.is_empty()
            {
                connection.came(std::mem::replace(events, EventFlags::empty()));
                return Parked::Ready(connection);
            }
        } else {
            // What is there already is reported, too: the lock is held until both
            // know of it.
            let each = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
            if epoll::add(&self.epoll, &connection, EventData::new_u64(key), each).is_err() {
                return Parked::Never;
            }
        }
        places.insert(key, Place::Parked(connection));
        Parked::Yes
    }

    /// Watches a connection no more: a thread keeps it.
    pub(super) fn forget(&self, connection: &mut Connection) {
        if std::mem::take(&mut connection.known) {
            // Can only fail for a handle that it does not know.
            let _ = epoll::delete(&self.epoll, &*connection);
        }
    }

    /// Waits until something happens, for so long at most: those that can go on.
    pub(super) fn ready(&self, limit: Duration) -> Vec<Connection> {
        let limit = Timespec {
            tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: limit.subsec_nanos().into(),
        };
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        // An interrupted wait ends early, as whoever calls looks again anyway.
        let _ = epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&limit));
        let mut places = self.places();
        let told = events.iter().filter_map(|event| {
            let place = places.get_mut(&event.data.u64())?;
            place.tell(event.flags)
        });
        told.collect()
    }

    /// Ends the wait of a thread in [`Parking::ready`], if there is one.
    pub(super) fn call(&self) {
        // Can only fail when the counter is full, after centuries.
        let _ = rustix::io::write(&self.call, &1_u64.to_ne_bytes());
    }

    /// Those that have waited too long.
    pub(super) fn due(&self) -> Vec<Connection> {
        let mut places = self.places();
        let is_due =
            |place: &&mut Place| matches!(place, Place::Parked(connection) if connection.is_due());
        let due = places.values_mut().filter(is_due);
        due.filter_map(|place| place.tell(EventFlags::empty()))
            .collect()
    }

    /// Tells all of them that the server stops.
    pub(super) fn stop(&self) {
        for place in self.places().values_mut() {
            if let Place::Parked(connection) = place {
                connection.stop();
            }
        }
    }
}

/// Readable while there is something to be had from [`Parking::ready`].
impl AsFd for Parking {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }
}
