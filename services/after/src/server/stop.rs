//! The bell that asks everyone to stop.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

/// Rung once and never silenced. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    rung: Arc<AtomicBool>,
    token: CancellationToken,
}

impl Stop {
    /// Asks everyone to stop.
    pub(super) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        self.token.cancel();
    }

    /// Whether it was rung.
    pub(super) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::SeqCst)
    }

    /// Waits until it is rung.
    pub(crate) async fn heard(&self) {
        self.token.cancelled().await;
    }

    /// Waits until it is rung, for a task that has much else to do: to be polled
    /// by one task only.
    pub(super) fn overheard(&self) -> Overheard<'_> {
        Overheard {
            rung: &self.rung,
            heard: Box::pin(self.token.cancelled()),
            listens: false,
        }
    }
}

/// The token has one lock for all who wait for it, and each poll takes it: at
/// each request of each connection. So the token is asked once, and then only
/// when there is news.
pub(super) struct Overheard<'s> {
    rung: &'s AtomicBool,
    heard: Pin<Box<WaitForCancellationFuture<'s>>>,
    listens: bool,
}

impl Future for Overheard<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.listens && !self.rung.load(Ordering::SeqCst) {
            return Poll::Pending;
        }
        self.listens = true;
        self.heard.as_mut().poll(cx)
    }
}
