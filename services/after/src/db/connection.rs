//! A connection, and whether it can be handed on.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use shared::config::Database;
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Error};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// A connection to the database. Statements go over [`Connection::sqlx`], and
/// each goes through [`Connection::work`].
pub(crate) struct Connection {
    pub(crate) sqlx: PgConnection,
    pub(crate) work: Work,
    used: Instant,
}

impl Connection {
    pub(super) fn new(sqlx: PgConnection, config: &Database) -> Self {
        Self {
            sqlx,
            work: Work {
                cut: false,
                limit: config.answer_timeout(),
            },
            used: Instant::now(),
        }
    }

    /// How long nobody has used it.
    pub(crate) fn idle(&self) -> Duration {
        self.used.elapsed()
    }

    /// Notes that its user has given it back.
    pub(crate) fn rest(&mut self) {
        self.used = Instant::now();
    }

    /// Asks the server for a sign of life, for so long at most.
    pub(crate) async fn is_alive(&mut self, limit: Duration) -> bool {
        matches!(timeout(limit, self.sqlx.ping()).await, Ok(Ok(())))
    }

    /// Makes a connection usable whose work was cut: waits for the answer that
    /// nobody waits for any more, and ends what transaction there may be. (Also
    /// one that sqlx 0.9.0 does not know of, since its `BEGIN` was cut:
    /// <https://github.com/launchbadge/sqlx/pull/4394>. Outside of a transaction
    /// a `ROLLBACK` does nothing.) Says whether that was done within the limit.
    pub(crate) async fn mend(&mut self, limit: Duration) -> bool {
        let rollback = sqlx::raw_sql("ROLLBACK").execute(&mut self.sqlx);
        let mended = matches!(timeout(limit, rollback).await, Ok(Ok(_)));
        self.work.cut = !mended;
        mended
    }
}

/// The use that is being made of a connection.
///
/// A future can be dropped wherever it waits: then a statement is half sent, or
/// its answer is still on the way. On a thread there is no such state.
pub(crate) struct Work {
    cut: bool,
    limit: Duration,
}

impl Work {
    /// Whether a use has not come to its end, so that nobody knows in which
    /// state the connection is.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Waits for the answer to a statement.
    ///
    /// # Errors
    /// The statement's own, or that no answer came in time: Postgres ends a
    /// statement by itself after `DB_STATEMENT_TIMEOUT_MS`, so the wire is dead.
    pub(crate) async fn run<T>(
        &mut self,
        statement: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.cut = true;
        let done = self.answered(statement).await;
        self.cut = done.as_ref().err().is_some_and(leaves_unknown);
        done
    }

    /// Waits for the answers to the statements of a transaction, which take no
    /// longer together than one may.
    ///
    /// # Errors
    /// As above. After any of them, the rollback has still to be sent: it is
    /// when the connection is mended.
    pub(crate) async fn transaction<T>(
        &mut self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.cut = true;
        let done = self.answered(statements).await;
        self.cut = done.is_err();
        done
    }

    /// A timer is only set when something has to be waited for.
    async fn answered<T>(
        &self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let mut statements = pin!(statements);
        let mut late = pin!(None::<Sleep>);
        poll_fn(|cx| {
            if let Poll::Ready(done) = statements.as_mut().poll(cx) {
                return Poll::Ready(done);
            }
            if late.is_none() {
                late.set(Some(sleep(self.limit)));
            }
            let late = late.as_mut().as_pin_mut().expect("it was set above");
            late.poll(cx)
                .map(|()| Err(Error::Io(io::ErrorKind::TimedOut.into())))
        })
        .await
    }
}

/// Whether after this error nobody knows in which state the connection is. The
/// server's own errors leave it ready, but for those with which it hangs up (by
/// SQLSTATE: 57P and class 08).
fn leaves_unknown(error: &Error) -> bool {
    match error {
        Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            code.starts_with("57P") || code.starts_with("08")
        }
        Error::RowNotFound | Error::ColumnDecode { .. } | Error::Decode(_) => false,
        _ => true,
    }
}
