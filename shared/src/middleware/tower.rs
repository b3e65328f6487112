//! The adapter for tasks: the middleware around a future.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt as _;

use super::body_limit::Collected;
use super::time_limit::Deadline;
use super::{Exchange, Head, Middleware, failure, panic};
use crate::error::{Error, Unavailable};

/// Finds the pattern of the route that a request has matched.
pub type Pattern<B> = fn(&Request<B>) -> Option<&str>;

/// Wraps services in the middleware.
pub struct Layer<B> {
    middleware: Arc<Middleware>,
    pattern: Pattern<B>,
}

impl<B> Layer<B> {
    /// To be applied inside of the routing, where the pattern is known.
    #[must_use]
    pub fn new(middleware: Arc<Middleware>, pattern: Pattern<B>) -> Self {
        Self {
            middleware,
            pattern,
        }
    }
}

impl<B> Clone for Layer<B> {
    fn clone(&self) -> Self {
        Self {
            middleware: self.middleware.clone(),
            pattern: self.pattern,
        }
    }
}

impl<B, S> tower_layer::Layer<S> for Layer<B> {
    type Service = Service<B, S>;

    fn layer(&self, inner: S) -> Self::Service {
        Service {
            layer: self.clone(),
            inner,
        }
    }
}

/// A service in its middleware.
pub struct Service<B, S> {
    layer: Layer<B>,
    inner: S,
}

impl<B, S: Clone> Clone for Service<B, S> {
    fn clone(&self) -> Self {
        Self {
            layer: self.layer.clone(),
            inner: self.inner.clone(),
        }
    }
}

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

impl<B, S, R> tower_service::Service<Request<B>> for Service<B, S>
where
    B: Body<Data = Bytes> + From<Bytes> + Send + Unpin + 'static,
    S: tower_service::Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    R: From<Bytes>,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = BoxFuture<Result<Response<R>, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let pattern = (self.layer.pattern)(&request);
        let exchange = Exchange::begin(
            &self.layer.middleware,
            pattern,
            Head::from(&request),
            Instant::now(),
        );
        // The service that was ready is the one to call; the clone takes its place.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        Box::pin(async move {
            let mut response = match buffered(request, &exchange).await {
                Ok(request) => handled(inner.call(request), &exchange).await?,
                Err(error) => failure(error),
            };
            exchange.answer(&mut response);
            Ok(response)
        })
    }
}

/// The request with its whole body in memory.
async fn buffered<B>(request: Request<B>, exchange: &Exchange) -> Result<Request<B>, Error>
where
    B: Body<Data = Bytes> + From<Bytes> + Unpin,
{
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let mut collected = Collected::new(request.headers(), exchange.body_limit())?;
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
    tokio::time::timeout_at(exchange.deadline().at().into(), read)
        .await
        .map_err(|_| Error::BodyTimeout)??;
    Ok(Request::from_parts(head, collected.finish().into()))
}

/// Runs a handler: each poll with the request's hub and span, a panic caught,
/// and the whole within the deadline.
async fn handled<R: From<Bytes>, E>(
    handler: impl Future<Output = Result<Response<R>, E>>,
    exchange: &Exchange,
) -> Result<Response<R>, E> {
    let mut handler = pin!(handler);
    let mut limit = pin!(LazyTimer::new(exchange.deadline()));
    poll_fn(|cx| {
        let polled = exchange.enter(|| panic::catch(|| handler.as_mut().poll(cx)));
        match polled {
            Ok(Poll::Ready(result)) => Poll::Ready(result),
            Ok(Poll::Pending) => limit
                .as_mut()
                .poll(cx)
                .map(|()| Ok(failure(Error::Unavailable(Unavailable::Deadline)))),
            Err(panic) => Poll::Ready(Ok(failure(panic))),
        }
    })
    .await
}

pin_project_lite::pin_project! {
    /// A timer that is only set when something has to be waited for, so that
    /// an answer that is ready at once costs no timer.
    struct LazyTimer {
        deadline: Deadline,
        #[pin]
        sleep: Option<tokio::time::Sleep>,
    }
}

impl LazyTimer {
    fn new(deadline: Deadline) -> Self {
        Self {
            deadline,
            sleep: None,
        }
    }
}

impl Future for LazyTimer {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        if this.sleep.is_none() {
            this.sleep
                .set(Some(tokio::time::sleep_until(this.deadline.at().into())));
        }
        this.sleep.as_pin_mut().expect("it was set above").poll(cx)
    }
}
