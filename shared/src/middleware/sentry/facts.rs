//! What an event says of the request that failed.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::sentry::protocol::{Context, Event, Request, TraceContext};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};

use crate::middleware::Head;
use crate::middleware::request_id::{RequestId, X_REQUEST_ID};

/// How many headers may stand in an event.
const SHOWN: usize = 6;

/// Which of them is the request's id.
const REQUEST_ID: usize = 0;

/// Headers that may stand in an event. A list of what is allowed and not of
/// what is secret, since nobody knows all names under which secrets travel.
static HEADERS: [HeaderName; SHOWN] = [
    X_REQUEST_ID,
    header::HOST,
    header::USER_AGENT,
    header::ACCEPT,
    header::CONTENT_TYPE,
    header::CONTENT_LENGTH,
];

/// The facts of a request: a few reference counts, until there is an event.
#[derive(Debug)]
pub struct Facts {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    /// The pattern of its route.
    pub(crate) route: Arc<str>,
    pub(crate) id: RequestId,
    headers: [Option<HeaderValue>; SHOWN],
}

impl Facts {
    pub(crate) fn new(head: Head<'_>, route: &Arc<str>) -> Self {
        let headers = shown(head.headers);
        Self {
            method: head.method.clone(),
            uri: head.uri.clone(),
            route: route.clone(),
            id: RequestId::of(headers[REQUEST_ID].as_ref()),
            headers,
        }
    }

    pub(super) fn put_on(&self, event: &mut Event<'static>, service: &'static str) {
        let shown = HEADERS.iter().zip(&self.headers);
        let shown = shown.filter_map(|(name, value)| {
            Some((name.to_string(), value.as_ref()?.to_str().ok()?.to_owned()))
        });
        let shown: BTreeMap<_, _> = shown.collect();
        let host = shown.get("host").map_or("localhost", String::as_str);
        let url = format!("http://{host}{}", self.uri.path()).parse().ok();
        event.request = Some(Request {
            method: Some(self.method.to_string()),
            url,
            query_string: self.uri.query().map(str::to_owned),
            headers: shown,
            ..Request::default()
        });
        event.transaction = Some(format!("{} {}", self.method, self.route));
        // A trace of its own: the scope's is one for all.
        let trace = Context::from(TraceContext::default());
        event.contexts.insert("trace".to_owned(), trace);
        tag(event, "service", service);
        tag(event, "request_id", self.id.as_str());
    }
}

/// One walk over the few headers of a request is cheaper than looking each name
/// up. Of a header that came twice, the first counts.
fn shown(headers: &HeaderMap) -> [Option<HeaderValue>; SHOWN] {
    let mut shown = [const { None }; SHOWN];
    for (name, value) in headers {
        if let Some(at) = HEADERS.iter().position(|known| known == name) {
            shown[at].get_or_insert_with(|| value.clone());
        }
    }
    shown
}

pub(super) fn tag(event: &mut Event<'static>, name: &str, value: &str) {
    event.tags.insert(name.to_owned(), value.to_owned());
}
