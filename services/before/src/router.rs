//! Routing: paths by `matchit` (as axum does it), then methods. A route is
//! registered by its documentation, so that none can be served undocumented.
//! `after` has this from axum and utoipa-axum.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::header::{ALLOW, HeaderValue};
use http::request::Parts;
use http::{Method, Response};
use shared::error::Error as SharedError;
use utoipa::__dev::{SchemaReferences, Tags};
use utoipa::openapi::path::{HttpMethod, Paths};
use utoipa::openapi::{Components, RefOr, Schema};

use crate::app::App;
use crate::error::Error;
use crate::extract::Request;
use crate::respond::IntoResponse as _;

/// A handler with its arguments taken from the request.
pub(crate) type Handler = fn(&App, &Request<'_>) -> Response<Bytes>;

/// The handlers of one path.
pub(crate) struct Resource {
    handlers: Vec<(Method, Handler)>,
}

/// Routes while they are being registered.
#[derive(Default)]
pub(crate) struct Builder {
    resources: BTreeMap<String, Resource>,
    paths: Paths,
    schemas: Vec<(String, RefOr<Schema>)>,
}

/// All routes.
pub(crate) struct Router {
    resources: matchit::Router<Resource>,
}

impl Builder {
    /// Adds the route that the handler's `#[utoipa::path]` describes.
    pub(crate) fn route<P>(mut self, handler: Handler) -> Self
    where
        P: utoipa::Path + SchemaReferences + for<'t> Tags<'t>,
    {
        let (path, methods) = (P::path(), P::methods());
        P::schemas(&mut self.schemas);
        for method in &methods {
            self = self.page(&path, method_of(method), handler);
        }
        let mut operation = P::operation();
        let tags = P::tags().into_iter().map(str::to_owned);
        operation.tags.get_or_insert_default().extend(tags);
        self.paths.add_path_operation(&path, methods, operation);
        self
    }

    /// Adds a page that is not part of the API.
    pub(crate) fn page(mut self, path: &str, method: Method, handler: Handler) -> Self {
        let resource = self
            .resources
            .entry(path.to_owned())
            .or_insert_with(|| Resource {
                handlers: Vec::new(),
            });
        resource.handlers.push((method, handler));
        self
    }

    /// The patterns of all routes.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.resources.keys().map(String::as_str)
    }

    /// The routes, and what their documentation says.
    pub(crate) fn finish(self) -> (Router, Paths, Components) {
        let mut resources = matchit::Router::new();
        for (path, resource) in self.resources {
            resources
                .insert(path, resource)
                .expect("no two routes have the same pattern");
        }
        let mut components = Components::new();
        components.schemas.extend(self.schemas);
        (Router { resources }, self.paths, components)
    }
}

impl Router {
    /// The route of a path, and the segment that it leaves open.
    pub(crate) fn find<'r, 'p>(&'r self, path: &'p str) -> Option<(&'r Resource, Option<&'p str>)> {
        let found = self.resources.at(path).ok()?;
        let segment = found.params.iter().next().map(|(_, value)| value);
        Some((found.value, segment))
    }
}

impl Resource {
    /// Calls the handler of the request's method; 405 if there is none.
    pub(crate) fn call(
        &self,
        app: &App,
        head: &Parts,
        body: &Bytes,
        segment: Option<&str>,
    ) -> Response<Bytes> {
        match self.handler(&head.method) {
            Some(handler) => handler(
                app,
                &Request {
                    head,
                    body,
                    segment,
                },
            ),
            None => {
                let mut response = Error::from(SharedError::MethodNotAllowed).into_response();
                response.headers_mut().insert(ALLOW, self.allow());
                response
            }
        }
    }

    /// The handler of a method. `HEAD` is `GET`, whose body is not sent.
    fn handler(&self, method: &Method) -> Option<Handler> {
        let wanted = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let mut handlers = self.handlers.iter();
        handlers
            .find(|(method, _)| method == wanted)
            .map(|(_, handler)| *handler)
    }

    fn allow(&self) -> HeaderValue {
        let mut names = Vec::new();
        for (method, _) in &self.handlers {
            names.push(method.as_str());
            if method == Method::GET {
                names.push("HEAD");
            }
        }
        HeaderValue::from_str(&names.join(",")).expect("methods are visible ASCII")
    }
}

fn method_of(method: &HttpMethod) -> Method {
    match method {
        HttpMethod::Get => Method::GET,
        HttpMethod::Post => Method::POST,
        HttpMethod::Put => Method::PUT,
        HttpMethod::Delete => Method::DELETE,
        HttpMethod::Patch => Method::PATCH,
        HttpMethod::Head => Method::HEAD,
        HttpMethod::Options => Method::OPTIONS,
        HttpMethod::Trace => Method::TRACE,
    }
}
