//! Brings the schema up to date, and loads the seed data: what the program
//! `migrate` does. The services only [compare](crate::schema).

use std::time::{Duration, Instant};

use sqlx::migrate::{Migrate as _, MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sqlx::{Connection as _, Row as _};

use crate::config::{DatabaseUrl, Host};

/// The migration files, compiled in.
pub static MIGRATOR: Migrator = {
    let mut migrator = sqlx::migrate!("./migrations");
    // A schema that is newer than this build is right: migrations expand
    // before they contract, and an older release may be started again.
    migrator.ignore_missing = true;
    migrator
};

const SEED: &str = include_str!("../seed/seed.sql");

/// How long to wait for a database that is still starting.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The versions that were applied now.
    pub applied: Vec<i64>,
    /// The last version of the schema afterwards.
    pub version: i64,
    /// How many orders the seed data added; none if it was not asked for.
    pub seeded: Option<i64>,
}

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// No connection.
    #[error("cannot connect to {url}")]
    Connect {
        /// Where to.
        url: String,
        /// Why not.
        #[source]
        cause: sqlx::Error,
    },
    /// A file was changed after it had been applied.
    #[error(
        "migration {0} was applied before with another content; \
         restore the file and mend with a new migration (nothing was applied)"
    )]
    Edited(i64),
    /// Something else.
    #[error("the migration failed")]
    Migrate(#[source] MigrateError),
    /// A statement outside of the migrations failed.
    #[error("a statement failed")]
    Statement(#[from] sqlx::Error),
}

/// The options of a connection that asks for nothing but what the URL says.
#[must_use]
pub fn connect_options(url: &DatabaseUrl) -> PgConnectOptions {
    let options = PgConnectOptions::new_without_pgpass()
        .port(url.port())
        .username(url.user())
        .password(url.password().unwrap_or_default())
        .database(url.name())
        .ssl_mode(PgSslMode::Disable);
    match url.host() {
        Host::Tcp(host) => options.host(host),
        Host::Unix(folder) => options.socket(folder),
    }
}

/// Applies each migration that was not applied yet, under an advisory lock, so
/// that any number of starters may do it at the same time; then, if asked to,
/// loads the seed data, which changes nothing the second time.
///
/// Waits up to a minute for a database that does not take connections yet.
///
/// # Errors
/// Says where it could not connect, or which migration could not be applied.
pub async fn migrate(url: &DatabaseUrl, seed: bool) -> Result<Report, Failed> {
    let mut connection = connect(url).await?;
    // The migrator takes the same lock again, which one session may; taken here
    // already, it is also known who of several starters applied what.
    connection.lock().await.map_err(Failed::Migrate)?;
    let before = versions(&mut connection).await?;
    MIGRATOR
        .run(&mut connection)
        .await
        .map_err(|error| match error {
            MigrateError::VersionMismatch(version) => Failed::Edited(version),
            other => Failed::Migrate(other),
        })?;
    let after = versions(&mut connection).await?;
    connection.unlock().await.map_err(Failed::Migrate)?;
    let seeded = if seed {
        Some(load_seed(&mut connection).await?)
    } else {
        None
    };
    connection.close().await?;
    Ok(Report {
        applied: after
            .iter()
            .copied()
            .filter(|version| !before.contains(version))
            .collect(),
        version: after.last().copied().unwrap_or_default(),
        seeded,
    })
}

async fn connect(url: &DatabaseUrl) -> Result<PgConnection, Failed> {
    let options = connect_options(url).application_name("migrate");
    let started = Instant::now();
    let mut said = false;
    loop {
        let cause = match PgConnection::connect_with(&options).await {
            Ok(connection) => return Ok(connection),
            Err(cause) => cause,
        };
        if !may_pass(&cause) || started.elapsed() > PATIENCE {
            return Err(Failed::Connect {
                url: url.to_string(),
                cause,
            });
        }
        if !std::mem::replace(&mut said, true) {
            eprintln!("migrate: waiting for the database at {url}: {cause}");
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

/// Whether a later try may succeed: the server is not there yet, or is starting.
fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code.starts_with("57P")),
        _ => false,
    }
}

async fn versions(connection: &mut PgConnection) -> Result<Vec<i64>, sqlx::Error> {
    let there: bool = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL")
        .fetch_one(&mut *connection)
        .await?;
    if !there {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(include_str!("../sql/applied_migrations.sql"))
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

async fn load_seed(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    const COUNT: &str = "SELECT count(*) FROM orders";
    let mut transaction = connection.begin().await?;
    let before: i64 = sqlx::query_scalar(COUNT)
        .fetch_one(&mut *transaction)
        .await?;
    sqlx::raw_sql(SEED).execute(&mut *transaction).await?;
    let after: i64 = sqlx::query_scalar(COUNT)
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    // Fresh statistics, or the first queries are planned for empty tables.
    if after > before {
        sqlx::raw_sql("ANALYZE events, markets, contracts, orders")
            .execute(connection)
            .await?;
    }
    Ok(after - before)
}
