//! Requests and answers of the contenders that have no router.

use std::borrow::Cow;

use shared::api::Book;
use shared::domain::MarketId;

use crate::Failure;

/// What a path asks for.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// `/ping`
    Ping,
    /// `/markets/{id}/book`
    Book(MarketId),
    /// Anything else.
    Nothing,
}

impl Target {
    /// Reads a path.
    #[must_use]
    pub fn of(path: &str) -> Self {
        if path == "/ping" {
            return Self::Ping;
        }
        path.strip_prefix("/markets/")
            .and_then(|rest| rest.strip_suffix("/book"))
            .and_then(|id| MarketId::parse(id).ok())
            .map_or(Self::Nothing, Self::Book)
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Its HTTP status.
    pub status: u16,
    /// The content type.
    pub content_type: &'static str,
    /// The body.
    pub body: Cow<'static, [u8]>,
}

impl Answer {
    /// The answer to a ping.
    pub const PONG: Self = Self::text(200, "pong");
    /// The answer when there is no such thing.
    pub const NOT_FOUND: Self = Self::text(404, "not found");

    const fn text(status: u16, text: &'static str) -> Self {
        Self {
            status,
            content_type: "text/plain; charset=utf-8",
            body: Cow::Borrowed(text.as_bytes()),
        }
    }

    /// The answer of a thread that gets books by waiting for them.
    pub fn get(path: &str, book: impl FnOnce(MarketId) -> Result<Option<Book>, Failure>) -> Self {
        match Target::of(path) {
            Target::Ping => Self::PONG,
            Target::Book(market) => Self::book(book(market)),
            Target::Nothing => Self::NOT_FOUND,
        }
    }

    /// The answer with a book, if there is one.
    #[must_use]
    pub fn book(book: Result<Option<Book>, Failure>) -> Self {
        let json = match book {
            Ok(Some(book)) => serde_json::to_vec(&book),
            Ok(None) => return Self::NOT_FOUND,
            Err(_) => return Self::text(503, "unavailable"),
        };
        json.map_or(Self::text(500, "error"), |json| Self {
            status: 200,
            content_type: "application/json",
            body: json.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_ping_a_book_or_nothing() {
        assert!(matches!(Target::of("/ping"), Target::Ping));
        assert!(matches!(Target::of("/markets/17/book"), Target::Book(id) if id.get() == 17));
        for nothing in [
            "/",
            "/pings",
            "/markets/0/book",
            "/markets/1",
            "/markets//book",
        ] {
            assert!(matches!(Target::of(nothing), Target::Nothing), "{nothing}");
        }
    }
}
