//! One connection, on whichever thread serves it.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use http::header::{CONNECTION, HeaderValue};
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use rustix::event::epoll::EventFlags;
use rustix::event::{PollFd, PollFlags};
use shared::connection::{ConnectionClock, Phase};
use shared::error::Error;
use shared::middleware::body_limit::Collected;
use shared::middleware::time_limit::Deadline;
use shared::server::leaves_body_unread;

use super::io::{Io, Socket};
use super::stop::Stop;
use super::workers::Workers;
use crate::app::App;
use crate::crew;
use crate::poll::{Woken, wait_for};

/// A connection with all that hyper knows of it. Whatever it waits for, another
/// thread can go on with it.
pub(super) struct Connection {
    engine: Pin<Box<http1::Connection<Io, Handler>>>,
    socket: Arc<Socket>,
    woken: Arc<Woken>,
    stopping: bool,
    /// Whether hyper knows that.
    told: bool,
    /// Whether the parking lot has seen it before.
    pub(super) known: bool,
}

impl Connection {
    /// Nothing if the client has gone already.
    pub(super) fn new(stream: TcpStream, workers: &Workers) -> Option<Self> {
        let served = workers.app.metrics.connections_served.clone();
        let clock = ConnectionClock::start(&workers.limits, served);
        let socket = Socket::new(stream, clock).ok()?;
        let handler = Handler {
            app: workers.app.clone(),
            stop: workers.stop.clone(),
            socket: socket.clone(),
        };
        let io = Io::new(socket.clone());
        // hyper's `half_close` stays off, as in `after`: a client that closes its
        // sending side counts as gone and gets no answer.
        let engine = http1::Builder::new().serve_connection(io, handler);
        Some(Self {
            engine: Box::pin(engine),
            socket,
            woken: Arc::default(),
            stopping: false,
            told: false,
            known: false,
        })
    }

    /// Notes what the parking lot has seen of its socket.
    pub(super) fn came(&self, events: EventFlags) {
        self.socket
            .came(!events.difference(EventFlags::OUT).is_empty());
        if events.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR) {
            self.socket.ended();
        }
    }

    /// Whether it has waited too long, and has to be looked after.
    pub(super) fn is_due(&self) -> bool {
        self.socket.clock.expired()
    }

    /// Whether no answer is due or half written: it can be refused, and closed.
    pub(super) fn is_between_requests(&self) -> bool {
        matches!(
            self.socket.clock.phase(),
            Phase::Fresh | Phase::Idle | Phase::Head
        )
    }

    /// Its socket.
    pub(super) fn stream(&self) -> &TcpStream {
        &self.socket.stream
    }

    /// Serves it on this thread: polls hyper, and sleeps whenever that has to
    /// wait: for the socket, for the stop, for a crowd that needs the thread more,
    /// or for the end of its time. Gives it back, to be parked, if it is crowded;
    /// nothing if it has come to its end.
    pub(super) fn serve(mut self, workers: &Workers) -> Option<Self> {
        let waker = Waker::from(self.woken.clone());
        let mut context = Context::from_waker(&waker);
        let socket = self.socket.clone();
        let clock = &socket.clock;
        // In the parking lot, or just accepted: there may be something to read.
        socket.came(true);
        loop {
            socket.reset();
            match self.engine.as_mut().poll(&mut context) {
                // An error here is the client's: it has left, or sent no HTTP.
                Poll::Ready(_) => return None,
                Poll::Pending if self.woken.take() => continue,
                Poll::Pending => {}
            }
            if clock.expired() && clock.phase() != Phase::Body {
                return None;
            }
            if workers.stop.is_rung() && self.stop() {
                continue;
            }
            // A doorman keeps nobody: what comes next may be worth waiting for.
            if workers.is_crowded() || !crew::may_wait() {
                return Some(self);
            }
            workers.parking.forget(&mut self);
            self.sleep(workers);
        }
    }

    /// Lets it come to its end: after the answer that is due, or soon. False if
    /// there is nothing new for hyper.
    pub(super) fn stop(&mut self) -> bool {
        if !self.stopping {
            self.stopping = true;
            self.socket.clock.stop();
        }
        // hyper would close at once what has sent nothing yet; but whoever has
        // just connected is about to.
        if self.told || self.socket.clock.phase() == Phase::Fresh {
            return false;
        }
        self.told = true;
        self.engine.as_mut().graceful_shutdown();
        true
    }

    /// Sleeps in `poll(2)`.
    fn sleep(&self, workers: &Workers) {
        let mut handles = [
            PollFd::new(&self.socket.stream, self.socket.interest()),
            PollFd::new(workers.crowd(), PollFlags::IN),
            PollFd::new(&*workers.stop, PollFlags::IN),
        ];
        // Once it has rung, the bell would end each sleep.
        let watched = handles.len() - usize::from(self.stopping);
        wait_for(&mut handles[..watched], self.socket.clock.left());
        let seen = handles[0].revents();
        self.socket
            .came(!seen.difference(PollFlags::OUT).is_empty());
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.stream.as_fd()
    }
}

/// Answers the requests of a connection.
struct Handler {
    app: App,
    stop: Arc<Stop>,
    socket: Arc<Socket>,
}

type Answer = Result<Response<Full<Bytes>>, Infallible>;

impl hyper::service::Service<Request<Incoming>> for Handler {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (app, stop) = (self.app.clone(), self.stop.clone());
        Box::pin(answer(request, app, stop, self.socket.clone()))
    }
}

/// Answers a request: reads the body, for which the connection waits like for a
/// head, then calls the handler, in which this thread blocks.
async fn answer(
    request: Request<Incoming>,
    app: App,
    stop: Arc<Stop>,
    socket: Arc<Socket>,
) -> Answer {
    let clock = &socket.clock;
    let (head, body) = request.into_parts();
    let exchange = app.begin(&head);
    let deadline = exchange.deadline();
    let body = collect(&head, body, exchange.body_limit(), deadline, clock).await;
    clock.serving();
    let mut response = app.answer(exchange, &head, body);
    if stop.is_rung() {
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
