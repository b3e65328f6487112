//! The suites of `shared::testing`, run against this service.

mod apart;
mod crowd;

use std::io;
use std::net::SocketAddr;

use shared::config::{Config, Service};
use shared::server::Stopped;
use shared::testing::service::Subject;

/// This service, as the suites know it.
struct Before(before::Server);

impl Subject for Before {
    const SERVICE: Service = Service::Before;
    const BINARY: &'static str = env!("CARGO_BIN_EXE_before");

    fn start(config: Config) -> io::Result<Self> {
        before::Server::start(config).map(Self)
    }

    fn addr(&self) -> SocketAddr {
        self.0.addr()
    }

    fn stop(self) -> Stopped {
        self.0.stop()
    }
}

shared::suite!(crate::Before);
