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
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;

/// The patterns of the routes that do not stand in the document.
pub(crate) use self::docs::PATTERNS as UNDOCUMENTED;

/// All routes of the service.
pub(crate) fn all(config: &Config) -> OpenApiRouter<App> {
    let mut router = OpenApiRouter::new();
    router = router.merge(ping::routes());
    router = router.merge(ready::routes());
    router = router.merge(markets::routes());
    router = router.merge(book::routes());
    router = router.merge(orders::routes());
    router = router.merge(metrics::routes());
    if config.experiments {
        router = router.merge(experiments::routes());
    }
    router.merge(docs::routes())
}
