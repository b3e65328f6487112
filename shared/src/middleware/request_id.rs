//! `X-Request-Id`: taken over if it is sane, else made.

use http::{HeaderMap, HeaderName, HeaderValue};

/// The header's name.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request: on its answer, its log lines and its Sentry events.
#[derive(Clone, Debug)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Takes the caller's id over if it has 1 to 64 letters, digits, dots,
    /// dashes and underscores, so that it can do no harm in a log or a query;
    /// else makes one of 128 random bits.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        match headers.get(X_REQUEST_ID) {
            Some(value) if is_sane(value.as_bytes()) => Self(value.clone()),
            _ => Self::random(),
        }
    }

    /// Makes an id.
    #[must_use]
    pub fn random() -> Self {
        // Unique, not secret: a fast generator, seeded by the system, will do.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let number = fastrand::u128(..);
        let text: [u8; 32] = std::array::from_fn(|at| DIGITS[(number >> (at * 4)) as usize & 0xf]);
        Self(HeaderValue::from_bytes(&text).expect("hexadecimal digits are valid"))
    }

    /// The id as text.
    ///
    /// # Panics
    /// Never: it is ASCII.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.to_str().expect("a request id is ASCII")
    }

    /// The id as the value of its header.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        self.0.clone()
    }
}

fn is_sane(id: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    (1..=64).contains(&id.len()) && id.iter().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(sent: &str) -> String {
        let headers = HeaderMap::from_iter([(
            X_REQUEST_ID,
            HeaderValue::from_bytes(sent.as_bytes()).unwrap(),
        )]);
        RequestId::of(&headers).as_str().to_owned()
    }

    #[test]
    fn sane_ids_are_kept_and_others_replaced() {
        assert_eq!(id_for("r-1.a_B"), "r-1.a_B");
        let long = "x".repeat(65);
        for odd in ["", "a b", "a\tb", "\"", "é", &long] {
            let made = id_for(odd);
            assert_eq!(made.len(), 32, "{odd}");
        }
        assert_ne!(id_for(""), id_for(""));
    }
}
