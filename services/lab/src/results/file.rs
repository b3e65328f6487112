//! Reading and writing results.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{FILE, Results, VERSION};

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such file, or it cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is no file of the lab.
    #[error("{path} is no results file of the lab: {source}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Another lab wrote it.
    #[error("{path} has version {found} of the format, this lab reads version {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
}

/// Reads results from a file, or from the folder of a run.
///
/// # Errors
/// If there are none, or this lab does not understand them.
pub fn load(path: &Path) -> Result<Results, Error> {
    let path = if path.is_dir() {
        path.join(FILE)
    } else {
        path.to_owned()
    };
    // Somebody else's pipe of that name would be waited for.
    let is_file = fs::metadata(&path).is_ok_and(|found| found.is_file());
    let text = if is_file {
        fs::read(&path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::NotFound,
            "there is no such file",
        ))
    };
    let text = text.map_err(|source| Error::Read {
        path: path.clone(),
        source,
    })?;
    let format = |source| Error::Format {
        path: path.clone(),
        source,
    };
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(format)?;
    // First the version: what another one means by its fields is not ours to say.
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(found) if found != u64::from(VERSION) => Err(Error::Version { path, found }),
        _ => serde_json::from_value(value).map_err(format),
    }
}

/// Writes results into the folder of a run, whole or not at all.
///
/// # Errors
/// If the folder cannot be written to.
pub fn save(results: &Results, folder: &Path) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(results)?;
    text.push(b'\n');
    let new = folder.join(format!("{FILE}.new"));
    fs::write(&new, text)?;
    fs::rename(new, folder.join(FILE))
}
