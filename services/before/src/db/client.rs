//! A blocking client of Postgres.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use shared::error::Error as SharedError;
use shared::middleware::blocking;
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Row, Statement};

use super::io::{Io, Socket};
use crate::poll::Woken;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server says no, or the connection broke.
    Postgres(tokio_postgres::Error),
    /// There is no connection, or no answer in time: Postgres ends a statement by
    /// itself after `DB_STATEMENT_TIMEOUT_MS`, so the wire is dead.
    Wire(io::Error),
    /// The request that asks has no time left.
    Deadline(SharedError),
}

/// The values of a statement's parameters.
type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A connection to the database. Each call blocks until its answer is there, as
/// long as a statement or what is left of the request may take.
pub(crate) struct Client {
    engine: tokio_postgres::Client,
    wire: Wire,
    statements: HashMap<&'static str, Statement>,
}

impl Client {
    pub(super) fn start(
        socket: Arc<Socket>,
        options: &tokio_postgres::Config,
        until: Instant,
        limit: Duration,
    ) -> Result<Self, Failure> {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut context = Context::from_waker(&waker);
        let mut start = pin!(options.connect_raw(Io(socket.clone()), NoTls));
        let (engine, connection) = loop {
            match start.as_mut().poll(&mut context) {
                Poll::Ready(started) => break started.map_err(Failure::Postgres)?,
                Poll::Pending if woken.take() => {}
                Poll::Pending if socket.wait(until) => {}
                Poll::Pending => return Err(Failure::Wire(ErrorKind::TimedOut.into())),
            }
        };
        Ok(Self {
            engine,
            wire: Wire {
                connection,
                socket,
                woken,
                waker,
                limit,
                broken: false,
            },
            statements: HashMap::new(),
        })
    }

    /// Whether no more answers can come.
    pub(crate) fn is_broken(&self) -> bool {
        self.wire.broken
    }

    /// Asks the server for a sign of life, for so long at most.
    pub(crate) fn is_alive(&mut self, limit: Duration) -> Result<(), Failure> {
        let Self { engine, wire, .. } = self;
        wire.run_for(limit, engine.simple_query("")).map(drop)
    }

    /// The statement, prepared the first time that this connection needs it.
    /// Not all at once when it is opened: a statement that cannot be prepared,
    /// since its table is locked or broken, must not take the others along.
    pub(crate) fn prepared(&mut self, sql: &'static str) -> Result<Statement, Failure> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.wire.run(self.engine.prepare(sql))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// All rows.
    pub(crate) fn query(&mut self, sql: &Statement, params: Params) -> Result<Vec<Row>, Failure> {
        self.wire.run(self.engine.query(sql, params))
    }

    /// The row, if there is one.
    pub(crate) fn query_opt(
        &mut self,
        sql: &Statement,
        params: Params,
    ) -> Result<Option<Row>, Failure> {
        self.wire.run(self.engine.query_opt(sql, params))
    }

    /// The row.
    pub(crate) fn query_one(&mut self, sql: &Statement, params: Params) -> Result<Row, Failure> {
        self.wire.run(self.engine.query_one(sql, params))
    }

    /// How many rows were affected.
    pub(crate) fn execute(&mut self, sql: &Statement, params: Params) -> Result<u64, Failure> {
        self.wire.run(self.engine.execute(sql, params))
    }

    /// Begins a transaction. It is rolled back unless it is committed.
    pub(crate) fn transaction(&mut self) -> Result<Transaction<'_>, Failure> {
        let Self { engine, wire, .. } = self;
        let inner = Some(wire.run(engine.transaction())?);
        Ok(Transaction { inner, wire })
    }
}

/// A transaction.
pub(crate) struct Transaction<'c> {
    inner: Option<tokio_postgres::Transaction<'c>>,
    wire: &'c mut Wire,
}

const OPEN: &str = "it is there until it ends";

impl Transaction<'_> {
    /// The row, if there is one.
    pub(crate) fn query_opt(
        &mut self,
        sql: &Statement,
        params: Params,
    ) -> Result<Option<Row>, Failure> {
        let inner = self.inner.as_ref().expect(OPEN);
        self.wire.run(inner.query_opt(sql, params))
    }

    /// How many rows were affected.
    pub(crate) fn execute(&mut self, sql: &Statement, params: Params) -> Result<u64, Failure> {
        let inner = self.inner.as_ref().expect(OPEN);
        self.wire.run(inner.execute(sql, params))
    }

    /// Ends it, with what was done.
    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        let inner = self.inner.take().expect(OPEN);
        self.wire.run(inner.commit())
    }

    /// Ends it, as if nothing had been done.
    pub(crate) fn rollback(mut self) -> Result<(), Failure> {
        let inner = self.inner.take().expect(OPEN);
        self.wire.run(inner.rollback())
    }
}

/// After an error or a panic: the rollback goes out at once, and not with the
/// next statement, until which the session would stay in the transaction.
impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.inner.take().is_some() {
            self.wire.turn();
        }
    }
}

/// The engine, and the socket on which it works.
struct Wire {
    connection: tokio_postgres::Connection<Io, NoTlsStream>,
    socket: Arc<Socket>,
    woken: Arc<Woken>,
    waker: Waker,
    limit: Duration,
    broken: bool,
}

impl Wire {
    /// Waits for an answer, as long as a statement and the request may take.
    fn run<T>(
        &mut self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        self.run_for(self.limit, answer)
    }

    fn run_for<T>(
        &mut self,
        limit: Duration,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Failure> {
        let limit = blocking::at_most(limit).map_err(Failure::Deadline)?;
        let until = Instant::now() + limit;
        let waker = self.waker.clone();
        let mut context = Context::from_waker(&waker);
        let mut answer = pin!(answer);
        loop {
            if let Poll::Ready(answer) = answer.as_mut().poll(&mut context) {
                return answer.map_err(Failure::Postgres);
            }
            let alive = self.turn();
            if self.woken.take() {
                continue;
            }
            if !alive {
                return Err(Failure::Wire(ErrorKind::ConnectionAborted.into()));
            }
            if !self.socket.wait(until) {
                // Its answer may still come, and would be taken for the next.
                self.broken = true;
                return Err(Failure::Wire(ErrorKind::TimedOut.into()));
            }
        }
    }

    /// Lets the engine send and receive what it can without waiting. Says
    /// whether it can go on.
    fn turn(&mut self) -> bool {
        let waker = self.waker.clone();
        let mut context = Context::from_waker(&waker);
        while !self.broken {
            match self.connection.poll_message(&mut context) {
                Poll::Pending => return true,
                // A notice, which nobody reads.
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(_)) | None) => self.broken = true,
            }
        }
        false
    }
}

/// Dropped after the engine's other half: says farewell to the server, if that
/// is possible without waiting.
impl Drop for Wire {
    fn drop(&mut self) {
        self.turn();
    }
}
