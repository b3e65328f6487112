//! From the errors of the driver and the pool to the one error of both services.

use bytes::Bytes;
use http::Response;
use shared::error::{Error as SharedError, Unavailable};
use shared::middleware::failure;

use crate::db::Failure;
use crate::respond::IntoResponse;

/// What a handler ends in instead of its answer.
#[derive(Debug)]
pub struct Error(SharedError);

impl Error {
    /// The error that the middleware and the log know.
    #[must_use]
    pub fn into_inner(self) -> SharedError {
        self.0
    }
}

impl From<SharedError> for Error {
    fn from(error: SharedError) -> Self {
        Self(error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Postgres(error) => error.into(),
            Failure::Wire(error) => Self(SharedError::Unavailable(Unavailable::Database(
                error.into(),
            ))),
            Failure::Deadline(error) => Self(error),
        }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        Self(match error.code() {
            Some(code) => SharedError::of_sqlstate(code.clone().code(), error),
            // The server went away, or a socket broke.
            None if error.is_closed() || is_io(&error) => {
                SharedError::Unavailable(Unavailable::Database(error.into()))
            }
            None => SharedError::internal(error),
        })
    }
}

/// Whether the cause of a driver's error is the connection itself.
fn is_io(error: &tokio_postgres::Error) -> bool {
    let source = std::error::Error::source(error);
    source.is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

impl From<r2d2::Error> for Error {
    fn from(error: r2d2::Error) -> Self {
        Self(SharedError::Unavailable(Unavailable::Pool(error.into())))
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response<Bytes> {
        failure(self.0)
    }
}
