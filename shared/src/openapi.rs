//! The OpenAPI document: what the handlers of either service say of themselves,
//! completed in the same way.

use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{
    Components, Content, HeaderBuilder, InfoBuilder, OpenApi, Paths, Ref, RefOr, Response,
    ResponseBuilder, ServerBuilder,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::api::Problem;
use crate::config::Service;

/// The problems that every route can answer, with the reason.
const COMMON: [(u16, &str); 5] = [
    (400, "The request cannot be read."),
    (408, "The body did not arrive in time."),
    (413, "The body is longer than the limit."),
    (500, "A bug; it was reported."),
    (
        503,
        "Not available at this moment: overload, no database connection, or the database is away.",
    ),
];

/// Completes the document of a service: title, version, server, the `Problem`
/// schema, and what is true of every route.
#[must_use]
pub fn complete(paths: Paths, mut components: Components, service: Service) -> OpenApi {
    let mut nested = Vec::new();
    Problem::schemas(&mut nested);
    components.schemas.extend(nested);
    components
        .schemas
        .insert(Problem::name().into_owned(), Problem::schema());

    let mut document = OpenApi::new(
        InfoBuilder::new()
            .title("Exchange")
            .version(env!("CARGO_PKG_VERSION"))
            .description(Some(
                "Part of a betting exchange: takes, keeps and shows orders. \
                 Errors are `application/problem+json` (RFC 9457); every answer has the header `X-Request-Id`.",
            ))
            .license(None)
            .build(),
        paths,
    );
    // Relative: right on any port, and behind a proxy.
    let server = ServerBuilder::new()
        .url("/")
        .description(Some(service.name()));
    document.servers = Some(vec![server.build()]);
    document.components = Some(components);
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            complete_operation(operation);
        }
    }
    document
}

fn complete_operation(operation: &mut Operation) {
    let responses = &mut operation.responses.responses;
    for (status, description) in COMMON {
        responses
            .entry(status.to_string())
            .or_insert_with(|| RefOr::T(Response::new(description)));
    }
    for (status, response) in responses.iter_mut() {
        if let RefOr::T(response) = response {
            complete_response(status, response);
        }
    }
}

fn complete_response(status: &str, response: &mut Response) {
    let header = |kind: Type, text: &str| {
        HeaderBuilder::new()
            .schema(Some(ObjectBuilder::new().schema_type(kind).build()))
            .description(Some(text))
            .build()
    };
    let id = header(Type::String, "The id of the request.");
    response
        .headers
        .insert("X-Request-Id".to_owned(), RefOr::T(id));
    if status == "503" {
        let seconds = header(Type::Integer, "After how many seconds to try again.");
        response
            .headers
            .insert("Retry-After".to_owned(), RefOr::T(seconds));
    }
    let is_problem = status.starts_with('4') || status.starts_with('5');
    if is_problem && response.content.is_empty() {
        let problem = Content::new(Some(Ref::from_schema_name(Problem::name())));
        *response = ResponseBuilder::from(response.clone())
            .content("application/problem+json", problem)
            .build();
    }
}

/// The document as the services send it and as it is committed.
///
/// # Panics
/// Never: the document is plain data.
#[must_use]
pub fn to_json(document: &OpenApi) -> String {
    document
        .to_pretty_json()
        .expect("the document is plain data")
        + "\n"
}
