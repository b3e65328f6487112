//! The exchange's own types. What comes from a client has one door, a constructor
//! that checks, and private fields, so that a value that exists is a value that is
//! right. Rows ([`BookRow`], [`PlacedOrder`]) are taken as the database has them.

mod book;
mod id;
mod order;
mod query;

pub use book::BookRow;
pub use id::{ContractId, MarketId, OrderId};
pub use order::{IdempotencyKey, NewOrder, PlacedOrder, Price, Quantity, RequestHash, Side};
pub use query::{BookQuery, FailKind, FailQuery, MarketsQuery, SleepQuery};
