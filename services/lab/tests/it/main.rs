//! The lab with its real tools.

mod bare;
mod commands;
mod oha;
mod responder;
mod stub;
mod tool;
mod wrk;
