//! The suites of `shared::testing`, run against this service.

mod apart;
mod runtimes;

use std::io;
use std::net::SocketAddr;

use shared::config::{Config, Service};
use shared::server::Stopped;
use shared::testing::service::Subject;

/// This service, as the suites know it.
struct After(after::Server);

impl Subject for After {
    const SERVICE: Service = Service::After;
    const BINARY: &'static str = env!("CARGO_BIN_EXE_after");

    fn start(config: Config) -> io::Result<Self> {
        after::Server::start(config).map(Self)
    }

    fn addr(&self) -> SocketAddr {
        self.0.addr()
    }

    fn stop(self) -> Stopped {
        self.0.stop()
    }
}

shared::suite!(crate::After);
