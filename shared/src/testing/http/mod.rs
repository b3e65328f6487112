//! An HTTP/1.1 client that sends any bytes, also wrong ones, and reads what
//! comes back to the letter. Every wait has a deadline.

mod connection;
mod request;
mod response;

use std::net::SocketAddr;

pub use connection::Connection;
pub use request::{Request, chunked};
pub use response::Response;

/// Sends one request on a connection of its own.
///
/// # Panics
/// If there is no answer.
pub fn send(addr: SocketAddr, request: &Request) -> Response {
    Connection::open(addr).ask(request)
}

/// `GET` on a connection of its own.
///
/// # Panics
/// If there is no answer.
pub fn get(addr: SocketAddr, target: &str) -> Response {
    send(addr, &Request::get(target))
}
