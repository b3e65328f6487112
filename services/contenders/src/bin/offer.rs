//! `offer ADDRESS CLIENTS RATE WARM_UP SECONDS`: clients that ask for books.
//!
//! Each asks again at its own time, so that together they ask RATE times a
//! second however long an answer takes; one that still waits at its time asks
//! as soon as it can. With RATE 0 each asks again as soon as it has an answer.
//! Counted is what comes in after the warm-up; at the end all leave at once.
//! Says what it has counted in lines of a name and a number; times are in
//! microseconds and include the connecting, where it was needed.

use std::cell::RefCell;
use std::env;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use contenders::client::{Reply, parse, request};
use contenders::{Failure, settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep_until, timeout};

/// After how long a client gives an answer up.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many markets there are.
const MARKETS: u32 = 1000;

/// What is offered.
#[derive(Clone, Copy)]
struct Offer {
    address: SocketAddr,
    clients: u32,
    rate: u32,
    start: Instant,
    count_from: Instant,
}

/// What has come in.
#[derive(Default)]
struct Counts {
    good: Vec<Duration>,
    refused: Vec<Duration>,
    without_retry_after: usize,
    other: usize,
    errors: usize,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, clients, rate, warm_up, seconds] = arguments.as_slice() else {
        return Err("usage: offer ADDRESS CLIENTS RATE WARM_UP SECONDS".into());
    };
    let warm_up = Duration::from_secs(warm_up.parse()?);
    let seconds = Duration::from_secs(seconds.parse()?);
    let start = Instant::now();
    let offer = Offer {
        address: address.parse()?,
        clients: clients.parse()?,
        rate: rate.parse()?,
        start,
        count_from: start + warm_up,
    };
    let counts = Rc::new(RefCell::new(Counts::default()));
    settings::current_thread()?.block_on(async {
        let local = LocalSet::new();
        for number in 0..offer.clients {
            local.spawn_local(client(offer, number, counts.clone()));
        }
        local
            .run_until(sleep_until(offer.count_from + seconds))
            .await;
    });
    counts.take().say(seconds);
    Ok(())
}

/// Asks at its times, for one market after the other.
async fn client(offer: Offer, number: u32, counts: Rc<RefCell<Counts>>) {
    let every = match offer.rate {
        0 => Duration::ZERO,
        rate => Duration::from_secs(1) * offer.clients / rate,
    };
    let mut due = offer.start + every * number / offer.clients;
    let mut connection = None;
    for round in 0.. {
        sleep_until(due).await;
        let market = 1 + (number.wrapping_mul(7) + round) % MARKETS;
        let path = format!("/markets/{market}/book");
        let began = Instant::now();
        let reply = timeout(PATIENCE, ask(&mut connection, offer.address, &path)).await;
        let reply = reply.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if !matches!(reply, Ok(reply) if !reply.last) {
            connection = None;
        }
        if Instant::now() >= offer.count_from {
            counts.borrow_mut().add(&reply, began.elapsed());
        }
        due = Instant::now().max(due + every);
    }
}

/// Asks on the connection that there is, and on a new one if there is none or
/// the server has closed it in the meantime: so does every client library.
async fn ask(
    connection: &mut Option<TcpStream>,
    address: SocketAddr,
    path: &str,
) -> io::Result<Reply> {
    if let Some(stream) = connection
        && let Ok(reply) = exchange(stream, path).await
    {
        return Ok(reply);
    }
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    exchange(connection.insert(stream), path).await
}

async fn exchange(stream: &mut TcpStream, path: &str) -> io::Result<Reply> {
    stream.write_all(request(path).as_bytes()).await?;
    let mut bytes = Vec::with_capacity(4096);
    loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(reply) = parse(&bytes)? {
            return Ok(reply);
        }
    }
}

impl Counts {
    fn add(&mut self, reply: &io::Result<Reply>, took: Duration) {
        match reply {
            Ok(Reply { status: 200, .. }) => self.good.push(took),
            Ok(reply) if reply.status == 503 => {
                self.refused.push(took);
                self.without_retry_after += usize::from(!reply.retry_after);
            }
            Ok(_) => self.other += 1,
            Err(_) => self.errors += 1,
        }
    }

    fn say(mut self, seconds: Duration) {
        self.good.sort_unstable();
        self.refused.sort_unstable();
        println!("seconds\t{}", seconds.as_secs());
        println!("good\t{}", self.good.len());
        println!("refused\t{}", self.refused.len());
        println!("without_retry_after\t{}", self.without_retry_after);
        println!("other\t{}", self.other);
        println!("errors\t{}", self.errors);
        println!("good_p50\t{}", percentile(&self.good, 50));
        println!("good_p99\t{}", percentile(&self.good, 99));
        println!("refused_p99\t{}", percentile(&self.refused, 99));
    }
}

/// The time within which so many of a hundred came in; 0 if none did.
fn percentile(sorted: &[Duration], percent: usize) -> u128 {
    let last = sorted.len().saturating_sub(1);
    sorted
        .get(last * percent / 100)
        .map_or(0, Duration::as_micros)
}
