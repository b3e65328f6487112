//! From the errors of the driver and the pool to the one error of both services.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use deadpool::managed::PoolError;
use shared::error::{Cause, Error as SharedError, Unavailable};
use shared::middleware::failure;
use sqlx::error::DatabaseError;

/// What a handler ends in instead of its answer.
#[derive(Debug)]
pub struct Error(SharedError);

impl Error {
    /// The error that the middleware and the log know.
    #[must_use]
    pub fn into_inner(self) -> SharedError {
        self.0
    }

    /// No connection was to be had in time.
    pub(crate) fn no_connection(cause: impl Into<Cause>) -> Self {
        Self(SharedError::Unavailable(Unavailable::Pool(cause.into())))
    }
}

impl From<SharedError> for Error {
    fn from(error: SharedError) -> Self {
        Self(error)
    }
}

impl From<Error> for SharedError {
    fn from(error: Error) -> Self {
        error.into_inner()
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let code = error
            .as_database_error()
            .and_then(DatabaseError::code)
            .map(Cow::into_owned);
        Self(match (code, &error) {
            (Some(code), _) => SharedError::of_sqlstate(&code, error),
            // The server went away, or a socket broke.
            (None, sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed) => {
                SharedError::Unavailable(Unavailable::Database(error.into()))
            }
            (None, _) => SharedError::internal(error),
        })
    }
}

impl From<PoolError<sqlx::Error>> for Error {
    fn from(error: PoolError<sqlx::Error>) -> Self {
        match error {
            PoolError::Backend(error) => error.into(),
            other => Self::no_connection(other),
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        failure(self.0)
    }
}
