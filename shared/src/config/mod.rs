//! Configuration: one struct, read from a lookup and not from the process, so
//! that tests need not touch the environment. All mistakes are reported
//! together, and secrets never print.

mod database;
mod read;
#[cfg(test)]
mod tests;
mod variables;

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

pub use database::{DatabaseUrl, Host, Secret};
pub use read::ConfigError;
use read::Reader;
pub use variables::{VARIABLES, Variable};

/// Which of the two services is configured. They differ in a few defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Threads.
    Before,
    /// Tasks.
    After,
}

impl Service {
    /// The name of the binary, the Sentry tag `service` and the database's
    /// `application_name`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// Everything that can be set. [`VARIABLES`] has the meanings in prose.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which service this is.
    pub service: Service,
    /// `LISTEN`: the address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// `REUSE_PORT`: whether other processes that say so too may listen on the
    /// same port (`SO_REUSEPORT`). The kernel spreads new connections between
    /// them.
    pub reuse_port: bool,
    /// `WORKERS`: the most threads for connections (before), or the number of
    /// runtime threads (after).
    pub workers: usize,
    /// `RUNTIME`: how `after` spreads its tasks over threads.
    pub runtime: Runtime,
    /// Bounds on connections, requests and stopping.
    pub limits: Limits,
    /// The database and the pool.
    pub database: Database,
    /// What is cleaned up in the background.
    pub cleaning: Cleaning,
    /// The error tracker; none if `SENTRY_DSN` is unset or empty.
    pub sentry: Option<Sentry>,
    /// What is logged, and how.
    pub log: Log,
    /// `EXPERIMENTS`: whether `/sleep` and `/fail` are served.
    pub experiments: bool,
}

/// Bounds on connections, requests and stopping.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// `REQUEST_TIMEOUT_MS`: from the last byte of the head to the answer, the
    /// body included. After it, 408 if the body is missing, else 503.
    pub request_timeout: Duration,
    /// `HEADER_TIMEOUT_MS`: from the first byte of a request, or from the
    /// accepting of a connection, to the end of the head. After it, closed.
    pub header_timeout: Duration,
    /// `KEEP_ALIVE_MS`: how long a connection may be idle between requests.
    pub keep_alive: Duration,
    /// `BODY_LIMIT_BYTES`: the longest body that is taken; 413 over it.
    pub body_limit: usize,
    /// `MAX_CONNECTIONS`: the most open connections; 503 and closed over it.
    pub max_connections: usize,
    /// `SHUTDOWN_GRACE_MS`: how long a stop waits for what is in flight.
    pub shutdown_grace: Duration,
}

/// The database and the pool.
#[derive(Clone, Debug)]
pub struct Database {
    /// `DATABASE_URL`, with the password from `PGPASSWORD` if it has none.
    pub url: DatabaseUrl,
    /// `DB_POOL`: the most connections to the database for requests. `/ready`
    /// has one more (with `RUNTIME=per-core` one a runtime), and for a moment
    /// each, so have the look at the start and the cleaner.
    pub pool: usize,
    /// `DB_ACQUIRE_TIMEOUT_MS`: how long a request waits for a connection; 503
    /// after it, or at once if the line is too long ([`Admission`]).
    ///
    /// [`Admission`]: crate::admission::Admission
    pub acquire_timeout: Duration,
    /// `DB_STATEMENT_TIMEOUT_MS`: how long a statement may run or wait for a
    /// lock, and never longer than a request; 503 after it.
    pub statement_timeout: Duration,
}

impl Database {
    /// The settings of each session, by which Postgres itself ends what takes
    /// too long or what nobody waits for any more, in milliseconds.
    #[must_use]
    pub fn session(&self) -> [(&'static str, String); 5] {
        let limit = self.statement_timeout.as_millis().to_string();
        [
            ("statement_timeout", limit.clone()),
            ("lock_timeout", limit.clone()),
            ("idle_in_transaction_session_timeout", limit),
            // Whether the client is still there, also during a statement.
            ("client_connection_check_interval", "1000".to_owned()),
            // Notices, which nobody reads.
            ("client_min_messages", "error".to_owned()),
        ]
    }

    /// How long an answer of the server is waited for: longer than Postgres
    /// takes to end a statement by itself. After it, the wire counts as dead.
    #[must_use]
    pub fn answer_timeout(&self) -> Duration {
        self.statement_timeout + self.acquire_timeout
    }
}

/// What is cleaned up in the background.
#[derive(Clone, Copy, Debug)]
pub struct Cleaning {
    /// `CLEAN_EVERY_MS`: how long after one round the next one begins.
    pub every: Duration,
    /// `IDEMPOTENCY_KEEP_MS`: how long an idempotency key is known; after it,
    /// the same key counts as a new one.
    pub keep: Duration,
}

/// The error tracker.
#[derive(Clone, Debug)]
pub struct Sentry {
    /// `SENTRY_DSN`. Its key may only send events, but is not printed either.
    pub dsn: Secret<sentry::types::Dsn>,
    /// `SENTRY_ENVIRONMENT`.
    pub environment: String,
    /// `SENTRY_RELEASE`; the package's name and version by default.
    pub release: String,
}

/// What is logged, and how.
#[derive(Clone, Debug)]
pub struct Log {
    /// `RUST_LOG`: directives of `tracing-subscriber`'s `EnvFilter`.
    pub filter: String,
    /// `LOG_FORMAT`.
    pub format: LogFormat,
}

/// `LOG_FORMAT`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

impl FromStr for LogFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("must be text or json"),
        }
    }
}

