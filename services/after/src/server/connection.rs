//! One connection in one task.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;

use axum::body::Body;
use futures_util::TryFutureExt as _;
use http::header::{CONNECTION, HeaderValue};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use shared::connection::{ConnectionClock, Phase};
use shared::server::leaves_body_unread;
use tokio::net::TcpStream;
use tokio::time::sleep_until;

use super::accept::Acceptor;
use super::io::Io;
use super::stop::Stop;
use crate::app::Service;

/// Serves a connection to its end.
pub(super) async fn serve(stream: TcpStream, acceptor: &Acceptor) {
    let served = acceptor.metrics.connections_served.clone();
    let clock = Arc::new(ConnectionClock::start(&acceptor.limits, served));
    let Ok(io) = Io::new(stream, clock.clone()) else {
        return; // The client has gone already.
    };
    let service = service_fn(|request| answer(request, &acceptor.service, &acceptor.stop, &clock));
    // hyper's `half_close` stays off: a client that closes its sending side
    // counts as gone and gets no answer. Only so is it noticed that a client has
    // left, and what it was waiting for is dropped.
    let connection = pin!(http1::Builder::new().serve_connection(TokioIo::new(io), service));
    drive(connection, &clock, acceptor).await;
}

/// Polls hyper, and waits beside it: for the stop, or for the end of its time.
async fn drive<S>(
    mut connection: Pin<&mut http1::Connection<TokioIo<Io>, S>>,
    clock: &ConnectionClock,
    acceptor: &Acceptor,
) where
    S: hyper::service::HttpService<Incoming, ResBody = Body>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut stop = pin!(acceptor.stop.overheard());
    let mut stopping = false;
    // Whether hyper knows that.
    let mut told = false;
    // One timer for the whole life of a connection: it is set to a moment
    // before which nothing can be due, and looks at the clock when it fires.
    let mut timer = pin!(sleep_until(clock.next_look().into()));
    loop {
        tokio::select! {
            biased;
            () = poll_fn(|cx| {
                // An error here is the client's: it has left, or sent no HTTP.
                let mut ended = connection.as_mut().poll(cx).map(drop);
                // hyper would close at once what has sent nothing yet; but
                // whoever has just connected is about to.
                if ended.is_pending() && stopping && !told && clock.phase() != Phase::Fresh {
                    told = true;
                    connection.as_mut().graceful_shutdown();
                    ended = connection.as_mut().poll(cx).map(drop);
                }
                ended
            }) => return,
            () = &mut stop, if !stopping => {
                stopping = true;
                clock.stop();
                timer.as_mut().reset(clock.next_look().into());
            }
            () = &mut timer => {
                if clock.expired() {
                    return;
                }
                timer.as_mut().reset(clock.next_look().into());
            }
        }
    }
}

/// Answers a request. The middleware reads the body.
///
/// No `async fn`: that would keep the request beside the future which already has
/// it, and what hyper moves for each request would be twice as large.
fn answer(
    request: Request<Incoming>,
    service: &Service,
    stop: &Stop,
    clock: &ConnectionClock,
) -> impl Future<Output = Result<Response<Body>, Infallible>> {
    clock.serving();
    service
        .serve(request.map(Body::new))
        .map_ok(|mut response| {
            if stop.is_rung() {
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            clock.answered(leaves_body_unread(&response));
            response
        })
}
