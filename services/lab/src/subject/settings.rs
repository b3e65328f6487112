//! The environment in which the lab starts the pair.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Display;

/// Variables of the services that a user may set for the lab, too: they hold for
/// both. Those that the lab sets itself are not among them.
const INHERITED: [&str; 15] = [
    "DB_POOL",
    "DB_ACQUIRE_TIMEOUT_MS",
    "DB_STATEMENT_TIMEOUT_MS",
    "REQUEST_TIMEOUT_MS",
    "HEADER_TIMEOUT_MS",
    "KEEP_ALIVE_MS",
    "BODY_LIMIT_BYTES",
    "MAX_CONNECTIONS",
    "SHUTDOWN_GRACE_MS",
    "IDEMPOTENCY_KEEP_MS",
    "CLEAN_EVERY_MS",
    "SENTRY_DSN",
    "SENTRY_ENVIRONMENT",
    "SENTRY_RELEASE",
    "RUNTIME",
];

/// Whose value nobody is to read in a report.
const SECRET: [&str; 3] = ["DATABASE_URL", "PGPASSWORD", "SENTRY_DSN"];

/// What a subject is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// As it is.
    Plain,
    /// With the routes of the experiments.
    Experiments,
    /// One of several processes on a port: see [`Settings::set_for_worker`].
    Worker,
}

/// Variables by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    always: BTreeMap<String, String>,
    /// Those that are added for [`Role::Worker`].
    worker: BTreeMap<String, String>,
}

impl Settings {
    /// The same for both: their database, and what the user has set.
    #[must_use]
    pub fn common(database_url: &str) -> Self {
        let mut settings = Self::default()
            .set("DATABASE_URL", database_url)
            .set("LISTEN", "127.0.0.1:0")
            .set("LOG_FORMAT", "text")
            // A line for each request would be measured, too; all else is told.
            .set("RUST_LOG", "info,access=warn")
            .set("DB_POOL", 8);
        for name in INHERITED.iter().chain(&["PGPASSWORD"]) {
            if let Ok(value) = env::var(name) {
                settings = settings.set(name, value);
            }
        }
        settings
    }

    /// Sets a variable.
    #[must_use]
    pub fn set(mut self, name: &str, value: impl Display) -> Self {
        self.always.insert(name.to_owned(), value.to_string());
        self
    }

    /// Sets a variable for [`Role::Worker`] only.
    #[must_use]
    pub fn set_for_worker(mut self, name: &str, value: impl Display) -> Self {
        self.worker.insert(name.to_owned(), value.to_string());
        self
    }

    /// What a role adds.
    #[must_use]
    pub(super) fn role(self, role: Role) -> Self {
        match role {
            Role::Plain => self,
            Role::Experiments => self.set("EXPERIMENTS", "on"),
            Role::Worker => {
                let mut settings = self.set("REUSE_PORT", "on");
                settings.always.append(&mut settings.worker);
                settings
            }
        }
    }

    /// As a process gets them.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.always
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// As people may read them.
    #[must_use]
    pub fn shown(&self) -> BTreeMap<String, String> {
        let hide = |name: &str, value: &str| {
            if SECRET.contains(&name) {
                "(set)".to_owned()
            } else {
                value.to_owned()
            }
        };
        self.pairs()
            .map(|(name, value)| (name.to_owned(), hide(name, value)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let shown = Settings::default()
            .set("DATABASE_URL", "postgres://a:secret@b/c")
            .set("DB_POOL", 8)
            .shown();
        assert!(!format!("{shown:?}").contains("secret"));
        assert_eq!(shown["DB_POOL"], "8");
    }
}
