//! The database of the subjects: its version, and what it uses.

use std::process::{Command, Stdio};

use postgres::{Client, Config, NoTls};

use crate::cores;
use crate::usage;

/// A Postgres that can be reached.
#[derive(Clone, Debug, Default)]
pub struct Database {
    /// Its version, as it says it.
    pub version: Option<String>,
    /// Its first process, if it runs on this machine.
    first: Option<u32>,
}

impl Database {
    /// Asks it.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn look(url: &str, password: Option<&str>) -> Result<Self, String> {
        let mut config: Config = url
            .parse()
            .map_err(|error| format!("DATABASE_URL cannot be read: {error}"))?;
        if let Some(password) = password {
            config.password(password);
        }
        config.connect_timeout(std::time::Duration::from_secs(5));
        let failed = |error: postgres::Error| {
            let mut text = format!("the database cannot be reached: {error}");
            if let Some(cause) = std::error::Error::source(&error) {
                text = format!("{text}: {cause}");
            }
            text
        };
        let mut client: Client = config.connect(NoTls).map_err(failed)?;
        let row = client
            .query_one(
                "select current_setting('server_version'), pg_backend_pid()",
                &[],
            )
            .map_err(failed)?;
        // Its process is one of ours only if the number means a Postgres here.
        let backend = u32::try_from(row.get::<_, i32>(1)).ok();
        let is_here =
            |pid: &u32| usage::name(*pid).is_some_and(|name| name.starts_with("postgres"));
        let first = backend
            .filter(is_here)
            .and_then(usage::parent)
            .filter(is_here);
        Ok(Self {
            version: row.get(0),
            first,
        })
    }

    /// Its processor seconds so far; nothing if it runs elsewhere.
    #[must_use]
    pub fn cpu_s(&self) -> Option<f64> {
        usage::family_cpu_s(self.first?)
    }

    /// Puts it on some processors; connections that come later follow. Nothing
    /// happens to one that runs elsewhere, or belongs to somebody else.
    pub fn pin(&self, to: &[usize]) {
        if let Some(first) = self.first
            && !to.is_empty()
        {
            let _ = Command::new("taskset")
                .args(["-apc", &cores::list(to), &first.to_string()])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
        }
    }
}
