//! What both servers say in the same words.

use http::{Response, StatusCode};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;
use crate::error::{Error, Unavailable};
use crate::middleware::request_id::RequestId;

/// How a stop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// All that was in flight is finished.
    Drained,
    /// The grace time ran out first.
    GaveUp {
        /// How many connections were cut.
        connections: usize,
    },
}

impl Stopped {
    /// Of two parts of a server.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Drained, other) => other,
            (gave_up, Self::Drained) => gave_up,
            (Self::GaveUp { connections: a }, Self::GaveUp { connections: b }) => {
                Self::GaveUp { connections: a + b }
            }
        }
    }

    /// Logs which of the two it was.
    pub fn log(self) {
        match self {
            Self::Drained => tracing::info!("stopped: all that was in flight is finished"),
            Self::GaveUp { connections } => {
                tracing::warn!(connections, "stopped: gave up after SHUTDOWN_GRACE_MS");
            }
        }
    }
}

/// File handles for all that is not a client's connection: listeners, the log,
/// Sentry, files of `/proc`.
const OTHER_HANDLES: usize = 32;

/// Asks the system for as many file handles as it may give, since each
/// connection takes one and the usual soft limit of 1024 is far below
/// `MAX_CONNECTIONS`. If they are still too few, fewer connections are taken:
/// those over it are then answered 503, and not left hanging.
pub fn fit_file_limit(config: &mut Config) {
    let allowed = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: allowed.maximum,
        maximum: allowed.maximum,
    };
    // If it is refused, the soft limit stays as it was, and is looked at below.
    let _ = setrlimit(Resource::Nofile, raised);
    let Some(handles) = getrlimit(Resource::Nofile).current else {
        return;
    };
    let handles = usize::try_from(handles).unwrap_or(usize::MAX);
    let most = handles
        .saturating_sub(config.database.pool + OTHER_HANDLES)
        .max(1);
    if most < config.limits.max_connections {
        tracing::warn!(
            handles,
            max_connections = most,
            "file handles for fewer connections than MAX_CONNECTIONS; raise the limit (ulimit -n)"
        );
        config.limits.max_connections = most;
    }
}

/// Whether the client may still be sending the body of the request that was
/// answered so.
#[must_use]
pub fn leaves_body_unread<B>(response: &Response<B>) -> bool {
    matches!(
        response.status(),
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT
    )
}

/// The answer to a connection for which there is no room, before a request is
/// read: a whole HTTP/1.1 response, 503 with `Retry-After`.
#[must_use]
pub fn overload() -> Vec<u8> {
    let id = RequestId::random();
    let problem = Error::Unavailable(Unavailable::Overload).problem(id.as_str());
    let body = serde_json::to_string(&problem).expect("a problem is plain data");
    format!(
        "HTTP/1.1 503 Service Unavailable\r\n\
         content-type: application/problem+json\r\n\
         retry-after: 1\r\n\
         connection: close\r\n\
         x-request-id: {}\r\n\
         content-length: {}\r\n\r\n{body}",
        id.as_str(),
        body.len()
    )
    .into_bytes()
}
