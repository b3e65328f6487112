//! What processes use, as `/proc` tells it.

use std::fs;
use std::path::Path;

/// Figures of one or more processes at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Processor seconds since their start.
    pub cpu_s: f64,
    /// Resident memory in bytes.
    pub resident_bytes: u64,
    /// Threads.
    pub threads: u64,
    /// Times that a thread waited for something. Threads that have ended are not
    /// in it.
    pub switches_voluntary: u64,
    /// Times that a thread was interrupted for another; see above.
    pub switches_involuntary: u64,
}

impl Snapshot {
    /// Looks at processes; nothing if one of them is gone.
    #[must_use]
    pub fn of(pids: &[u32]) -> Option<Self> {
        let mut sum = Self::default();
        for pid in pids {
            let folder = format!("/proc/{pid}");
            let stat = Stat::read(*pid)?;
            // A zombie has ended and was not waited for yet.
            if stat.state == 'Z' {
                return None;
            }
            sum.cpu_s += stat.cpu_s;
            let status = fs::read_to_string(format!("{folder}/status")).ok()?;
            sum.resident_bytes += field(&status, "VmRSS:").unwrap_or(0) * 1024;
            sum.threads += field(&status, "Threads:").unwrap_or(0);
            let Ok(tasks) = fs::read_dir(format!("{folder}/task")) else {
                return None;
            };
            for task in tasks.flatten() {
                // A thread that has just ended has no status any more.
                let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
                sum.switches_voluntary += field(&status, "voluntary_ctxt_switches:").unwrap_or(0);
                sum.switches_involuntary +=
                    field(&status, "nonvoluntary_ctxt_switches:").unwrap_or(0);
            }
        }
        Some(sum)
    }
}

/// Processor seconds of a process and all its children, those that have ended
/// included, if it waited for them: of Postgres, from its first process.
#[must_use]
pub fn family_cpu_s(parent: u32) -> Option<f64> {
    let stat = Stat::read(parent)?;
    let children = fs::read_dir("/proc")
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Stat::read)
        .filter(|child| child.parent == parent);
    Some(stat.cpu_s + stat.ended_children_cpu_s + children.map(|child| child.cpu_s).sum::<f64>())
}

/// The parent of a process.
#[must_use]
pub fn parent(pid: u32) -> Option<u32> {
    Stat::read(pid).map(|stat| stat.parent)
}

/// The name of a process' program, as the kernel keeps it.
#[must_use]
pub fn name(pid: u32) -> Option<String> {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim().to_owned())
}

/// How many connections to a port each of the processes has, from the kernel's
/// table of sockets.
#[must_use]
pub fn connections(pids: &[u32], port: u16) -> Vec<u64> {
    let established: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .flat_map(|table| inodes(&table, port))
        .collect();
    pids.iter()
        .map(|pid| {
            let handles = fs::read_dir(format!("/proc/{pid}/fd"));
            let sockets = handles.into_iter().flatten().flatten().filter(|handle| {
                fs::read_link(handle.path()).is_ok_and(|target| is_one_of(&target, &established))
            });
            sockets.count().try_into().unwrap_or(u64::MAX)
        })
        .collect()
}

fn is_one_of(target: &Path, inodes: &[String]) -> bool {
    target
        .to_str()
        .and_then(|target| target.strip_prefix("socket:[")?.strip_suffix(']'))
        .is_some_and(|inode| inodes.iter().any(|known| known == inode))
}

/// The sockets of established connections whose local end is the port. Columns:
/// number, local address, remote address, state (01: established), and the tenth
/// is the inode (proc(5)).
fn inodes(table: &str, port: u16) -> Vec<String> {
    let end = format!(":{port:04X}");
    table
        .lines()
        .filter_map(|line| {
            let columns: Vec<_> = line.split_whitespace().collect();
            let [_, local, _, "01", ..] = columns[..] else {
                return None;
            };
            local
                .ends_with(&end)
                .then(|| columns.get(9).map(ToString::to_string))?
        })
        .collect()
}

/// What stands in `/proc/PID/stat`.
struct Stat {
    state: char,
    parent: u32,
    cpu_s: f64,
    ended_children_cpu_s: f64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name, in parentheses, may hold anything; what follows are numbers.
        let rest: Vec<_> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |index: usize| rest.get(index)?.parse::<u64>().ok();
        Some(Self {
            state: rest.first()?.chars().next()?,
            parent: rest.get(1)?.parse().ok()?,
            cpu_s: seconds(number(11)? + number(12)?),
            ended_children_cpu_s: seconds(number(13)? + number(14)?),
        })
    }
}

/// The kernel counts in ticks.
fn seconds(ticks: u64) -> f64 {
    as_f64(ticks) / as_f64(rustix::param::clock_ticks_per_second())
}

/// Counters as a number to calculate with; beyond 2^53 it is rounded.
#[expect(clippy::cast_precision_loss, reason = "see above")]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}

/// The number behind a name in a status file.
fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn this_process_is_seen() {
        let me = std::process::id();
        let seen = Snapshot::of(&[me]).expect("it is alive");
        assert!(seen.resident_bytes > 100_000 && seen.threads >= 1);
        assert_eq!(
            Snapshot::of(&[me, me]).map(|two| two.threads > seen.threads),
            Some(true)
        );
        assert_eq!(parent(me), Some(std::os::unix::process::parent_id()));
        assert!(family_cpu_s(me).is_some());
    }

    #[test]
    fn a_process_that_is_gone_is_not() {
        let mut child = std::process::Command::new("true")
            .spawn()
            .expect("there is one");
        let pid = child.id();
        child.wait().expect("it ends");
        assert_eq!(Snapshot::of(&[pid]), None);
    }

    #[test]
    fn connections_are_counted_for_each_process() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let port = listener.local_addr().expect("it is bound").port();
        let clients: Vec<_> = (0..3)
            .map(|_| TcpStream::connect(("127.0.0.1", port)).expect("it listens"))
            .collect();
        let _accepted: Vec<_> = (0..3)
            .map(|_| listener.accept().expect("they wait").0)
            .collect();
        let me = std::process::id();
        assert_eq!(connections(&[me, u32::MAX], port), [3, 0]);
        drop(clients);
    }
}
