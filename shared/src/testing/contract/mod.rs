//! Whether an answer is one that the OpenAPI document of its service describes.

mod schema;

use serde_json::Value;

use super::http::{Request, Response};

/// What a service says of itself.
pub struct Contract {
    document: Value,
}

/// Which operation a request is for.
pub enum Operation<'a> {
    /// One that the document has.
    Known(&'a Value),
    /// The path is there, but not with this method.
    OtherMethod,
    /// No path of the document fits.
    OtherPath,
}

impl Contract {
    /// Reads a document.
    pub fn new(document: Value) -> Self {
        Self { document }
    }

    /// All paths with their methods in capitals.
    ///
    /// # Panics
    /// If the document has none.
    pub fn operations(&self) -> Vec<(String, String)> {
        let paths = self.document["paths"].as_object().expect("it has paths");
        let mut all = Vec::new();
        for (path, item) in paths {
            for method in item.as_object().expect("a path has methods").keys() {
                all.push((method.to_ascii_uppercase(), path.clone()));
            }
        }
        all
    }

    /// What a request is for. A `HEAD` is a `GET`.
    pub fn operation(&self, request: &Request) -> Operation<'_> {
        let path = path(request);
        let paths = self.document["paths"].as_object();
        let Some((_, item)) = paths
            .into_iter()
            .flatten()
            .find(|(known, _)| fits(known, &path))
        else {
            return Operation::OtherPath;
        };
        let method = match request.method() {
            "HEAD" => "get".to_owned(),
            // Methods are compared with their case.
            other if *other == other.to_ascii_uppercase() => other.to_ascii_lowercase(),
            _ => return Operation::OtherMethod,
        };
        item.get(&method)
            .map_or(Operation::OtherMethod, Operation::Known)
    }

    /// Checks an answer of the application.
    ///
    /// # Errors
    /// Says what the document does not have, or which part of the body is not
    /// as its schema.
    pub fn check(&self, request: &Request, response: &Response) -> Result<(), String> {
        let status = response.status;
        match self.operation(request) {
            Operation::Known(operation) => {
                let described = &operation["responses"][status.to_string()];
                if described.is_null() {
                    return Err(format!("the document has no {status} here"));
                }
                self.check_headers(described, response)?;
                self.check_body(described, request, response)
            }
            Operation::OtherMethod if matches!(status, 405 | 413) => Ok(()),
            Operation::OtherPath if matches!(status, 404 | 413) || is_page(request) => Ok(()),
            _ => Err(format!(
                "the document has no such route, and it answers {status}"
            )),
        }
    }

    fn check_headers(&self, described: &Value, response: &Response) -> Result<(), String> {
        for (name, header) in described["headers"].as_object().into_iter().flatten() {
            let value = response
                .header(name)
                .ok_or_else(|| format!("the header {name} of the document is missing"))?;
            let value = match header["schema"]["type"].as_str() {
                Some("integer") => value.parse::<i64>().map_or(Value::Null, Value::from),
                _ => Value::from(value),
            };
            schema::check(&self.document, &header["schema"], &value)
                .map_err(|error| format!("the header {name}: {error}"))?;
        }
        Ok(())
    }

    fn check_body(
        &self,
        described: &Value,
        request: &Request,
        response: &Response,
    ) -> Result<(), String> {
        let content = described["content"].as_object();
        let Some(content) = content.filter(|content| !content.is_empty()) else {
            return if response.body.is_empty() {
                Ok(())
            } else {
                Err("the document has no body here".to_owned())
            };
        };
        let kind = response.header("content-type").unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        let Some(media) = content.get(kind).or_else(|| content.get(essence)) else {
            return Err(format!("the document has no body of type {kind:?} here"));
        };
        if request.is_head() || !essence.ends_with("json") {
            return Ok(());
        }
        let value = response.try_json().ok_or("the body is not JSON")?;
        schema::check(&self.document, &media["schema"], &value)
    }
}

/// Whether a request is for Swagger UI or the document, which are about the API
/// and no part of it.
fn is_page(request: &Request) -> bool {
    let path = path(request);
    path.starts_with("/docs") || path == "/openapi.json"
}

/// The path of a target, also of one in the absolute form.
fn path(request: &Request) -> String {
    let target = String::from_utf8_lossy(request.target());
    let path = target.split('?').next().unwrap_or_default();
    match path.strip_prefix("http://") {
        Some(rest) => rest
            .find('/')
            .map_or("/", |start| &rest[start..])
            .to_owned(),
        None => path.to_owned(),
    }
}

/// Whether a path fits a pattern such as `/orders/{id}`.
fn fits(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            // As axum's router has it, only the last segment cannot be empty.
            (Some(name), Some(segment)) if name.starts_with('{') => {
                if segment.is_empty() && wanted.clone().next().is_none() {
                    return false;
                }
            }
            (Some(name), Some(segment)) if name == segment => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn response(status: u16, kind: &str, body: &str) -> Response {
        Response {
            minor_version: 1,
            status,
            headers: vec![("content-type".to_owned(), kind.into())],
            body: body.into(),
            interim: Vec::new(),
        }
    }

    #[test]
    fn an_answer_fits_by_path_method_status_type_and_body() {
        let contract = Contract::new(json!({
            "paths": {"/a/{id}": {"get": {"responses": {
                "200": {"content": {"application/json": {"schema": {"type": "integer"}}}},
                "204": {},
            }}}},
        }));
        let check = |method: &str, path: &str, response: Response| {
            contract
                .check(&Request::new(method, path), &response)
                .is_ok()
        };
        let json = "application/json";
        assert!(check("GET", "/a/7?x=1", response(200, json, "7")));
        assert!(check("HEAD", "/a/7", response(200, json, "")));
        assert!(!check("GET", "/a/7", response(200, json, "\"x\"")));
        assert!(!check("GET", "/a/7", response(200, "text/plain", "7")));
        assert!(!check("GET", "/a/7", response(404, json, "7")));
        assert!(check("GET", "/a/7", response(204, json, "")));
        assert!(!check("GET", "/a/7", response(204, json, "7")));
        assert!(check("PUT", "/a/7", response(405, json, "")));
        assert!(!check("PUT", "/a/7", response(200, json, "")));
        assert!(check("GET", "/a/", response(404, json, "")));
        assert!(!check("GET", "/a/", response(200, json, "7")));
    }
}
