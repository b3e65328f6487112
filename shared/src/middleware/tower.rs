//! The adapter for tasks: the middleware around a future.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::time::Sleep;

use super::body_limit::Collected;
use super::time_limit::Deadline;
use super::{Exchange, Head, Middleware, failure, panic};
use crate::error::{Error, Unavailable};

/// A service in its middleware. Around the whole router and not a layer of each
/// route: axum boxes a layer's service and its future, for every request.
#[derive(Clone)]
pub struct Service<S> {
    middleware: Arc<Middleware>,
    inner: S,
}

impl<S> Service<S> {
    /// Wraps a service that is always ready, as a router is.
    #[must_use]
    pub fn new(middleware: Arc<Middleware>, inner: S) -> Self {
        Self { middleware, inner }
    }

    /// Serves a request.
    pub fn serve<B, R>(&self, request: Request<B>) -> ResponseFuture<B, S>
    where
        B: Body<Data = Bytes> + From<Bytes> + Send + Unpin + 'static,
        S: tower_service::Service<Request<B>, Response = Response<R>> + Clone,
    {
        let exchange = Exchange::begin(&self.middleware, Head::from(&request));
        let mut inner = self.inner.clone();
        let state = if request.body().is_end_stream() {
            State::Handling {
                handler: inner.call(request),
            }
        } else {
            let read = buffered(request, exchange.body_limit(), exchange.deadline());
            State::Reading {
                read: Box::pin(read),
                inner,
            }
        };
        ResponseFuture {
            state,
            late: None,
            exchange: Some(exchange),
        }
    }
}

impl<B, S, R> tower_service::Service<Request<B>> for Service<S>
where
    B: Body<Data = Bytes> + From<Bytes> + Send + Unpin + 'static,
    S: tower_service::Service<Request<B>, Response = Response<R>> + Clone,
    R: From<Bytes>,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = ResponseFuture<B, S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.serve(request)
    }
}

/// A request whose body is being read.
type Reading<B> = Pin<Box<dyn Future<Output = Result<Request<B>, Error>> + Send>>;

pin_project_lite::pin_project! {
    /// The answer of a service in its middleware.
    pub struct ResponseFuture<B, S: tower_service::Service<Request<B>>> {
        #[pin]
        state: State<B, S>,
        // Only set when something has to be waited for: an answer that is ready
        // at once costs no timer. Boxed, as its room would be moved all the same.
        late: Option<Pin<Box<Sleep>>>,
        // Last, so that a handler that is dropped is gone before its request ends.
        exchange: Option<Exchange>,
    }
}

pin_project_lite::pin_project! {
    #[project = StateNow]
    enum State<B, S: tower_service::Service<Request<B>>> {
        // Boxed, as few requests have a body.
        Reading { read: Reading<B>, inner: S },
        Handling { #[pin] handler: S::Future },
    }
}

impl<B, S, R> Future for ResponseFuture<B, S>
where
    S: tower_service::Service<Request<B>, Response = Response<R>>,
    R: From<Bytes>,
{
    type Output = Result<Response<R>, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let exchange = this
            .exchange
            .as_ref()
            .expect("a future that is done is not polled");
        let response = loop {
            let handler = match this.state.as_mut().project() {
                StateNow::Handling { handler } => handler,
                StateNow::Reading { read, inner } => match ready!(read.as_mut().poll(cx)) {
                    Ok(request) => {
                        let handler = inner.call(request);
                        this.state.set(State::Handling { handler });
                        continue;
                    }
                    Err(error) => break Ok(failure(error)),
                },
            };
            // With the request's hub and span, at each poll: in between, the
            // thread serves others.
            break match exchange.enter(|| panic::catch(|| handler.poll(cx))) {
                Ok(Poll::Ready(response)) => response,
                Err(panic) => Ok(failure(panic)),
                Ok(Poll::Pending) => {
                    let late = this.late.get_or_insert_with(|| {
                        let deadline = exchange.deadline().at();
                        Box::pin(tokio::time::sleep_until(deadline.into()))
                    });
                    ready!(late.as_mut().poll(cx));
                    Ok(failure(Error::Unavailable(Unavailable::Deadline)))
                }
            };
        };
        let exchange = this.exchange.take().expect("it was there above");
        Poll::Ready(response.map(|mut response| {
            exchange.answer(&mut response);
            response
        }))
    }
}

/// The request with its whole body in memory.
async fn buffered<B>(
    request: Request<B>,
    limit: usize,
    deadline: Deadline,
) -> Result<Request<B>, Error>
where
    B: Body<Data = Bytes> + From<Bytes> + Unpin,
{
    let mut collected = Collected::new(request.headers(), limit)?;
    let (head, mut body) = request.into_parts();
    let read = async {
        while let Some(frame) = body.frame().await {
            // Only a client that breaks off or breaks the protocol gets here.
            let frame = frame.map_err(|_| Error::Malformed {
                field: None,
                detail: "the body broke off".into(),
            })?;
            if let Some(piece) = frame.data_ref() {
                collected.push(piece)?;
            }
        }
        Ok(())
    };
    tokio::time::timeout_at(deadline.at().into(), read)
        .await
        .map_err(|_| Error::BodyTimeout)??;
    Ok(Request::from_parts(head, collected.finish().into()))
}
