//! One lab at a time on a machine: two would measure each other.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Held for as long as it lives; the kernel lets go of it however the lab ends.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock lasts as long as the file")] File);

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another lab measures.
    #[error(
        "another lab is measuring on this machine (process {pid}), and two would measure each \
         other. Wait until it is done, or end it: kill {pid}"
    )]
    Taken {
        /// Its process id.
        pid: String,
    },
    /// The file cannot be used.
    #[error("cannot lock {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl Lock {
    /// Takes the lock of this machine.
    ///
    /// # Errors
    /// If another lab has it.
    pub fn take() -> Result<Self, Error> {
        Self::at(&std::env::temp_dir().join("threads-to-tokio-lab.lock"))
    }

    fn at(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::File {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(failed)?;
        // Whoever comes next may be another user; the file holds no secret.
        let _ = fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o666));
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let _ = file.read_to_string(&mut pid);
                return Err(Error::Taken {
                    pid: pid.trim().to_owned(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(failed)?;
        Ok(Self(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_one_is_refused_and_told_who_has_it() {
        let path = std::env::temp_dir().join(format!("lab-lock-test-{}", std::process::id()));
        let first = Lock::at(&path).expect("it is free");
        let refused = Lock::at(&path).expect_err("it is taken").to_string();
        assert!(refused.contains(&format!("kill {}", std::process::id())));
        drop(first);
        Lock::at(&path).expect("it is free again");
        fs::remove_file(path).expect("it is there");
    }
}