/// `RUNTIME`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// One work-stealing runtime over `WORKERS` threads.
    MultiThread,
    /// One runtime on one thread, whatever `WORKERS` is.
    CurrentThread,
    /// `WORKERS` runtimes of one thread, each with its own listener
    /// (`SO_REUSEPORT`) and its share of the pool.
    PerCore,
}

impl FromStr for Runtime {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "multi-thread" => Ok(Self::MultiThread),
            "current-thread" => Ok(Self::CurrentThread),
            "per-core" => Ok(Self::PerCore),
            _ => Err("must be multi-thread, current-thread or per-core"),
        }
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MultiThread => "multi-thread",
            Self::CurrentThread => "current-thread",
            Self::PerCore => "per-core",
        })
    }
}

/// Looks a variable up in the environment of the process. What is not UTF-8 is
/// not ignored: its odd bytes are replaced, and then refused by whoever reads it.
#[must_use]
pub fn environment(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

impl Config {
    /// Reads the configuration of a service from a lookup of variables.
    ///
    /// # Errors
    /// All mistakes together, each with the name of its variable.
    pub fn read(
        service: Service,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(lookup);
        let runtime = reader.parsed("RUNTIME", Runtime::MultiThread, str::parse);
        let pool = reader.number("DB_POOL", 8, 1, 1000);
        let request_timeout = reader.millis("REQUEST_TIMEOUT_MS", 10_000);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (port, workers, most_workers) = match (service, runtime) {
            (Service::Before, _) => (8001, 200, 10_000),
            (Service::After, Runtime::PerCore) => (8002, cores.min(pool), 1024),
            (Service::After, _) => (8002, cores, 1024),
        };
        let config = Self {
            service,
            listen: reader.parsed("LISTEN", ([127, 0, 0, 1], port).into(), |text| {
                text.parse()
                    .map_err(|_| "must be an address and a port, such as 127.0.0.1:8001")
            }),
            reuse_port: reader.switch("REUSE_PORT", false),
            workers: reader.number("WORKERS", workers, 1, most_workers),
            runtime,
            limits: Limits {
                request_timeout,
                header_timeout: reader.millis("HEADER_TIMEOUT_MS", 10_000),
                keep_alive: reader.millis("KEEP_ALIVE_MS", 75_000),
                body_limit: reader.number("BODY_LIMIT_BYTES", 65_536, 1, 1 << 30),
                max_connections: reader.number("MAX_CONNECTIONS", 10_000, 1, 1_000_000),
                shutdown_grace: reader.millis("SHUTDOWN_GRACE_MS", 10_000),
            },
            database: Database {
                url: database_url(&mut reader),
                pool,
                acquire_timeout: reader.millis("DB_ACQUIRE_TIMEOUT_MS", 1000),
                statement_timeout: reader
                    .millis("DB_STATEMENT_TIMEOUT_MS", 5000)
                    .min(request_timeout),
            },
            cleaning: Cleaning {
                every: reader.millis("CLEAN_EVERY_MS", 600_000),
                keep: reader.millis("IDEMPOTENCY_KEEP_MS", 86_400_000),
            },
            sentry: sentry(&mut reader),
            log: log(&mut reader),
            experiments: reader.switch("EXPERIMENTS", false),
        };
        let shared_out = service == Service::After && runtime == Runtime::PerCore;
        if shared_out && pool < config.workers {
            reader.wrong(
                "DB_POOL",
                "must be at least WORKERS with RUNTIME=per-core, since each runtime has its share",
            );
        }
        reader.finish(config)
    }
}

/// Reads `DATABASE_URL`, and `PGPASSWORD` for a URL without a password.
fn database_url(reader: &mut Reader<impl Fn(&str) -> Option<String>>) -> DatabaseUrl {
    let Some(text) = reader.text("DATABASE_URL") else {
        reader.wrong(
            "DATABASE_URL",
            "is required, such as postgres://user:password@localhost:5432/exchange",
        );
        return DatabaseUrl::default();
    };
    match DatabaseUrl::parse(&text) {
        Ok(url) => url.or_password(reader.raw("PGPASSWORD")),
        Err(mistake) => {
            reader.wrong("DATABASE_URL", mistake);
            DatabaseUrl::default()
        }
    }
}

/// Reads the SDK's own variables.
fn sentry(reader: &mut Reader<impl Fn(&str) -> Option<String>>) -> Option<Sentry> {
    let text = reader.text("SENTRY_DSN")?;
    match text.parse() {
        Ok(dsn) => Some(Sentry {
            dsn: Secret::new(dsn),
            environment: reader
                .text("SENTRY_ENVIRONMENT")
                .unwrap_or_else(|| "production".to_owned()),
            release: reader.text("SENTRY_RELEASE").unwrap_or_else(|| {
                concat!("threads-to-tokio@", env!("CARGO_PKG_VERSION")).to_owned()
            }),
        }),
        Err(_) => {
            reader.wrong(
                "SENTRY_DSN",
                "is not a DSN, such as https://key@sentry.example/1; leave it empty to switch Sentry off",
            );
            None
        }
    }
}

fn log(reader: &mut Reader<impl Fn(&str) -> Option<String>>) -> Log {
    Log {
        filter: reader.parsed("RUST_LOG", "info".to_owned(), |text| {
            tracing_subscriber::EnvFilter::try_new(text)
                .map(|_| text.to_owned())
                .map_err(|_| "is not a list of log directives, such as info or warn,access=info")
        }),
        format: reader.parsed("LOG_FORMAT", LogFormat::Text, str::parse),
    }
}

impl Config {
    /// What `migrate` needs: the database alone.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn read_database(
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<DatabaseUrl, ConfigError> {
        let mut reader = Reader::new(lookup);
        let url = database_url(&mut reader);
        reader.finish(url)
    }
}
