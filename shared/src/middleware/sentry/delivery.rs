//! The transport: over plain threads, the same for both services.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ::sentry::transports::{UreqHttpTransport, UreqHttpTransportOptions};
use ::sentry::{Envelope, Transport, TransportFactory, TransportOptions};

/// How long one delivery may take. The SDK sets no limit, and one tracker that
/// accepts and never answers would then end all reporting.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(5);

/// Makes the transport, with a time limit.
pub(super) struct Delivery;

impl TransportFactory for Delivery {
    fn create_transport_with_options(&self, options: TransportOptions) -> Arc<dyn Transport> {
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(DELIVERY_TIMEOUT))
            .tls_config(
                ureq::tls::TlsConfig::builder()
                    .provider(ureq::tls::TlsProvider::Rustls)
                    .build(),
            )
            .build()
            .new_agent();
        let options = UreqHttpTransportOptions::from(options).with_agent(agent);
        Arc::new(Detached(Some(options.build())))
    }
}

/// A transport whose end nobody has to wait for: the SDK's own waits for the
/// delivery under way, however long that takes.
struct Detached(Option<UreqHttpTransport>);

impl Transport for Detached {
    fn send_envelope(&self, envelope: Envelope) {
        if let Some(transport) = &self.0 {
            transport.send_envelope(envelope);
        }
    }

    fn flush(&self, limit: Duration) -> bool {
        self.0
            .as_ref()
            .is_none_or(|transport| transport.flush(limit))
    }

    fn shutdown(&self, limit: Duration) -> bool {
        self.flush(limit)
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        let transport = self.0.take();
        // Without a thread to be had it is dropped here, with the wait.
        let _ = thread::Builder::new().spawn(move || drop(transport));
    }
}
