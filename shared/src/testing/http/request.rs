//! What is sent.

/// A request that may be as wrong as a test wants it.
#[derive(Clone, Debug)]
pub struct Request {
    method: String,
    target: Vec<u8>,
    version: &'static str,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl Request {
    /// A request with `Host` and nothing else.
    pub fn new(method: &str, target: impl AsRef<[u8]>) -> Self {
        Self {
            method: method.to_owned(),
            target: target.as_ref().to_vec(),
            version: "HTTP/1.1",
            headers: vec![("Host".to_owned(), b"exchange.test".to_vec())],
            body: Vec::new(),
        }
    }

    /// `GET`
    pub fn get(target: impl AsRef<[u8]>) -> Self {
        Self::new("GET", target)
    }

    /// `POST` without a body, which is announced as such.
    pub fn post(target: impl AsRef<[u8]>) -> Self {
        Self::new("POST", target).body("")
    }

    /// Another version of HTTP.
    #[must_use]
    pub fn version(mut self, version: &'static str) -> Self {
        self.version = version;
        self
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers
            .push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Another method.
    #[must_use]
    pub fn method_is(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// Another target: with each `text` in it replaced.
    #[must_use]
    pub fn replace_in_target(mut self, text: &str, by: &str) -> Self {
        if let Ok(target) = str::from_utf8(&self.target) {
            self.target = target.replace(text, by).into_bytes();
        }
        self
    }

    /// No header of this name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// A body with its length.
    #[must_use]
    pub fn body(self, body: impl AsRef<[u8]>) -> Self {
        let length = body.as_ref().len().to_string();
        let mut request = self
            .without("Content-Length")
            .header("Content-Length", length);
        request.body = body.as_ref().to_vec();
        request
    }

    /// A body in chunks of so many bytes.
    #[must_use]
    pub fn chunks(self, body: impl AsRef<[u8]>, size: usize) -> Self {
        let mut request = self
            .without("Content-Length")
            .header("Transfer-Encoding", "chunked");
        request.body = chunked(body.as_ref(), size);
        request
    }

    /// With another end of the body as it goes over the wire.
    #[must_use]
    pub fn replace_end_of_body(mut self, end: &str, by: &str) -> Self {
        assert!(self.body.ends_with(end.as_bytes()), "another end");
        self.body.truncate(self.body.len() - end.len());
        self.body.extend_from_slice(by.as_bytes());
        self
    }

    /// Whether the answer has no body, whatever its headers say.
    pub fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The target.
    pub fn target(&self) -> &[u8] {
        &self.target
    }

    /// The head alone.
    pub fn head(&self) -> Vec<u8> {
        let mut bytes = self.method.clone().into_bytes();
        bytes.push(b' ');
        bytes.extend_from_slice(&self.target);
        bytes.push(b' ');
        bytes.extend_from_slice(self.version.as_bytes());
        bytes.extend_from_slice(b"\r\n");
        for (name, value) in &self.headers {
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        bytes
    }

    /// All that goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// A body in the chunked coding.
pub fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut coded = Vec::new();
    for chunk in body.chunks(size) {
        coded.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
    }
    coded.extend_from_slice(b"0\r\n\r\n");
    coded
}
