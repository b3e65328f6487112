//! The routes, a file for each resource.

mod book;
mod docs;
mod experiments;
mod markets;
mod metrics;
mod orders;
mod ping;
mod ready;

use shared::config::Config;

use crate::router::Builder;

/// All routes of the service.
pub(crate) fn all(config: &Config) -> Builder {
    let mut router = Builder::default();
    router = ping::routes(router);
    router = ready::routes(router);
    router = markets::routes(router);
    router = book::routes(router);
    router = orders::routes(router);
    router = metrics::routes(router);
    if config.experiments {
        router = experiments::routes(router);
    }
    docs::routes(router)
}
