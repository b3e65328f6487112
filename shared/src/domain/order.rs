//! Orders: what a client may ask for.

use http::HeaderValue;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;

use super::{ContractId, MarketId};
use crate::api;
use crate::error::Error;

/// Which way an order bets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// That the contract comes true.
    Buy,
    /// That it does not.
    Sell,
}

impl Side {
    fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "buy" => Ok(Self::Buy),
            "sell" => Ok(Self::Sell),
            _ => Err(Error::invalid("side", "must be buy or sell")),
        }
    }

    /// As the database and the API spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
        }
    }
}

/// A price: a probability in basis points, 1 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price(i32);

impl Price {
    fn new(value: i64) -> Result<Self, Error> {
        match i32::try_from(value) {
            Ok(value @ 1..=9999) => Ok(Self(value)),
            _ => Err(Error::invalid("price_bp", "must be from 1 to 9999")),
        }
    }

    /// In basis points.
    #[must_use]
    pub fn get(self) -> i32 {
        self.0
    }
}

/// How many units are bet, 1 to 1,000,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity(i32);

impl Quantity {
    fn new(value: i64) -> Result<Self, Error> {
        match i32::try_from(value) {
            Ok(value @ 1..=1_000_000) => Ok(Self(value)),
            _ => Err(Error::invalid("quantity", "must be from 1 to 1000000")),
        }
    }

    /// In units.
    #[must_use]
    pub fn get(self) -> i32 {
        self.0
    }
}

/// An order that may be placed.
#[derive(Clone, Copy, Debug)]
pub struct NewOrder {
    market: MarketId,
    contract: ContractId,
    side: Side,
    price: Price,
    quantity: Quantity,
}

impl NewOrder {
    /// Checks what a client asked for.
    ///
    /// # Errors
    /// 422, naming the first field that is missing or not allowed.
    pub fn new(market: MarketId, asked: &api::PlaceOrder) -> Result<Self, Error> {
        fn given<T>(value: Option<T>, field: &'static str) -> Result<T, Error> {
            value.ok_or_else(|| Error::invalid(field, "is missing"))
        }
        Ok(Self {
            market,
            contract: ContractId::new(given(asked.contract, "contract")?)?,
            side: Side::parse(given(asked.side.as_deref(), "side")?)?,
            price: Price::new(given(asked.price_bp, "price_bp")?)?,
            quantity: Quantity::new(given(asked.quantity, "quantity")?)?,
        })
    }

    /// The market on which the order is placed.
    #[must_use]
    pub fn market(&self) -> MarketId {
        self.market
    }

    /// The contract bet on.
    #[must_use]
    pub fn contract(&self) -> ContractId {
        self.contract
    }

    /// Buy or sell.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// At which price.
    #[must_use]
    pub fn price(&self) -> Price {
        self.price
    }

    /// How much.
    #[must_use]
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// The fingerprint of what was asked, the same for the same order however
    /// its JSON was written.
    #[must_use]
    pub fn request_hash(&self) -> RequestHash {
        let mut hash = Sha256::new();
        hash.update(self.market.get().to_be_bytes());
        hash.update(self.contract.get().to_be_bytes());
        hash.update([u8::from(self.side == Side::Buy)]);
        hash.update(self.price.0.to_be_bytes());
        hash.update(self.quantity.0.to_be_bytes());
        RequestHash(hash.finalize().into())
    }
}

/// SHA-256 of what a client asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHash([u8; 32]);

impl RequestHash {
    /// The bytes, as the database has them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The value of the header `Idempotency-Key`: 1 to 64 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads the values of the header.
    ///
    /// # Errors
    /// 400 unless there is exactly one, of 1 to 64 visible ASCII characters.
    pub fn parse<'a>(values: impl IntoIterator<Item = &'a HeaderValue>) -> Result<Self, Error> {
        const RULE: &str =
            "the header Idempotency-Key is required once, with 1 to 64 visible ASCII characters";
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (Some(value), None)
                if (1..=64).contains(&value.len())
                    && value.as_bytes().iter().all(u8::is_ascii_graphic) =>
            {
                let text = value.to_str().expect("checked to be visible ASCII");
                Ok(Self(text.to_owned()))
            }
            _ => Err(Error::malformed("Idempotency-Key", RULE)),
        }
    }

    /// As the database has it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An order found by its idempotency key.
#[derive(Clone, Debug)]
pub struct PlacedOrder {
    /// What was asked for when the key was taken.
    pub request_hash: Vec<u8>,
    /// The order as it is now.
    pub order: api::Order,
}

impl PlacedOrder {
    /// What to answer to a request that brings a key for the second time: the
    /// first answer again, whatever has become of the order since.
    ///
    /// # Errors
    /// 422 if the first request with the key asked for something else.
    pub fn replay(self, asked: &NewOrder) -> Result<api::Order, Error> {
        if self.request_hash != asked.request_hash().as_bytes() {
            return Err(Error::KeyReused);
        }
        Ok(api::Order {
            state: api::OPEN.to_owned(),
            ..self.order
        })
    }
}

impl api::Order {
    /// The order that has just been stored.
    #[must_use]
    pub fn placed(new: &NewOrder, id: i64, created_at: OffsetDateTime) -> Self {
        Self {
            id,
            market: new.market.get(),
            contract: new.contract.get(),
            side: new.side.as_str().to_owned(),
            price_bp: new.price.0,
            quantity: new.quantity.0,
            state: api::OPEN.to_owned(),
            created_at,
        }
    }
}
