//! Row ids: positive, each kind a type of its own.

use crate::error::Error;

/// Digits and nothing else: `i64::from_str` alone would also take `+7`.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(i64);

        impl $name {
            /// Takes a number from a decoded body.
            ///
            /// # Errors
            /// 422, naming the field, unless the number is positive.
            pub fn new(value: i64) -> Result<Self, Error> {
                if value < 1 {
                    return Err(Error::invalid($field, "must be 1 or greater"));
                }
                Ok(Self(value))
            }

            /// Reads a segment of a path.
            ///
            /// # Errors
            /// 400, naming the field, unless it is a positive whole number in
            /// the range of Postgres' `bigint`.
            pub fn parse(segment: &str) -> Result<Self, Error> {
                whole_number(segment)
                    .filter(|value| *value > 0)
                    .map(Self)
                    .ok_or_else(|| Error::malformed($field, "must be a positive whole number"))
            }

            /// The number, as the database has it.
            #[must_use]
            pub fn get(self) -> i64 {
                self.0
            }
        }
    };
}

id!(
    /// The id of a market.
    MarketId,
    "market"
);
id!(
    /// The id of a contract.
    ContractId,
    "contract"
);
id!(
    /// The id of an order.
    OrderId,
    "order"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_whole_numbers_are_ids() {
        for good in ["1", "007", "9223372036854775807"] {
            assert!(MarketId::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "0",
            "-1",
            "+1",
            "1.0",
            "1e3",
            "x",
            " 1",
            "١",
            "9223372036854775808",
        ] {
            assert!(MarketId::parse(bad).is_err(), "{bad}");
        }
    }
}
