//! `lab serve`: the results of all runs on a page.

use std::net::SocketAddr;
use std::path::Path;

use super::End;
use crate::interrupt::Interrupt;
use crate::serve;
use crate::session::Stop;

pub(super) fn run(listen: SocketAddr, out: &Path) -> Result<End, Stop> {
    let interrupt = Interrupt::listen().map_err(|error| Stop::Needs(error.to_string()))?;
    serve::serve(out, listen, interrupt.flag())
        .map_err(|error| Stop::Needs(format!("cannot serve on {listen}: {error}")))?;
    Ok(End::Good)
}
