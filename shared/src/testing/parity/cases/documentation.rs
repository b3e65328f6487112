//! Swagger UI, the OpenAPI document and the figures.

use super::gets;
use crate::testing::parity::Table;

/// Pages and files.
pub fn documentation() -> Table {
    let cases = gets(&[
        (
            "/docs",
            308,
            "its files lie beside the page, so that has a slash",
        ),
        ("/docs/", 200, "the page"),
        ("/docs?x=1", 308, "a query string is no part of the address"),
        ("/docs/index.html", 200, "the page by its name"),
        ("/docs/swagger-ui.css", 200, "a file that the page needs"),
        ("/docs/swagger-ui-bundle.js", 200, "the largest one"),
        ("/docs/swagger-ui-standalone-preset.js", 200, "another one"),
        (
            "/docs/swagger-initializer.js",
            200,
            "the one that names the document",
        ),
        ("/docs/favicon-32x32.png", 200, "a picture"),
        ("/docs/nope.js", 404, "no such file"),
        ("/docs/x/index.html", 404, "there are no folders"),
        (
            "/docs//",
            200,
            "an empty name is the page, as it is behind one slash",
        ),
        ("/docs/..%2Findex.html", 404, "nor ways out of them"),
        (
            "/docs/../openapi.json",
            404,
            "dots are the client's to resolve",
        ),
        (
            "/docs/index%2Ehtml",
            404,
            "names are compared as they were sent",
        ),
        ("/docs/%00", 404, "no such file"),
        ("/docs/%ff", 404, "no such file"),
        (
            "/docs/INDEX.HTML",
            404,
            "names are compared with their case",
        ),
        ("/openapi.json", 200, "the document"),
        ("/openapi.json?x=1", 200, "a query string means nothing"),
        ("/openapi.yaml", 404, "there is only JSON"),
        ("/metrics", 200, "the figures"),
    ]);
    Table::new("documentation", cases)
}
