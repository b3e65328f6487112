//! `X-Request-Id`: taken over if it is sane, else made.

use std::cell::Cell;
use std::fmt;

use http::{HeaderName, HeaderValue};

/// The header's name.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken over, in bytes.
const LONGEST: usize = 64;

thread_local! {
    static CURRENT: Cell<Option<RequestId>> = const { Cell::new(None) };
}

/// Sets the id of before again when it is dropped.
#[must_use = "dropped at once, it undoes what it is there for"]
pub(crate) struct Entered(Option<RequestId>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The id of a request: on its answer, its log lines and its Sentry events.
/// Kept in place, since each request has one: nothing is allocated for it but
/// its header.
#[derive(Clone, Copy)]
pub struct RequestId {
    bytes: [u8; LONGEST],
    length: usize,
}

impl RequestId {
    /// Takes the caller's id over if it has 1 to 64 letters, digits, dots,
    /// dashes and underscores, so that it can do no harm in a log or a query;
    /// else makes one of 128 random bits.
    #[must_use]
    pub fn of(sent: Option<&HeaderValue>) -> Self {
        sent.and_then(|value| Self::sane(value.as_bytes()))
            .unwrap_or_else(Self::random)
    }

    /// The id of the request that this thread serves at this moment.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.get()
    }

    /// Makes it, or no id, this thread's current one until the guard is dropped.
    pub(crate) fn enter(id: Option<Self>) -> Entered {
        Entered(CURRENT.replace(id))
    }

    fn sane(id: &[u8]) -> Option<Self> {
        let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        ((1..=LONGEST).contains(&id.len()) && id.iter().all(allowed)).then(|| Self::new(id))
    }

    fn new(id: &[u8]) -> Self {
        let mut bytes = [0; LONGEST];
        bytes[..id.len()].copy_from_slice(id);
        Self {
            bytes,
            length: id.len(),
        }
    }

    /// Makes an id.
    #[must_use]
    pub fn random() -> Self {
        // Unique, not secret: a fast generator, seeded by the system, will do.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut bytes = [0; LONGEST];
        for (pair, byte) in bytes
            .chunks_exact_mut(2)
            .zip(fastrand::u128(..).to_ne_bytes())
        {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 0xf)];
        }
        Self { bytes, length: 32 }
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The id as text.
    ///
    /// # Panics
    /// Never: it is ASCII.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("a request id is ASCII")
    }

    /// The id as the value of its header.
    ///
    /// # Panics
    /// Never: its characters are allowed in a header.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        HeaderValue::from_bytes(self.as_bytes()).expect("a request id is visible ASCII")
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(sent: &str) -> String {
        let sent = HeaderValue::from_bytes(sent.as_bytes()).unwrap();
        RequestId::of(Some(&sent)).as_str().to_owned()
    }

    #[test]
    fn sane_ids_are_kept_and_others_replaced() {
        assert_eq!(id_for("r-1.a_B"), "r-1.a_B");
        let longest = "x".repeat(64);
        assert_eq!(id_for(&longest), longest);
        let long = "x".repeat(65);
        for odd in ["", "a b", "a\tb", "\"", "é", &long] {
            let made = id_for(odd);
            assert_eq!(made.len(), 32, "{odd}");
        }
        assert_ne!(id_for(""), id_for(""));
    }
}
