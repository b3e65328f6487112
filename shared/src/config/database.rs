//! The address of the database, parsed once for both drivers, so that both
//! understand the same URLs in the same way.

use std::fmt;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use url::Url;

/// A value that does not print.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    pub(super) fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself, for the one place that needs it.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Where the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// A name or an address.
    Tcp(String),
    /// The folder of a Unix socket.
    Unix(PathBuf),
}

impl Default for Host {
    fn default() -> Self {
        Self::Tcp("localhost".to_owned())
    }
}

/// Where the database is and who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseUrl {
    host: Host,
    port: u16,
    user: String,
    password: Option<Secret<String>>,
    name: String,
}

/// Shows where, and not who or with which password.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Tcp(host) if host.contains(':') => write!(f, "[{host}]:{}", self.port)?,
            Host::Tcp(host) => write!(f, "{host}:{}", self.port)?,
            Host::Unix(folder) => write!(f, "{}/.s.PGSQL.{}", folder.display(), self.port)?,
        }
        write!(f, " (database {:?})", self.name)
    }
}

impl DatabaseUrl {
    /// Reads `postgres://user[:password]@host[:port]/name`, with `?host=` for
    /// the folder of a Unix socket and `?sslmode=disable`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| {
            format!(
                "is not a URL ({error}); write special characters in the password as %XX, or give it raw in PGPASSWORD"
            )
        })?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err("must start with postgres://".to_owned());
        }
        let mut host = match url.host() {
            Some(url::Host::Ipv6(address)) => Host::Tcp(address.to_string()),
            Some(host) => Host::Tcp(decoded(&host.to_string())?),
            None => Host::default(),
        };
        for (name, value) in url.query_pairs() {
            match (&*name, &*value) {
                ("host", folder) if folder.starts_with('/') => host = Host::Unix(folder.into()),
                ("host", name) => host = Host::Tcp(name.to_owned()),
                ("sslmode", "disable" | "allow" | "prefer") => {}
                ("sslmode", _) => {
                    return Err(
                        "asks for TLS by sslmode, but these services are built without TLS to the database"
                            .to_owned(),
                    );
                }
                // Not named: it may be half a password with a `?` in it.
                _ => {
                    return Err("has an unknown parameter; host and sslmode are known. Write special characters in the password as %XX, or give it raw in PGPASSWORD".to_owned());
                }
            }
        }
        let user = decoded(url.username())?;
        let name = decoded(url.path().trim_start_matches('/'))?;
        if user.is_empty() || name.is_empty() {
            return Err("must name a user and a database: postgres://user@host/name".to_owned());
        }
        Ok(Self {
            host,
            port: url.port().unwrap_or(5432),
            user,
            password: url.password().map(decoded).transpose()?.map(Secret),
            name,
        })
    }

    /// Takes the password, if the URL had none.
    pub(super) fn or_password(mut self, password: Option<String>) -> Self {
        self.password = self.password.or(password.map(Secret));
        self
    }

    /// Where the server is.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The port, also part of the name of a Unix socket.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Who asks.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// With which password.
    #[must_use]
    pub fn password(&self) -> Option<&str> {
        self.password.as_ref().map(|secret| secret.0.as_str())
    }

    /// Which database.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

fn decoded(text: &str) -> Result<String, String> {
    percent_decode_str(text)
        .decode_utf8()
        .map(Into::into)
        .map_err(|_| "has a part that is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_of_special_characters_arrives_encoded_or_raw() {
        let encoded =
            DatabaseUrl::parse("postgres://u:a%40b%3Ac%2Fd%23e%3Ff%25g%20h@db/x").unwrap();
        assert_eq!(encoded.password(), Some("a@b:c/d#e?f%g h"));
        let raw = DatabaseUrl::parse("postgres://u@db/x").unwrap();
        let raw = raw.or_password(Some("a@b:c/d#e?f%g h".to_owned()));
        assert_eq!(raw, encoded);
    }

    #[test]
    fn the_parts_of_an_address() {
        let url = DatabaseUrl::parse("postgresql://u@[::1]:6543/x").unwrap();
        assert_eq!(url.to_string(), r#"[::1]:6543 (database "x")"#);
        let url = DatabaseUrl::parse("postgres://u@localhost/x?host=/run/postgresql").unwrap();
        assert_eq!(url.host(), &Host::Unix("/run/postgresql".into()));
    }

    #[test]
    fn half_a_password_is_not_printed() {
        let mistake = DatabaseUrl::parse("postgres://u:12?hunter2@h/d").unwrap_err();
        assert!(!mistake.contains("hunter2"), "{mistake}");
    }

    #[test]
    fn what_cannot_be_honoured_is_refused() {
        for bad in [
            "localhost:5432/x",
            "mysql://u@h/x",
            "postgres://h/x",
            "postgres://u@h",
            "postgres://u@h/x?sslmode=require",
            "postgres://u@h/x?pool=7",
        ] {
            assert!(DatabaseUrl::parse(bad).is_err(), "{bad}");
        }
    }
}
