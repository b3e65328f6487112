//! A Postgres server of a test's own, that can be killed and started again.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use postgres::{Client, NoTls};
use rustix::process::{Pid, Signal, geteuid, kill_process};

use super::{Database, template};
use crate::testing::port::Reserved;
use crate::testing::wait::wait_until;

const PREFIX: &str = "t2t_cluster_";

/// The server; its processes and its folder go with this value.
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    user: Option<User>,
    port: Reserved,
    postmaster: Mutex<Child>,
}

/// Whom the server runs as: it refuses to run as root.
#[derive(Clone, Copy)]
struct User {
    id: u32,
    group: u32,
}

impl Cluster {
    /// Makes a cluster and starts its server.
    ///
    /// # Panics
    /// If there are no server programs of Postgres, or they do not run.
    pub fn start() -> Self {
        sweep();
        let programs = programs();
        let user = geteuid().is_root().then(service_user);
        let number = fastrand::u32(..);
        let name = format!("{PREFIX}{}_{number:08x}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).expect("the folder for temporary files can be written to");
        if let Some(user) = user {
            chown(&folder, Some(user.id), Some(user.group)).expect("root may do so");
        }
        let made = run_as(user, &programs.join("initdb"))
            .args(["--auth=trust", "--username=postgres", "--encoding=UTF8"])
            .args(["--no-sync", "--no-instructions", "--pgdata"])
            .arg(folder.join("data"))
            .output()
            .expect("initdb can be run");
        assert!(made.status.success(), "initdb: {made:?}");
        let port = Reserved::any();
        let postmaster = Mutex::new(postmaster(&programs, &folder, user, &port));
        let cluster = Self {
            programs,
            folder,
            user,
            port,
            postmaster,
        };
        cluster.wait_until_it_answers();
        cluster
    }

    /// A database with the schema, and with one market of one contract.
    pub fn database(&self) -> Database {
        let name = "exchange".to_owned();
        self.connect()
            .batch_execute("CREATE DATABASE exchange")
            .expect("there is no such database yet");
        let url = format!("postgres://postgres@{}/{name}", self.port.addr());
        template::fill(&url, false);
        let database = Database {
            name,
            url: url.parse().expect("it is a URL"),
            on_cluster: true,
            seeded: 0,
        };
        database.execute(
            "INSERT INTO events (id, name, starts_at) VALUES (1, 'event', now());
             INSERT INTO markets (id, event_id, name) VALUES (1, 1, 'market');
             INSERT INTO contracts (id, market_id, name) VALUES (1, 1, 'contract')",
        );
        database
    }

    /// Kills all processes of the server, as a crash of its machine would.
    ///
    /// # Panics
    /// If they do not die.
    pub fn kill(&self) {
        let mut postmaster = self.postmaster.lock().expect("it is used by one test");
        kill_all(&mut postmaster);
    }

    /// Starts the server that was killed. It may not answer yet.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn start_again(&self) {
        let mut current = self.postmaster.lock().expect("it is used by one test");
        *current = postmaster(&self.programs, &self.folder, self.user, &self.port);
    }

    /// Waits until the server takes connections.
    ///
    /// # Panics
    /// If it does not.
    pub fn wait_until_it_answers(&self) {
        wait_until("the private Postgres answers", || {
            Client::connect(&self.url(), NoTls).is_ok()
        });
    }

    fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.port.addr())
    }

    fn connect(&self) -> Client {
        Client::connect(&self.url(), NoTls).expect("the private Postgres answers")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Ok(postmaster) = self.postmaster.get_mut() {
            kill_all(postmaster);
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn postmaster(programs: &Path, folder: &Path, user: Option<User>, port: &Reserved) -> Child {
    let log = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .expect("the folder is ours");
    let settings = [
        format!("port={}", port.addr().port()),
        "listen_addresses=127.0.0.1".to_owned(),
        format!("unix_socket_directories={}", folder.display()),
        // What survives the death of a process, and not of a machine, need not
        // reach the disk.
        "fsync=off".to_owned(),
        "shared_buffers=16MB".to_owned(),
    ];
    let mut command = run_as(user, &programs.join("postgres"));
    command.arg("-D").arg(folder.join("data"));
    for setting in settings {
        command.arg("-c").arg(setting);
    }
    command
        .stderr(log)
        .spawn()
        .expect("the server program can be run")
}

fn run_as(user: Option<User>, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    // A developer's settings are for another server.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PG") {
            command.env_remove(name);
        }
    }
    if let Some(user) = user {
        command.uid(user.id).gid(user.group);
    }
    command
}

