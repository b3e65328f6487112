//! tokio-postgres behind deadpool, for the contenders that await.

use deadpool_postgres::{Manager, ManagerConfig, RecyclingMethod, Runtime};
use shared::api::Book;
use shared::domain::MarketId;
use tokio_postgres::NoTls;

use crate::settings::Settings;
use crate::{Failure, book};

/// The pool. Cheap to clone.
#[derive(Clone)]
pub struct Pool(deadpool_postgres::Pool);

impl Pool {
    /// Sets it up; connections are opened when they are asked for.
    ///
    /// # Errors
    /// If the address of the database cannot be read.
    pub fn new(settings: &Settings) -> Result<Self, Failure> {
        // Fast: a connection that is lent out is not asked whether it lives.
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_config(
            settings.database_url.parse()?,
            NoTls,
            ManagerConfig { recycling_method },
        );
        let pool = deadpool_postgres::Pool::builder(manager)
            .max_size(settings.pool as usize)
            .runtime(Runtime::Tokio1)
            .build()?;
        Ok(Self(pool))
    }

    /// The book of a market, with a statement that is prepared once a
    /// connection.
    ///
    /// # Errors
    /// Those of the pool and of the driver.
    pub async fn book(&self, market: MarketId) -> Result<Option<Book>, Failure> {
        let db = self.0.get().await?;
        let statement = db.prepare_cached(book::SQL).await?;
        let rows = db.query(&statement, &[&market.get()]).await?;
        Ok(book::of(market, rows.iter().map(book::decode).collect()))
    }
}
