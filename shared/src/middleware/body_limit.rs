//! `BODY_LIMIT_BYTES`: how much of a body is taken.
//!
//! Both services read a body to its end before the handler runs, whether the
//! route wants it or not. So a body that nobody asked for is never mistaken for
//! the next request on a connection that is kept alive.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};

use crate::error::Error;

/// A body that is being collected.
#[derive(Debug)]
pub struct Collected {
    limit: usize,
    bytes: BytesMut,
}

impl Collected {
    /// Starts to collect the body that these headers announce.
    ///
    /// # Errors
    /// 413 if it is announced to be too long, before a byte of it is read.
    pub fn new(headers: &HeaderMap, limit: usize) -> Result<Self, Error> {
        let announced = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| length > limit as u64) {
            return Err(Error::BodyTooLarge { limit });
        }
        Ok(Self {
            limit,
            bytes: BytesMut::new(),
        })
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// 413 if the body becomes too long.
    pub fn push(&mut self, piece: &Bytes) -> Result<(), Error> {
        if self.bytes.len() + piece.len() > self.limit {
            return Err(Error::BodyTooLarge { limit: self.limit });
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    /// The whole body.
    #[must_use]
    pub fn finish(self) -> Bytes {
        self.bytes.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_may_be_as_long_as_the_limit_and_no_longer() {
        let mut body = Collected::new(&HeaderMap::new(), 4).unwrap();
        body.push(&Bytes::from_static(b"ab")).unwrap();
        body.push(&Bytes::from_static(b"cd")).unwrap();
        assert!(body.push(&Bytes::from_static(b"e")).is_err());
        let announced = |length: &str| {
            let headers = HeaderMap::from_iter([(header::CONTENT_LENGTH, length.parse().unwrap())]);
            Collected::new(&headers, 4)
        };
        assert!(announced("4").is_ok());
        assert!(announced("5").is_err());
        assert!(announced("18446744073709551615").is_err());
    }
}
