//! The JSON that goes over the wire. Field docs become the OpenAPI document's text.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

/// The state of an order that takes part in the market.
pub const OPEN: &str = "open";

/// A page of markets.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Markets {
    /// The markets in the order of their ids.
    pub markets: Vec<Market>,
    /// What to give as `after` for the next page; null on the last one.
    #[schema(minimum = 1)]
    pub next: Option<i64>,
}

impl Markets {
    /// Makes a page of `limit` from rows of which one more was asked for.
    #[must_use]
    pub fn page(mut rows: Vec<Market>, limit: usize) -> Self {
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|last| last.id);
        Self {
            markets: rows,
            next,
        }
    }
}

/// A question about an event on which can be bet.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Market {
    /// The market's id.
    #[schema(minimum = 1)]
    pub id: i64,
    /// The name of the event.
    pub event: String,
    /// The market's name.
    pub name: String,
}

/// What is on offer in a market.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Book {
    /// The market's id.
    #[schema(minimum = 1)]
    pub market: i64,
    /// The market's name.
    pub name: String,
    /// Its contracts in the order of their ids.
    pub contracts: Vec<Contract>,
}

/// What is on offer for a contract, a possible outcome of a market.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Contract {
    /// The contract's id.
    #[schema(minimum = 1)]
    pub id: i64,
    /// The contract's name.
    pub name: String,
    /// The best levels of those who buy, by falling price.
    pub buys: Vec<Level>,
    /// The best levels of those who sell, by rising price.
    pub sells: Vec<Level>,
}

/// All open orders of one side at one price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Level {
    /// The price: a probability in basis points.
    #[schema(minimum = 1, maximum = 9999)]
    pub price_bp: i32,
    /// The units of all orders together.
    #[schema(minimum = 1)]
    pub quantity: i64,
    /// How many orders there are.
    #[schema(minimum = 1)]
    pub orders: usize,
}

// Every field is required. They are optional here so that what is missing can
// be answered with the field's name.
/// An order to be placed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceOrder {
    /// A contract of the market.
    #[schema(value_type = i64, required = true, minimum = 1)]
    pub contract: Option<i64>,
    /// `buy` or `sell`.
    #[schema(value_type = OrderSide, required = true)]
    pub side: Option<String>,
    /// The price: a probability in basis points.
    #[schema(value_type = i32, required = true, minimum = 1, maximum = 9999)]
    pub price_bp: Option<i64>,
    /// How many units.
    #[schema(value_type = i32, required = true, minimum = 1, maximum = 1_000_000)]
    pub quantity: Option<i64>,
}

/// Which way an order bets.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderSide {
    /// That the contract comes true.
    Buy,
    /// That it does not.
    Sell,
}

/// What has become of an order.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderState {
    /// It takes part in the market.
    Open,
    /// It was taken back.
    Cancelled,
}

/// An order.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Order {
    /// The order's id.
    #[schema(minimum = 1)]
    pub id: i64,
    /// The market of its contract.
    #[schema(minimum = 1)]
    pub market: i64,
    /// The contract bet on.
    #[schema(minimum = 1)]
    pub contract: i64,
    /// `buy` or `sell`.
    #[schema(value_type = OrderSide)]
    pub side: String,
    /// The price: a probability in basis points.
    #[schema(minimum = 1, maximum = 9999)]
    pub price_bp: i32,
    /// How many units.
    #[schema(minimum = 1, maximum = 1_000_000)]
    pub quantity: i32,
    /// `open` or `cancelled`.
    #[schema(value_type = OrderState)]
    pub state: String,
    /// When it was taken, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// The answer of a service that can do its work.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Ready {
    /// Always `ready`.
    #[schema(pattern = "^ready$")]
    pub status: &'static str,
}

impl Ready {
    /// The only value there is.
    pub const READY: Self = Self { status: "ready" };
}

/// What went wrong: RFC 9457, "Problem Details for HTTP APIs".
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// A stable name of the kind of problem, to branch on.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem in words.
    pub title: &'static str,
    /// The HTTP status code.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What is wrong with this request.
    pub detail: String,
    /// The parameter, header or body field at fault, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub field: Option<&'static str>,
    /// The request's id, also in the header `X-Request-Id`, the log and Sentry.
    pub request_id: String,
}
