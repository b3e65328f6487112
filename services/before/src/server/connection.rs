//! One connection on one thread.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::TcpStream;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{CONNECTION, HeaderValue};
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use rustix::event::{PollFd, PollFlags};
use shared::connection::{ConnectionClock, Phase};
use shared::error::Error;
use shared::middleware::body_limit::Collected;
use shared::middleware::time_limit::Deadline;
use shared::server::leaves_body_unread;

use super::io::{Io, Socket};
use super::workers::Workers;
use crate::poll::{Woken, wait_for};

/// How long a connection keeps its thread while others wait for one. Long
/// enough that a new connection is not needed for each request, short enough
/// that a full turn of the line takes no time to speak of.
const TURN: Duration = Duration::from_millis(20);

/// How long an idle connection keeps its thread when somebody else needs it: if
/// its client is about to send, the request must not meet a closed connection.
const LAST_CHANCE: Duration = Duration::from_millis(100);

/// The same for one that is in the middle of a head.
const SLOW_HEAD: Duration = Duration::from_secs(1);

/// Serves a connection to its end.
pub(super) fn serve(stream: TcpStream, workers: &Workers) {
    let clock = ConnectionClock::start(&workers.limits);
    let Ok(socket) = Socket::new(stream, clock) else {
        return; // The client has gone already.
    };
    let turn = Turn::start();
    let service = service_fn(|request| answer(request, workers, &socket.clock, &turn));
    let io = Io::new(socket.clone());
    // hyper's `half_close` stays off, as in `after`: a client that closes its
    // sending side counts as gone and gets no answer.
    let connection = pin!(http1::Builder::new().serve_connection(io, service));
    drive(connection, &socket, workers, &turn);
}

/// Polls hyper, and sleeps whenever it has to wait: for the socket, for the
/// stop, for somebody who needs the thread more, or for the end of its time.
fn drive<S>(
    mut connection: Pin<&mut http1::Connection<Io, S>>,
    socket: &Socket,
    workers: &Workers,
    turn: &Turn,
) where
    S: hyper::service::HttpService<Incoming, ResBody = Full<Bytes>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let mut context = Context::from_waker(&waker);
    let mut stopping = false;
    loop {
        socket.reset();
        match connection.as_mut().poll(&mut context) {
            // An error here is the client's: it has left, or sent no HTTP.
            Poll::Ready(_) => return,
            Poll::Pending if woken.take() => continue,
            Poll::Pending => {}
        }
        let clock = &socket.clock;
        if clock.expired() && clock.phase() != Phase::Body {
            return;
        }
        if workers.stop.is_rung() && !stopping {
            stopping = true;
            clock.stop();
            connection.as_mut().graceful_shutdown();
            continue;
        }
        if turn.ends_idle(clock, workers) {
            return;
        }
        sleep(socket, workers, turn, stopping);
    }
}

/// A connection's turn on its thread.
struct Turn {
    since: Instant,
    /// Somebody waits, and this connection was asked to make room.
    asked: Cell<bool>,
}

impl Turn {
    fn start() -> Self {
        Self {
            since: Instant::now(),
            asked: Cell::new(false),
        }
    }

    /// Whether the connection closes with its next answer.
    fn ends(&self, workers: &Workers) -> bool {
        (self.asked.get() || self.since.elapsed() > TURN) && workers.somebody_waits()
    }

    /// Whether it closes without one: it was asked, and sent no request.
    fn ends_idle(&self, clock: &ConnectionClock, workers: &Workers) -> bool {
        self.asked.get()
            && last_chance(clock).is_some_and(|chance| clock.lasted() >= chance)
            && workers.somebody_waits()
    }
}

/// How long a connection in its phase keeps its thread when somebody else needs
/// it; none if it has a request that is being served.
fn last_chance(clock: &ConnectionClock) -> Option<Duration> {
    match clock.phase() {
        Phase::Fresh | Phase::Idle => Some(LAST_CHANCE),
        Phase::Head => Some(SLOW_HEAD),
        _ => None,
    }
}

/// Sleeps in `poll(2)`.
fn sleep(socket: &Socket, workers: &Workers, turn: &Turn, stopping: bool) {
    let clock = &socket.clock;
    let mut limit = clock.left();
    let chance = last_chance(clock);
    // Who was waiting may have found another thread in the meantime.
    turn.asked.set(turn.asked.get() && workers.somebody_waits());
    if let (Some(chance), true) = (chance, turn.asked.get()) {
        let chance = chance.saturating_sub(clock.lasted());
        limit = limit.map(|limit| limit.min(chance));
    }
    // Nobody is in a hurry to be asked whose request is being served.
    let can_be_asked = chance.is_some() && !turn.asked.get();
    let mut handles = [
        PollFd::new(&socket.stream, socket.interest()),
        PollFd::new(&*workers.stop, PollFlags::IN),
        PollFd::new(workers.pressure(), PollFlags::IN),
    ];
    // Once it has rung, the bell would end each sleep.
    if stopping {
        handles.swap(1, 2);
    }
    let watched = 1 + usize::from(!stopping) + usize::from(can_be_asked);
    wait_for(&mut handles[..watched], limit);
    socket.came(handles[0].revents());
    let pressed = can_be_asked && !handles[watched - 1].revents().is_empty();
    if pressed && workers.is_asked_to_yield() {
        turn.asked.set(true);
    }
}

/// Answers a request: reads the body, for which this thread sleeps in
/// `poll(2)`, then calls the handler, in which it blocks.
async fn answer(
    request: Request<Incoming>,
    workers: &Workers,
    clock: &ConnectionClock,
    turn: &Turn,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let exchange = workers.app.begin(&head);
    let deadline = exchange.deadline();
    let body = collect(&head, body, exchange.body_limit(), deadline, clock).await;
    clock.serving();
    let mut response = workers.app.answer(exchange, &head, body);
    if turn.ends(workers) || workers.stop.is_rung() {
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    clock.answered(leaves_body_unread(&response));
    Ok(response.map(Full::new))
}

/// Reads the whole body.
async fn collect(
    head: &Parts,
    mut body: Incoming,
    limit: usize,
    deadline: Deadline,
    clock: &ConnectionClock,
) -> Result<Bytes, Error> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let mut collected = Collected::new(&head.headers, limit)?;
    clock.reading_body(deadline.at());
    loop {
        let mut frame = pin!(body.frame());
        let frame = poll_fn(|context| match frame.as_mut().poll(context) {
            Poll::Pending if deadline.at() <= Instant::now() => {
                Poll::Ready(Err(Error::BodyTimeout))
            }
            polled => polled.map(Ok),
        });
        match frame.await? {
            None => return Ok(collected.finish()),
            // Only a client that breaks off or breaks the protocol gets here.
            Some(Err(_)) => {
                let detail = "the body broke off".into();
                return Err(Error::Malformed {
                    field: None,
                    detail,
                });
            }
            Some(Ok(frame)) => {
                if let Some(piece) = frame.data_ref() {
                    collected.push(piece)?;
                }
            }
        }
    }
}
