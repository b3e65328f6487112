//! `probe ADDRESS EVERY_MS PATH...`: asks for each path again and again, each
//! time on a new connection, as those do who watch over a service. A line for
//! each answer: when it was asked (ms since 1970), the path, the status (000 if
//! there was no answer) and how long it took (microseconds).

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant, SystemTime};
use std::{env, thread};

use contenders::{Failure, client};

/// After how long there is no answer.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, every, paths @ ..] = arguments.as_slice() else {
        return Err("usage: probe ADDRESS EVERY_MS PATH...".into());
    };
    let address = address.parse()?;
    let every = Duration::from_millis(every.parse()?);
    thread::scope(|scope| {
        for path in paths {
            scope.spawn(move || watch(address, every, path));
        }
    });
    Ok(())
}

/// A path that hangs does not hold up the others: each has a thread.
fn watch(address: SocketAddr, every: Duration, path: &str) {
    loop {
        let began = Instant::now();
        let at = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("the clock is set")
            .as_millis();
        let status = status(address, path).unwrap_or_default();
        let took = began.elapsed();
        println!("{at}\t{path}\t{status:03}\t{}", took.as_micros());
        thread::sleep(every.saturating_sub(took));
    }
}

fn status(address: SocketAddr, path: &str) -> Option<u16> {
    let from = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut stream = client::connect(address, from, PATIENCE).ok()?;
    Some(client::ask(&mut stream, path).ok()?.status)
}
