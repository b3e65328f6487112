//! The error tracker: every failing request gives one event, with its own
//! request on it.
//!
//! Each request has a hub of its own ([`RequestHub`]). The adapters bind it to
//! whatever thread runs the request's code, and the helpers in [`crate::work`]
//! carry it into blocking closures and spawned jobs. Without that, events of
//! concurrent requests share one scope and carry each other's data.

mod delivery;
mod facts;
mod hubs;
mod report;
mod stack;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::sentry::integrations::backtrace::ProcessStacktraceIntegration;
use ::sentry::integrations::contexts::ContextIntegration;
use ::sentry::{Client, ClientOptions, Hub, Scope};

use self::delivery::Delivery;
pub use self::facts::Facts;
use self::facts::tag;
pub use self::hubs::RequestHub;
pub use self::report::{error, panic};
pub use self::stack::Stack;
use crate::config;

/// How many events wait for a slow tracker before new ones are dropped. The
/// SDK's default of 30 would lose most of a burst of failures.
const QUEUE: usize = 1000;

/// The way to the error tracker; or no way, without a DSN.
#[derive(Clone)]
pub struct Tracker {
    client: Option<Arc<Client>>,
    /// The empty scope, from which that of each hub is made.
    scope: Arc<Scope>,
    service: &'static str,
}

impl Tracker {
    /// Sets the SDK up. Nothing is global: the client lives in the hubs that
    /// are made from it.
    #[must_use]
    pub fn start(config: Option<&config::Sentry>, service: config::Service) -> Self {
        let client = config.map(|sentry| {
            let mut options = ClientOptions::new()
                .environment(sentry.environment.clone())
                .release(sentry.release.clone())
                .default_integrations(false)
                .add_integration(ContextIntegration::new())
                .add_integration(ProcessStacktraceIntegration::new())
                .send_default_pii(false)
                .transport_channel_capacity(QUEUE)
                .transport(Delivery);
            options.dsn = Some(sentry.dsn.expose().clone());
            Arc::new(Client::with_options(options))
        });
        Self {
            client,
            scope: Arc::default(),
            service: service.name(),
        }
    }

    /// Whether there is anywhere to report to.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.client.is_some()
    }

    /// A hub whose events carry this request; none without a tracker.
    #[must_use]
    pub fn request_hub(&self, request: &Arc<Facts>) -> Option<RequestHub> {
        let client = self.client.as_ref()?;
        Some(RequestHub::new(client, &self.scope, self.service, request))
    }

    /// A hub for a job that no request started; none without a tracker.
    #[must_use]
    pub fn job_hub(&self, name: &'static str) -> Option<Arc<Hub>> {
        let client = self.client.clone()?;
        let service = self.service;
        let mut scope = Scope::clone(&self.scope);
        scope.add_event_processor(move |mut event| {
            event.transaction = Some(name.to_owned());
            tag(&mut event, "service", service);
            Some(event)
        });
        Some(Arc::new(Hub::new(Some(client), Arc::new(scope))))
    }

    /// Sends what waits, for so long at most, and reports nothing more. Says
    /// whether all is sent.
    #[must_use]
    pub fn close(&self, limit: Duration) -> bool {
        let Some(client) = &self.client else {
            return true;
        };
        let until = Instant::now() + limit;
        let made = report::flush(limit);
        client.close(Some(until.saturating_duration_since(Instant::now()))) && made
    }
}
