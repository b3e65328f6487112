//! The one closed error of both services, and its one way to an answer.
//!
//! Each service has a thin `Error` around it, so that its drivers' errors become
//! this one by `?`; [`Exchange::answer`] makes the answer.
//!
//! Inside, an error says what is wrong; [`Error::problem`] alone knows what a
//! client is told of it. The cause of a 500 or a 503 goes to the log and to
//! Sentry and never over the wire.
//!
//! [`Exchange::answer`]: crate::middleware::Exchange::answer

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt::{self, Write as _};

use http::StatusCode;

use crate::api::Problem;
use crate::middleware::sentry::Stack;

/// What a cause is kept as.
pub type Cause = Box<dyn StdError + Send + Sync>;

/// Everything that a request can end in instead of its answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// 400: the request cannot be read.
    #[error("malformed request: {detail}")]
    Malformed {
        /// The parameter or header at fault, where there is one.
        field: Option<&'static str>,
        /// The sentence for the client.
        detail: Cow<'static, str>,
    },
    /// 404: no such route, or no such row.
    #[error("not found: {0}")]
    NotFound(&'static str),
    /// 405: the route has other methods.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// 408: the client did not send its body in time.
    #[error("the request body did not arrive in time")]
    BodyTimeout,
    /// 409: another request stands in the way at this moment.
    #[error("conflict: {0}")]
    Conflict(&'static str),
    /// 413: the body is longer than `BODY_LIMIT_BYTES`.
    #[error("the request body is longer than {limit} bytes")]
    BodyTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// 415: the body is not JSON.
    #[error("the request body is not application/json")]
    UnsupportedMediaType,
    /// 422: the request can be read, but a value in it is not allowed.
    #[error("invalid {}: {detail}", .field.unwrap_or("body"))]
    Invalid {
        /// The parameter or body field at fault, where there is one.
        field: Option<&'static str>,
        /// The sentence for the client.
        detail: Cow<'static, str>,
    },
    /// 422: the idempotency key was used for another order.
    #[error("the idempotency key was used for another order")]
    KeyReused,
    /// 500: a bug, or something that only we can mend.
    #[error("internal error")]
    Internal(#[source] Internal),
    /// 500: the handler panicked. The panic hook has reported it already.
    #[error("panic")]
    Panic,
    /// 503: nothing is wrong with the request, it may be sent again soon.
    #[error("unavailable")]
    Unavailable(#[source] Unavailable),
}

/// The cause of an internal error and where it came up.
#[derive(Debug)]
pub struct Internal {
    cause: Cause,
    stack: Box<Stack>,
}

impl fmt::Display for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl StdError for Internal {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.source()
    }
}

impl Internal {
    /// The cause itself.
    #[must_use]
    pub fn cause(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.cause
    }

    /// The stack at the moment when the cause became an internal error.
    pub fn stack(&self) -> &Stack {
        &self.stack
    }
}

/// Why a request cannot be served at this moment.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// All connections of the pool stayed in use for `DB_ACQUIRE_TIMEOUT_MS`,
    /// or none could be opened.
    #[error("no database connection within the time limit")]
    Pool(#[source] Cause),
    /// More wait for a thread or for a connection than can be served in time.
    #[error("too many requests wait in line")]
    Line,
    /// The database is away, is stopping, or refuses connections.
    #[error("the database is away")]
    Database(#[source] Cause),
    /// A statement ran longer than `DB_STATEMENT_TIMEOUT_MS`.
    #[error("the statement took too long")]
    Statement(#[source] Cause),
    /// The request took longer than `REQUEST_TIMEOUT_MS`.
    #[error("the request took too long")]
    Deadline,
    /// The service has more connections than it may.
    #[error("too many connections")]
    Overload,
    /// The schema is not there yet, or older than this build.
    #[error("the schema is not ready: {0}")]
    Schema(Cause),
}

impl Error {
    /// A 400 that names the parameter or header.
    #[must_use]
    pub fn malformed(field: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Malformed {
            field: Some(field),
            detail: detail.into(),
        }
    }

    /// A 422 that names the parameter or body field.
    #[must_use]
    pub fn invalid(field: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid {
            field: Some(field),
            detail: detail.into(),
        }
    }

    /// A 500 with its cause. Takes a backtrace, which costs some microseconds;
    /// its symbols are resolved only if it is reported.
    #[must_use]
    pub fn internal(cause: impl Into<Cause>) -> Self {
        Self::Internal(Internal {
            cause: cause.into(),
            stack: Box::new(Stack::here()),
        })
    }

    /// What an error that Postgres reported means, by its SQLSTATE
    /// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
    /// The same for both drivers.
    #[must_use]
    pub fn of_sqlstate(code: &str, cause: impl Into<Cause>) -> Self {
        match code {
            // Cancelled by statement_timeout or lock_timeout.
            "57014" | "55P03" => Self::Unavailable(Unavailable::Statement(cause.into())),
            // Shutdown, crash, starting up; connection exceptions; out of
            // connections, memory or disk; not let in.
            _ if code.starts_with("57P")
                || code.starts_with("08")
                || code.starts_with("53")
                || code.starts_with("28")
                || code == "3D000" =>
            {
                Self::Unavailable(Unavailable::Database(cause.into()))
            }
            _ => Self::internal(cause),
        }
    }

    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Malformed { .. } => StatusCode::BAD_REQUEST,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid { .. } | Self::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Internal(_) | Self::Panic => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// What the client is told: the status, a stable type, and a sentence that
    /// gives nothing of the inside away.
    #[must_use]
    pub fn problem(&self, request_id: &str) -> Problem {
        let (kind, title) = self.kind();
        Problem {
            kind: format!("urn:exchange:problem:{kind}"),
            title,
            status: self.status().as_u16(),
            detail: self.detail().into_owned(),
            field: match self {
                Self::Malformed { field, .. } | Self::Invalid { field, .. } => *field,
                Self::KeyReused => Some("Idempotency-Key"),
                _ => None,
            },
            request_id: request_id.to_owned(),
        }
    }

    fn kind(&self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed { .. } => ("malformed", "The request cannot be read"),
            Self::NotFound(_) => ("not-found", "Not found"),
            Self::MethodNotAllowed => ("method-not-allowed", "Method not allowed"),
            Self::BodyTimeout => ("body-timeout", "The body did not arrive in time"),
            Self::Conflict(_) => ("conflict", "Another request stands in the way"),
            Self::BodyTooLarge { .. } => ("body-too-large", "The body is too large"),
            Self::UnsupportedMediaType => ("unsupported-media-type", "The body is not JSON"),
            Self::Invalid { .. } => ("invalid", "A value is not allowed"),
            Self::KeyReused => ("key-reused", "The idempotency key was used before"),
            Self::Internal(_) | Self::Panic => ("internal", "Internal error"),
            Self::Unavailable(_) => ("unavailable", "Not available at this moment"),
        }
    }

    fn detail(&self) -> Cow<'static, str> {
        match self {
            Self::Malformed { detail, .. } | Self::Invalid { detail, .. } => detail.clone(),
            Self::NotFound(what) => format!("there is no such {what}").into(),
            Self::MethodNotAllowed => "the methods of this route are in the header Allow".into(),
            Self::BodyTimeout => "send the whole body within the time limit".into(),
            Self::Conflict(detail) => (*detail).into(),
            Self::BodyTooLarge { limit } => format!("the limit is {limit} bytes").into(),
            Self::UnsupportedMediaType => "send the header Content-Type: application/json".into(),
            Self::KeyReused => "the key stands for another order; take a new key".into(),
            Self::Internal(_) | Self::Panic => {
                "the error was reported; quote the request id when you ask about it".into()
            }
            Self::Unavailable(_) => "try again after the time in the header Retry-After".into(),
        }
    }

    /// The whole chain of causes in one line, for the log.
    #[must_use]
    pub fn chain(&self) -> String {
        chain(self)
    }
}

/// An error and its causes in one line. A cause that its parent's text repeats
/// is left out.
#[must_use]
pub fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let text = source.to_string();
        if !line.ends_with(&text) {
            let _ = write!(line, ": {text}");
        }
        next = source.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inside_never_shows() {
        let secret = "relation \"orders\" of user admin at 10.0.0.7";
        for error in [
            Error::internal(secret),
            Error::of_sqlstate("42P01", secret),
            Error::of_sqlstate("57014", secret),
            Error::Unavailable(Unavailable::Database(secret.into())),
        ] {
            let shown = serde_json::to_string(&error.problem("r-1")).unwrap();
            assert!(
                !shown.contains("orders") && !shown.contains("admin"),
                "{shown}"
            );
            assert!(error.chain().contains(secret), "{}", error.chain());
        }
    }

    #[test]
    fn sqlstates_tell_a_bug_from_a_database_that_is_away() {
        for (code, status) in [
            ("42P01", 500),
            ("23503", 500),
            ("57014", 503),
            ("57P01", 503),
            ("08006", 503),
            ("53300", 503),
            ("28P01", 503),
            ("3D000", 503),
        ] {
            assert_eq!(
                Error::of_sqlstate(code, "x").status().as_u16(),
                status,
                "{code}"
            );
        }
    }
}
