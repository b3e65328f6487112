//! postgres behind r2d2, for the contenders that block.

use postgres::{Client, Config, NoTls, Statement};
use r2d2::ManageConnection;
use shared::api::Book;
use shared::domain::MarketId;

use crate::settings::Settings;
use crate::{Failure, book};

/// The pool. Cheap to clone.
#[derive(Clone)]
pub struct Pool(r2d2::Pool<Manager>);

impl Pool {
    /// Opens all connections.
    ///
    /// # Errors
    /// If the address cannot be read, or nobody answers there.
    pub fn open(settings: &Settings) -> Result<Self, Failure> {
        let pool = r2d2::Pool::builder()
            .max_size(settings.pool)
            // A connection that is lent out is not asked whether it lives.
            .test_on_check_out(false)
            .build(Manager(settings.database_url.parse()?))?;
        Ok(Self(pool))
    }

    /// The book of a market.
    ///
    /// # Errors
    /// Those of the pool and of the driver.
    pub fn book(&self, market: MarketId) -> Result<Option<Book>, Failure> {
        let mut db = self.0.get()?;
        let Connection { client, statement } = &mut *db;
        let rows = client.query(statement, &[&market.get()])?;
        Ok(book::of(market, rows.iter().map(book::decode).collect()))
    }
}

/// Opens connections.
struct Manager(Config);

/// A connection with its statement.
struct Connection {
    client: Client,
    statement: Statement,
}

impl ManageConnection for Manager {
    type Connection = Connection;
    type Error = postgres::Error;

    fn connect(&self) -> Result<Connection, postgres::Error> {
        let mut client = self.0.connect(NoTls)?;
        let statement = client.prepare(book::SQL)?;
        Ok(Connection { client, statement })
    }

    fn is_valid(&self, connection: &mut Connection) -> Result<(), postgres::Error> {
        connection.client.simple_query("").map(drop)
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        connection.client.is_closed()
    }
}
