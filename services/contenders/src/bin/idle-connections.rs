//! `idle-connections COUNT ADDRESS`: opens so many keep-alive connections, asks
//! for /ping once on each, says so, and holds them until it is ended.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use std::{env, thread};

use contenders::{Failure, client};

/// How many connections come from one loopback address: each has only so many
/// ports, and some are taken.
const PER_ADDRESS: u32 = 10_000;

/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [count, address] = arguments.as_slice() else {
        return Err("usage: idle-connections COUNT ADDRESS".into());
    };
    let address: SocketAddr = address.parse()?;
    let mut held = Vec::new();
    for number in 0..count.parse()? {
        // 127.0.0.2 and on: the whole of 127.0.0.0/8 is this machine.
        let from = u32::from(Ipv4Addr::new(127, 0, 0, 2)) + number / PER_ADDRESS;
        let from = SocketAddr::from((Ipv4Addr::from(from), 0));
        let mut stream = client::connect(address, from, PATIENCE)?;
        let reply = client::ask(&mut stream, "/ping")?;
        if reply.status != 200 || reply.last {
            return Err(format!("connection {number} was not kept: {reply:?}").into());
        }
        held.push(stream);
    }
    println!("open: {}", held.len());
    loop {
        thread::park();
    }
}
