//! Whether the schema in the database is the one that this build was made for.
//! (`migrate` makes it so; the services never do.)

use sha2::{Digest as _, Sha384};

/// The migration files: version and content.
const MIGRATIONS: [(i64, &str); 3] = [
    (
        1,
        include_str!("../migrations/0001_events_markets_contracts.sql"),
    ),
    (2, include_str!("../migrations/0002_orders.sql")),
    (3, include_str!("../migrations/0003_idempotency_keys.sql")),
];

/// A row of `sql/applied_migrations.sql`.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The number at the start of the file's name.
    pub version: i64,
    /// SHA-384 of the file when it was applied (that is how sqlx has it).
    pub checksum: Vec<u8>,
}

/// Why a schema does not suit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// Nothing was migrated yet.
    #[error("the database has no schema yet; run `migrate`")]
    Missing,
    /// The build needs migrations that were not applied yet.
    #[error("the schema is at version {found}, this build needs {needed}; run `migrate`")]
    Older {
        /// The last version applied.
        found: i64,
        /// The last version of this build.
        needed: i64,
    },
    /// A file was changed after it had been applied.
    #[error(
        "migration {version} was applied with another content than this build has; \
         restore the file and mend with a new migration"
    )]
    Edited {
        /// The file's version.
        version: i64,
    },
}

/// Compares what was applied with the files of this build. A newer schema is
/// right: migrations expand before they contract.
///
/// # Errors
/// Says what is missing or different.
pub fn check(applied: &[Applied]) -> Result<(), SchemaError> {
    let Some(last) = applied.last() else {
        return Err(SchemaError::Missing);
    };
    for (version, content) in MIGRATIONS {
        let Some(row) = applied.iter().find(|row| row.version == version) else {
            let needed = MIGRATIONS[MIGRATIONS.len() - 1].0;
            return Err(SchemaError::Older {
                found: last.version,
                needed,
            });
        };
        if row.checksum[..] != Sha384::digest(content)[..] {
            return Err(SchemaError::Edited { version });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Applied> {
        MIGRATIONS
            .iter()
            .map(|(version, content)| Applied {
                version: *version,
                checksum: Sha384::digest(content).to_vec(),
            })
            .collect()
    }

    #[test]
    fn older_waits_newer_suits_edited_is_refused() {
        assert_eq!(check(&[]), Err(SchemaError::Missing));
        assert_eq!(check(&all()), Ok(()));
        assert_eq!(
            check(&all()[..2]),
            Err(SchemaError::Older {
                found: 2,
                needed: 3
            })
        );
        let mut newer = all();
        newer.push(Applied {
            version: 4,
            checksum: vec![0; 48],
        });
        assert_eq!(check(&newer), Ok(()));
        let mut edited = all();
        edited[1].checksum[0] ^= 1;
        assert_eq!(check(&edited), Err(SchemaError::Edited { version: 2 }));
    }

    #[cfg(feature = "migrate")]
    #[test]
    fn every_migration_file_is_listed_with_its_version_and_checksum() {
        let files: Vec<_> = crate::migrate::MIGRATOR
            .iter()
            .map(|file| (file.version, file.checksum.to_vec()))
            .collect();
        let listed: Vec<_> = all()
            .into_iter()
            .map(|row| (row.version, row.checksum))
            .collect();
        assert_eq!(files, listed);
    }
}