/// Kills the postmaster first, so that it starts no more, and then its children,
/// and waits until all of them are gone: their shared memory is in the way of a
/// new server.
fn kill_all(postmaster: &mut Child) {
    let children = children_of(postmaster.id());
    let _ = postmaster.kill();
    for child in &children {
        if let Some(pid) = i32::try_from(*child).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    let _ = postmaster.wait();
    wait_until("the processes of the private Postgres are gone", || {
        children.iter().all(|child| {
            // One that nobody collects is as good as gone.
            stat(*child).is_none_or(|(state, _)| matches!(state, 'Z' | 'X'))
        })
    });
}

/// The state of a process and its parent.
fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may have spaces and brackets in it.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

fn children_of(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("this is Linux");
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| stat(*pid).is_some_and(|(_, its_parent)| its_parent == parent))
        .collect()
}

/// The folder with the server programs, which Debian keeps off the PATH: the
/// same places in which `scripts/test` looks.
fn programs() -> PathBuf {
    let named = Command::new("pg_config").arg("--bindir").output();
    let named = named.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let mut places: Vec<_> = named.into_iter().map(PathBuf::from).collect();
    places.extend(
        std::env::var_os("PATH")
            .iter()
            .flat_map(std::env::split_paths),
    );
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut versions: Vec<_> = versions.flatten().map(|entry| entry.path()).collect();
    versions.sort();
    places.extend(
        versions
            .into_iter()
            .rev()
            .map(|version| version.join("bin")),
    );
    places.push("/usr/local/pgsql/bin".into());
    places
        .into_iter()
        .find(|place| {
            ["initdb", "postgres"]
                .iter()
                .all(|program| place.join(program).is_file())
        })
        .expect("no server programs of Postgres (initdb, postgres) are here")
}

/// The user that Postgres brings, or else nobody.
fn service_user() -> User {
    let users = fs::read_to_string("/etc/passwd").expect("there are users");
    let find = |wanted: &str| {
        users.lines().find_map(|line| {
            let fields: Vec<_> = line.split(':').collect();
            let [name, _, id, group, ..] = fields[..] else {
                return None;
            };
            (name == wanted).then_some(User {
                id: id.parse().ok()?,
                group: group.parse().ok()?,
            })
        })
    };
    find("postgres")
        .or_else(|| find("nobody"))
        .expect("there is a user that is not root")
}

/// Ends the servers, and removes the folders, of test programs that were killed.
fn sweep() {
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten();
    for folder in entries.flatten().map(|entry| entry.path()) {
        let owner = folder
            .file_name()
            .and_then(|name| name.to_str()?.strip_prefix(PREFIX)?.split('_').next())
            .and_then(|pid| pid.parse().ok());
        if owner.is_some_and(|owner| stat(owner).is_none()) {
            let _ = end_server_in(&folder);
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

fn end_server_in(folder: &Path) -> io::Result<()> {
    let file = fs::read_to_string(folder.join("data/postmaster.pid"))?;
    let pid = file.lines().next().unwrap_or_default();
    let command = fs::read(format!("/proc/{pid}/cmdline"))?;
    let is_it = String::from_utf8_lossy(&command).contains(&*folder.to_string_lossy());
    if let (true, Some(pid)) = (is_it, pid.parse().ok().and_then(Pid::from_raw)) {
        // At once, without waiting for anybody.
        kill_process(pid, Signal::QUIT)?;
        let there = folder.join("data/postmaster.pid");
        wait_until("the server of a dead test has ended", || !there.exists());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_committed_outlives_a_kill() {
        let cluster = Cluster::start();
        let database = cluster.database();
        database.execute(
            "INSERT INTO orders (contract_id, side, price_bp, quantity) VALUES (1, 'buy', 1, 1)",
        );
        cluster.kill();
        assert!(Client::connect(database.url(), NoTls).is_err());
        cluster.start_again();
        cluster.wait_until_it_answers();
        assert_eq!(database.orders(), 1);
        let folder = cluster.folder.clone();
        drop(cluster);
        assert!(!folder.exists());
    }
}
