//! The variables in prose, for `--help`.

/// A variable of the environment.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The default as it would be written; empty if there is none.
    pub default: &'static str,
    /// What it is, with its unit.
    pub meaning: &'static str,
}

const fn variable(name: &'static str, default: &'static str, meaning: &'static str) -> Variable {
    Variable {
        name,
        default,
        meaning,
    }
}

/// All variables that the services read.
pub const VARIABLES: [Variable; 23] = [
    variable(
        "DATABASE_URL",
        "",
        "the database: postgres://user[:password]@host[:port]/name; required",
    ),
    variable("PGPASSWORD", "", "the password, raw, if the URL has none"),
    variable(
        "LISTEN",
        "127.0.0.1:8001 (before), :8002 (after)",
        "the address to listen on; port 0 takes a free one",
    ),
    variable(
        "REUSE_PORT",
        "off",
        "on: several processes listen on one port (SO_REUSEPORT)",
    ),
    variable(
        "WORKERS",
        "200 (before), cores (after)",
        "before: the most threads; after: runtime threads",
    ),
    variable(
        "RUNTIME",
        "multi-thread",
        "after only: multi-thread, current-thread or per-core",
    ),
    variable(
        "DB_POOL",
        "8",
        "the most connections to the database for requests; /ready has one more",
    ),
    variable(
        "DB_ACQUIRE_TIMEOUT_MS",
        "1000",
        "how long a request waits for a connection; 503 at once where it would be over half",
    ),
    variable(
        "DB_STATEMENT_TIMEOUT_MS",
        "5000",
        "how long a statement may run or wait for a lock; not longer than a request",
    ),
    variable(
        "REQUEST_TIMEOUT_MS",
        "10000",
        "how long a request may take, its body included",
    ),
    variable(
        "HEADER_TIMEOUT_MS",
        "10000",
        "how long the head of a request may take to arrive",
    ),
    variable(
        "KEEP_ALIVE_MS",
        "75000",
        "how long a connection may be idle",
    ),
    variable(
        "BODY_LIMIT_BYTES",
        "65536",
        "the longest body that is taken",
    ),
    variable("MAX_CONNECTIONS", "10000", "the most open connections"),
    variable(
        "SHUTDOWN_GRACE_MS",
        "10000",
        "how long a stop waits for what is in flight",
    ),
    variable(
        "IDEMPOTENCY_KEEP_MS",
        "86400000",
        "how long an idempotency key is known; at most a day",
    ),
    variable(
        "CLEAN_EVERY_MS",
        "600000",
        "how often older keys are forgotten",
    ),
    variable(
        "SENTRY_DSN",
        "",
        "where errors are reported; empty: nowhere",
    ),
    variable(
        "SENTRY_ENVIRONMENT",
        "production",
        "the environment named in reports",
    ),
    variable(
        "SENTRY_RELEASE",
        "threads-to-tokio@VERSION",
        "the release named in reports",
    ),
    variable(
        "RUST_LOG",
        "info",
        "what is logged, such as warn or info,access=warn",
    ),
    variable("LOG_FORMAT", "text", "text or json"),
    variable("EXPERIMENTS", "off", "on: serve /sleep and /fail as well"),
];
