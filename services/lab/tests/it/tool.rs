//! What the tests of both tools need.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process};

use lab::results::Level;
use lab::tools::{Load, Seen};
use url::Url;

/// A folder that goes with this value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("lab-{name}-{}", process::id()));
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// What is in it, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("it is there");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is only clutter.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// So many connections for two seconds, answers within two, output in the
/// folder.
pub(crate) fn load(url: Url, connections: u32, folder: &Folder) -> Load {
    Load {
        url,
        level: Level {
            connections,
            rate: None,
        },
        duration: Duration::from_secs(2),
        timeout: Duration::from_secs(2),
        cores: Vec::new(),
        raw: folder.path().join("raw"),
    }
}

/// How many have failed, in whatever way.
pub(crate) fn failed(seen: &Seen) -> u64 {
    seen.failed.values().sum()
}

/// Never.
pub(crate) fn never() -> bool {
    false
}
