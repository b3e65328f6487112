//! The environment: the variables that mean the same to the pair.

use std::env;
use std::io;
use std::net::SocketAddr;
use std::str::FromStr;

use tokio::runtime::{Builder, Runtime};

use crate::Failure;

/// What a contender can be told.
#[derive(Debug)]
pub struct Settings {
    /// `LISTEN`: where it listens.
    pub listen: SocketAddr,
    /// `DATABASE_URL`: the database, with its password.
    pub database_url: String,
    /// `DB_POOL`: how many connections to it (8).
    pub pool: u32,
    /// `WORKERS`: threads of the runtime or of the pool (1).
    pub workers: usize,
    /// `RUNTIME`: whether it is `current-thread` (`multi-thread`).
    pub current_thread: bool,
}

impl Settings {
    /// Reads the environment.
    ///
    /// # Errors
    /// If a variable is missing or is not what it should be; says which.
    pub fn read() -> Result<Self, Failure> {
        Ok(Self {
            listen: read("LISTEN", None)?,
            database_url: read("DATABASE_URL", None)?,
            pool: read("DB_POOL", Some("8"))?,
            workers: read("WORKERS", Some("1"))?,
            current_thread: match &*read::<String>("RUNTIME", Some("multi-thread"))? {
                "multi-thread" => false,
                "current-thread" => true,
                other => return Err(format!("RUNTIME: {other} is not known").into()),
            },
        })
    }

    /// The runtime that is asked for.
    ///
    /// # Errors
    /// If the system has no thread or no file handle to give.
    pub fn runtime(&self) -> io::Result<Runtime> {
        if self.current_thread {
            return current_thread();
        }
        Builder::new_multi_thread()
            .worker_threads(self.workers)
            .enable_all()
            .build()
    }
}

/// A runtime on the thread that waits for it.
///
/// # Errors
/// If the system has no file handle to give.
pub fn current_thread() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn read<T: FromStr>(name: &str, default: Option<&str>) -> Result<T, Failure> {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    let value = value.or_else(|| default.map(str::to_owned));
    let value = value.ok_or_else(|| format!("{name} is not set"))?;
    value
        .parse()
        .map_err(|_| format!("{name} cannot be read").into())
}
