//! An answer as text, without what differs from run to run.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::testing::http::{Request, Response};

/// How much of a body is shown; of the rest, only a digest.
const SHOWN: usize = 1500;

/// The ids of the orders that a case has placed.
#[derive(Default)]
pub(super) struct Names {
    orders: Vec<String>,
}

impl Names {
    /// Learns the id of an order from the answer that it was placed.
    pub(super) fn learn(&mut self, response: &Response) {
        let id = response
            .header("location")
            .and_then(|location| location.strip_prefix("/orders/"));
        if let Some(id) = id {
            self.orders.push(id.to_owned());
        }
    }

    /// The request with the id of the last order for `{order}`.
    pub(super) fn fill(&self, request: &Request) -> Request {
        match self.orders.last() {
            Some(id) => request.clone().replace_in_target("{order}", id),
            None => request.clone(),
        }
    }

    /// The same text for every run: `{order}` for the order of the case,
    /// `{order'}` for a second one, and so on.
    fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut ids = self.orders.clone();
        ids.dedup();
        for (at, id) in ids.iter().enumerate() {
            let name = format!("{{order{}}}", "'".repeat(at));
            text = text
                .replace(&format!("\"id\":{id},"), &format!("\"id\":{name},"))
                .replace(&format!("/orders/{id}"), &format!("/orders/{name}"));
        }
        if ids.is_empty() {
            return text;
        }
        hide_field(&text, "created_at")
    }
}

/// Replaces the text of a field of a JSON object.
fn hide_field(text: &str, name: &str) -> String {
    let start = format!("\"{name}\":\"");
    let parts = text
        .split_once(&start)
        .and_then(|(before, rest)| Some((before, rest.split_once('"')?.1)));
    match parts {
        Some((before, after)) => format!("{before}{start}{{{name}}}\"{after}"),
        None => text.to_owned(),
    }
}

/// A request and its answer.
pub(super) fn transcript(request: &Request, response: &Response, names: &Names) -> String {
    let mut text = format!(
        "> {} {}\n",
        request.method(),
        shortened(&request.target().escape_ascii().to_string())
    );
    for status in &response.interim {
        let _ = writeln!(text, "< {status}");
    }
    let _ = writeln!(
        text,
        "< HTTP/1.{} {}",
        response.minor_version, response.status
    );
    let mut headers: Vec<_> = response.headers.iter().collect();
    headers.sort();
    for (name, value) in headers {
        let value = str::from_utf8(value).unwrap_or("(not ASCII)");
        let value = match name.as_str() {
            "date" => "(now)".to_owned(),
            "content-length" if request.is_head() => "(as for GET)".to_owned(),
            "content-length" if *value == response.body.len().to_string() => "(right)".to_owned(),
            "x-request-id" if is_made(value) => "(made)".to_owned(),
            _ => names.hide(value),
        };
        let _ = writeln!(text, "  {name}: {value}");
    }
    if !response.body.is_empty() {
        let _ = writeln!(text, "  | {}", body(request, response, names));
    }
    text
}

/// Whether an id is one that the service has made.
fn is_made(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn body(request: &Request, response: &Response, names: &Names) -> String {
    // Differ by the moment, and by the name of the service.
    match request.target().split(|byte| *byte == b'?').next() {
        Some(b"/metrics") => return "(figures)".to_owned(),
        Some(b"/openapi.json") if response.status == 200 => return "(the document)".to_owned(),
        _ => {}
    }
    let text = response
        .body
        .escape_ascii()
        .to_string()
        .replace("\\\"", "\"");
    let text = match response.header("x-request-id") {
        Some(id) if is_made(id) => text.replace(id, "(made)"),
        _ => text,
    };
    shortened(&names.hide(&text))
}

/// The text, or its beginning and a digest of the whole.
fn shortened(text: &str) -> String {
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let digest = Sha256::digest(text);
    let digest = u64::from_be_bytes(digest[..8].try_into().expect("eight bytes are eight"));
    format!(
        "{}... ({} characters, SHA-256 {digest:016x})",
        &text[..200],
        text.len()
    )
}
