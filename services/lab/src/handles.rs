//! File handles: each connection takes one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Asks for as many as the system may give, for this process and those that it
/// starts: the usual soft limit of 1024 is below what is tried here.
pub(crate) fn raise() {
    let allowed = getrlimit(Resource::Nofile);
    // If it is refused, the soft limit stays as it was: connections that fail
    // are counted.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: allowed.maximum,
            maximum: allowed.maximum,
        },
    );
}
