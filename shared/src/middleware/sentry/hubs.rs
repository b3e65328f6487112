//! The hubs of requests, used again: making one takes seven allocations, and
//! nearly all are thrown away as they were made.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use ::sentry::{Client, Hub, Scope};

use super::Facts;

/// How many wait on a thread to be used again.
const SPARE: usize = 64;

thread_local! {
    static HUBS: RefCell<Vec<Parts>> = const { RefCell::new(Vec::new()) };
}

/// The facts that a hub puts on its events. A std mutex, held for a move.
type Told = Mutex<Option<Arc<Facts>>>;

/// A hub, and what tells whether it is as it was made.
struct Parts {
    client: Arc<Client>,
    hub: Arc<Hub>,
    /// The scope of the hub: whoever changes that makes a copy of it first, since
    /// this is another owner.
    scope: Arc<Scope>,
    told: Arc<Told>,
}

impl Parts {
    fn new(client: Arc<Client>, empty: &Scope, service: &'static str) -> Self {
        let told = Arc::<Told>::default();
        // Not a new one: that has a dozen empty collections made for it.
        let mut scope = Scope::clone(empty);
        scope.add_event_processor({
            let told = told.clone();
            move |mut event| {
                let facts = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if let Some(facts) = facts {
                    facts.put_on(&mut event, service);
                }
                Some(event)
            }
        });
        let scope = Arc::new(scope);
        Self {
            hub: Arc::new(Hub::new(Some(client.clone()), scope.clone())),
            client,
            scope,
            told,
        }
    }

    fn tell(&self, facts: Option<Arc<Facts>>) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = facts;
    }

    /// Whether nobody else has it, nobody has changed its scope, and nothing was
    /// reported by it.
    fn is_as_new(&self) -> bool {
        Arc::strong_count(&self.hub) == 1
            && Arc::strong_count(&self.scope) == 2
            && self.hub.last_event_id().is_none()
    }
}

/// The hub of a request; its events carry that request.
pub struct RequestHub(Option<Parts>);

impl RequestHub {
    pub(super) fn new(
        client: &Arc<Client>,
        empty: &Scope,
        service: &'static str,
        request: &Arc<Facts>,
    ) -> Self {
        // No hub is to be had while the thread ends, and then a new one will do.
        let spare = HUBS.try_with(|hubs| {
            let mut hubs = hubs.borrow_mut();
            let is_ours = |parts: &Parts| Arc::ptr_eq(&parts.client, client);
            let at = hubs.iter().rposition(is_ours)?;
            Some(hubs.swap_remove(at))
        });
        let parts = spare
            .ok()
            .flatten()
            .unwrap_or_else(|| Parts::new(client.clone(), empty, service));
        parts.tell(Some(request.clone()));
        Self(Some(parts))
    }

    /// The hub.
    ///
    /// # Panics
    /// Never: only its end takes it away.
    #[must_use]
    pub fn hub(&self) -> &Arc<Hub> {
        &self.0.as_ref().expect("only its end takes it away").hub
    }
}

/// Kept for another request, unless it is still somebody's, or differs.
impl Drop for RequestHub {
    fn drop(&mut self) {
        let Some(parts) = self.0.take().filter(Parts::is_as_new) else {
            return;
        };
        parts.tell(None);
        let _ = HUBS.try_with(|hubs| {
            let mut hubs = hubs.borrow_mut();
            if hubs.len() < SPARE {
                hubs.push(parts);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use ::sentry::ClientOptions;
    use http::{HeaderMap, Method, Uri};

    use super::*;
    use crate::middleware::Head;

    fn facts() -> Arc<Facts> {
        let (method, uri) = (Method::GET, Uri::from_static("/ping"));
        let head = Head {
            method: &method,
            uri: &uri,
            headers: &HeaderMap::new(),
        };
        Arc::new(Facts::new(head, &"/ping".into()))
    }

    struct Requests(Arc<Client>);

    impl Requests {
        fn new() -> Self {
            Self(Arc::new(Client::with_options(ClientOptions::new())))
        }

        /// The hub of one request, in which something is done.
        fn hub_of_one(&self, within: impl FnOnce(&Arc<Hub>)) -> *const Hub {
            let request = RequestHub::new(&self.0, &Scope::default(), "test", &facts());
            within(request.hub());
            Arc::as_ptr(request.hub())
        }
    }

    #[test]
    fn a_hub_is_used_again() {
        let requests = Requests::new();
        let first = requests.hub_of_one(|_| {});
        assert_eq!(requests.hub_of_one(|_| {}), first);
    }

    #[test]
    fn what_a_request_sets_on_its_scope_stays_with_it() {
        let requests = Requests::new();
        let set = |hub: &Arc<Hub>| hub.configure_scope(|scope| scope.set_tag("whose", "first"));
        let mut kept = None;
        let first = requests.hub_of_one(|hub| {
            set(hub);
            // So that no other can get its address.
            kept = Some(hub.clone());
        });
        assert_ne!(requests.hub_of_one(|_| {}), first);
        let mut touched = None;
        let third = requests.hub_of_one(|hub| {
            set(hub);
            touched = Some(Arc::downgrade(hub));
        });
        assert!(
            touched.is_some_and(|hub| hub.upgrade().is_none()),
            "{third:?} is gone"
        );
    }

    #[test]
    fn a_hub_that_somebody_still_has_is_not_used_again() {
        let requests = Requests::new();
        let mut kept = None;
        let first = requests.hub_of_one(|hub| kept = Some(hub.clone()));
        assert_ne!(requests.hub_of_one(|_| {}), first);
    }

    #[test]
    fn another_trackers_hub_is_not_used() {
        let (one, other) = (Requests::new(), Requests::new());
        let first = one.hub_of_one(|_| {});
        assert_ne!(other.hub_of_one(|_| {}), first);
        assert_eq!(one.hub_of_one(|_| {}), first);
    }
}
