//! The exchange's own types. Each has one door, a constructor that checks, and
//! private fields, so that a value that exists is a value that is right.

mod book;
mod id;
mod order;
mod query;

pub use book::BookRow;
pub use id::{ContractId, MarketId, OrderId};
pub use order::{IdempotencyKey, NewOrder, PlacedOrder, Price, Quantity, RequestHash, Side};
pub use query::{BookQuery, FailKind, FailQuery, MarketsQuery, SleepQuery};
