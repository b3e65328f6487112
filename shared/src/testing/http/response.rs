//! What comes back.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// A whole answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Response {
    /// The minor version of HTTP/1.
    pub minor_version: u8,
    /// The status.
    pub status: u16,
    /// The headers in their order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, its coding undone.
    pub body: Vec<u8>,
    /// The statuses that came before, such as 100.
    pub interim: Vec<u16>,
}

impl Response {
    /// All values of a header.
    ///
    /// # Panics
    /// If one is not ASCII: none of ours is.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(name, value)| {
                str::from_utf8(value).unwrap_or_else(|_| panic!("{name} is not ASCII: {self:?}"))
            })
            .collect()
    }

    /// The value of a header that may be there once.
    ///
    /// # Panics
    /// If it is there more than once.
    pub fn header(&self, name: &str) -> Option<&str> {
        match self.all(name)[..] {
            [] => None,
            [value] => Some(value),
            _ => panic!("{name} is there more than once: {self:?}"),
        }
    }

    /// The request's id.
    ///
    /// # Panics
    /// If there is none.
    pub fn request_id(&self) -> &str {
        self.header("x-request-id")
            .unwrap_or_else(|| panic!("no X-Request-Id: {self:?}"))
    }

    /// Whether the server will close the connection.
    pub fn closes(&self) -> bool {
        match self.header("connection") {
            Some(value) => !value.eq_ignore_ascii_case("keep-alive"),
            None => self.minor_version == 0,
        }
    }

    /// The body as text.
    ///
    /// # Panics
    /// If it is none.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap_or_else(|_| panic!("the body is no text: {self:?}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("the body is not JSON ({error}): {self:?}"))
    }

    /// The body as JSON, if it is.
    pub fn try_json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The value of one figure of `GET /metrics`.
    ///
    /// # Panics
    /// If there is no such figure.
    pub fn figure<T: FromStr>(&self, name: &str) -> T {
        self.text()
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
            .unwrap_or_else(|| panic!("no {name} in {}", self.text()))
    }

    /// This answer, if it has that status.
    ///
    /// # Panics
    /// If not.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "many only want to know the status"
    )]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

/// For people who read a red test.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 2000;
        writeln!(f, "HTTP/1.{} {}", self.minor_version, self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "  {name}: {}", value.escape_ascii())?;
        }
        let shown = &self.body[..self.body.len().min(SHOWN)];
        write!(f, "  {} bytes: {}", self.body.len(), shown.escape_ascii())
    }
}
