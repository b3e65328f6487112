//! The error tracker: every failing request gives one event, with its own
//! request on it.
//!
//! Each request has a hub of its own. The adapters bind it to whatever thread
//! runs the request's code, and the helpers in [`crate::work`] carry it into
//! blocking closures and spawned jobs. Without that, events of concurrent
//! requests share one scope and carry each other's data.

mod delivery;
mod report;

use std::collections::BTreeMap;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::sentry::integrations::backtrace::ProcessStacktraceIntegration;
use ::sentry::integrations::contexts::ContextIntegration;
use ::sentry::protocol::{Event, Request};
use ::sentry::{Client, ClientOptions, Hub, Scope};
use http::{HeaderMap, HeaderName, Method, Uri, header};

use self::delivery::Delivery;
pub use self::report::{error, panic};
use super::request_id::{RequestId, X_REQUEST_ID};
use crate::config;

/// How many events wait for a slow tracker before new ones are dropped. The
/// SDK's default of 30 would lose most of a burst of failures.
const QUEUE: usize = 1000;

/// Headers that may stand in an event. A list of what is allowed and not of
/// what is secret, since nobody knows all names under which secrets travel.
const HEADERS: [HeaderName; 6] = [
    header::HOST,
    header::USER_AGENT,
    header::ACCEPT,
    header::CONTENT_TYPE,
    header::CONTENT_LENGTH,
    X_REQUEST_ID,
];

/// What puts the facts of a request or a job on an event. The SDK runs it
/// while a panic unwinds, hence the last two bounds.
trait Facts: Fn(&mut Event<'static>) + Send + Sync + UnwindSafe + RefUnwindSafe + 'static {}

impl<F> Facts for F where
    F: Fn(&mut Event<'static>) + Send + Sync + UnwindSafe + RefUnwindSafe + 'static
{
}

/// The way to the error tracker; or no way, without a DSN.
#[derive(Clone)]
pub struct Tracker {
    client: Option<Arc<Client>>,
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
                .in_app_include(vec!["shared", "before", "after"])
                .send_default_pii(false)
                .transport_channel_capacity(QUEUE)
                .transport(Delivery);
            options.dsn = Some(sentry.dsn.expose().clone());
            Arc::new(Client::with_options(options))
        });
        Self {
            client,
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
    pub fn request_hub(
        &self,
        method: &Method,
        uri: &Uri,
        route: &Arc<str>,
        headers: &HeaderMap,
        id: &RequestId,
    ) -> Option<Arc<Hub>> {
        self.client.as_ref()?;
        let (method, uri, route, id) = (method.clone(), uri.clone(), route.clone(), id.clone());
        let headers = HEADERS.map(|name| headers.get(&name).cloned());
        let service = self.service;
        self.hub(move |event| {
            let shown = HEADERS
                .into_iter()
                .zip(&headers)
                .filter_map(|(name, value)| {
                    Some((name.to_string(), value.as_ref()?.to_str().ok()?.to_owned()))
                });
            let shown: BTreeMap<_, _> = shown.collect();
            let host = shown.get("host").map_or("localhost", String::as_str);
            let url = format!("http://{host}{}", uri.path()).parse().ok();
            event.request = Some(Request {
                method: Some(method.to_string()),
                url,
                query_string: uri.query().map(str::to_owned),
                headers: shown,
                ..Request::default()
            });
            event.transaction = Some(format!("{method} {route}"));
            tag(event, "service", service);
            tag(event, "request_id", id.as_str());
        })
    }

    /// A hub for a job that no request started; none without a tracker.
    #[must_use]
    pub fn job_hub(&self, name: &'static str) -> Option<Arc<Hub>> {
        let service = self.service;
        self.hub(move |event| {
            event.transaction = Some(name.to_owned());
            tag(event, "service", service);
        })
    }

    /// The facts are put on an event when there is one, and cost a request
    /// that does not fail a few reference counts.
    fn hub(&self, facts: impl Facts) -> Option<Arc<Hub>> {
        let client = self.client.clone()?;
        let mut scope = Scope::default();
        scope.add_event_processor(move |mut event| {
            facts(&mut event);
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

fn tag(event: &mut Event<'static>, name: &str, value: &str) {
    event.tags.insert(name.to_owned(), value.to_owned());
}
