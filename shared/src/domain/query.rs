//! Query strings of the routes, each parsed once into checked values.

use std::borrow::Cow;
use std::time::Duration;

use super::id::whole_number;
use crate::error::Error;

/// The values that a query string has for the parameters of a route.
struct Parameters<'a, const N: usize> {
    names: [&'static str; N],
    values: [Option<Cow<'a, str>>; N],
}

impl<'a, const N: usize> Parameters<'a, N> {
    /// Reads a query string. Parameters of other names are ignored, as proxies
    /// and browsers add some of their own.
    ///
    /// # Errors
    /// 400 for a parameter that is given twice: no choice between two values
    /// would be the caller's.
    fn read(query: Option<&'a str>, names: [&'static str; N]) -> Result<Self, Error> {
        let mut values = [const { None }; N];
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let Some(at) = names.iter().position(|known| *known == name) else {
                continue;
            };
            if values[at].replace(value).is_some() {
                return Err(Error::malformed(names[at], "must be given once"));
            }
        }
        Ok(Self { names, values })
    }

    /// The whole number at a place: 400 if it is none, 422 if it is out of range.
    fn number(&self, at: usize, range: Range, default: i64) -> Result<i64, Error> {
        let Some(text) = &self.values[at] else {
            return Ok(default);
        };
        let value = whole_number(text)
            .ok_or_else(|| Error::malformed(self.names[at], "must be a whole number"))?;
        if value < range.0 || value > range.1 {
            return Err(Error::invalid(self.names[at], range.2));
        }
        Ok(value)
    }
}

/// The least and the most value, and the sentence for those outside.
#[derive(Clone, Copy)]
struct Range(i64, i64, &'static str);

/// `GET /markets?limit=&after=`
#[derive(Clone, Copy, Debug)]
pub struct MarketsQuery {
    limit: u8,
    after: i64,
}

impl MarketsQuery {
    /// # Errors
    /// 400 or 422, naming the parameter.
    pub fn parse(query: Option<&str>) -> Result<Self, Error> {
        let query = Parameters::read(query, ["limit", "after"])?;
        let limit = query.number(0, Range(1, 200, "must be from 1 to 200"), 50)?;
        let after = query.number(1, Range(0, i64::MAX, "must be 0 or greater"), 0)?;
        Ok(Self {
            limit: u8::try_from(limit).expect("checked to be at most 200"),
            after,
        })
    }

    /// How many markets to show.
    #[must_use]
    pub fn limit(self) -> usize {
        usize::from(self.limit)
    }

    /// How many rows to ask for: one more, which tells whether there is a next page.
    #[must_use]
    pub fn rows(self) -> i64 {
        i64::from(self.limit) + 1
    }

    /// The id after which the page starts.
    #[must_use]
    pub fn after(self) -> i64 {
        self.after
    }
}

/// `GET /markets/{id}/book?depth=`
#[derive(Clone, Copy, Debug)]
pub struct BookQuery {
    depth: u8,
}

impl BookQuery {
    /// # Errors
    /// 400 or 422, naming the parameter.
    pub fn parse(query: Option<&str>) -> Result<Self, Error> {
        let query = Parameters::read(query, ["depth"])?;
        let depth = query.number(0, Range(1, 20, "must be from 1 to 20"), 5)?;
        Ok(Self {
            depth: u8::try_from(depth).expect("checked to be at most 20"),
        })
    }

    /// How many price levels to show on each side.
    #[must_use]
    pub fn depth(self) -> usize {
        usize::from(self.depth)
    }
}

/// `GET /sleep?ms=`
#[derive(Clone, Copy, Debug)]
pub struct SleepQuery {
    duration: Duration,
}

impl SleepQuery {
    /// # Errors
    /// 400 or 422, naming the parameter.
    pub fn parse(query: Option<&str>) -> Result<Self, Error> {
        let query = Parameters::read(query, ["ms"])?;
        let ms = query.number(0, Range(0, 60_000, "must be from 0 to 60000"), 50)?;
        Ok(Self {
            duration: Duration::from_millis(ms.unsigned_abs()),
        })
    }

    /// How long to wait.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.duration
    }
}

/// How `POST /fail` is to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailKind {
    /// The handler returns an internal error.
    Error,
    /// The handler panics.
    Panic,
    /// A background job that the handler starts fails.
    Background,
}

/// `POST /fail?kind=`
#[derive(Clone, Copy, Debug)]
pub struct FailQuery {
    kind: FailKind,
}

impl FailQuery {
    /// # Errors
    /// 400 if it is given twice, 422 if it is missing or of another value.
    pub fn parse(query: Option<&str>) -> Result<Self, Error> {
        let query = Parameters::read(query, ["kind"])?;
        let kind = match query.values[0].as_deref() {
            Some("error") => FailKind::Error,
            Some("panic") => FailKind::Panic,
            Some("background") => FailKind::Background,
            _ => return Err(Error::invalid("kind", "must be error, panic or background")),
        };
        Ok(Self { kind })
    }

    /// Which failure is wanted.
    #[must_use]
    pub fn kind(self) -> FailKind {
        self.kind
    }
}
