//! What both servers do and say in the same way: how a stop ended, how many file
//! handles there are, the end of a shared port, a small answer as one piece, and the
//! answer to a connection too many.

use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::time::Duration;

use http::{Response, StatusCode};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{SockFilter, SockRef};

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

/// How long the last connections of a shared port are waited for: as long as
/// the third packet of a handshake may be on its way.
const LAST_CALL: Duration = Duration::from_millis(100);

/// A listener is about to be closed: how much longer it is to accept.
///
/// Closing it resets who is in the kernel's line before it. Alone on its port it
/// can take everybody who is there, and who comes then would be refused anyway.
/// On a shared port (`REUSE_PORT`) clients go on coming, the kernel goes on
/// giving some of them to this listener until it is closed, and the others could
/// have served them. So it is to be given no more first.
pub fn last_call(listener: &impl AsFd, reuse_port: bool) -> Duration {
    if !reuse_port {
        return Duration::ZERO;
    }
    if let Err(error) = take_no_more(listener) {
        // In a sandbox, such as gVisor: then as if it were alone.
        tracing::debug!("who connects at this moment may be reset: {error}");
        return Duration::ZERO;
    }
    LAST_CALL
}

/// Has the kernel drop what asks a listener for a connection. Its client asks
/// again after a second, and then another listener. Handshakes that have begun
/// come to their end.
///
/// `net.ipv4.tcp_migrate_req` would hand them all over to another listener, but
/// is the administrator's, for the whole machine.
fn take_no_more(listener: &impl AsFd) -> io::Result<()> {
    // Classic BPF, over the TCP header. Where it has its flags:
    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    // The codes are those of linux/bpf_common.h.
    let load_byte = |offset| SockFilter::new(0x30, 0, 0, offset);
    let skip_unless = |bits| SockFilter::new(0x45, 0, 1, bits);
    let keep = |length| SockFilter::new(0x06, 0, 0, length);
    SockRef::from(listener).attach_filter(&[
        load_byte(FLAGS),
        skip_unless(SYN),
        keep(0),
        keep(u32::MAX),
    ])
}

/// Room for an answer that is worth being copied into one piece, in bytes: a head
/// and most bodies of this service.
pub const ONE_PIECE: usize = 4096;

/// The pieces of an answer in one, if there is room; hyper hands the head and the
/// body over as two. A `send` of one piece was 1 µs cheaper than a `writev` of two
/// (`/ping` under `scripts/bench`), more than it takes to copy some KiB. Longer
/// bodies are better not copied.
#[must_use]
pub fn in_one_piece<'r>(pieces: &[IoSlice<'_>], room: &'r mut [u8]) -> Option<&'r [u8]> {
    let mut length = 0;
    for piece in pieces {
        let end = length + piece.len();
        room.get_mut(length..end)?.copy_from_slice(piece);
        length = end;
    }
    Some(&room[..length])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_as_long_as_there_is_room() {
        let pieces = [b"head".as_slice(), b"", b"body"].map(IoSlice::new);
        assert_eq!(in_one_piece(&pieces, &mut [0; 9]), Some(&b"headbody"[..]));
        assert_eq!(in_one_piece(&pieces, &mut [0; 8]), Some(&b"headbody"[..]));
        assert_eq!(in_one_piece(&pieces, &mut [0; 7]), None);
        assert_eq!(in_one_piece(&[], &mut [0; 7]), Some(&[][..]));
    }
}
