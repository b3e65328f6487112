//! Swagger UI: its files, compiled in, so that it works offline.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use utoipa_swagger_ui::Config;

use crate::error::Error;

/// Where the OpenAPI document is.
pub const DOCUMENT_PATH: &str = "/openapi.json";

/// A file of Swagger UI.
pub struct Asset {
    /// Its content.
    pub bytes: Cow<'static, [u8]>,
    /// Its content type.
    pub content_type: String,
}

static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    // Relative, so that the page also works behind a proxy under a prefix.
    let config = Config::from("../openapi.json").display_request_duration(true);
    // Or the page would send its address to a validator on the internet.
    Arc::new(config.validator_url("none"))
});

/// The file with this name; `index.html` for an empty name.
///
/// # Errors
/// 404 if there is none.
pub fn asset(name: &str) -> Result<Asset, Error> {
    let file = utoipa_swagger_ui::serve(name, CONFIG.clone())
        .map_err(|error| Error::internal(error.to_string()))?
        .ok_or(Error::NotFound("page"))?;
    Ok(Asset {
        bytes: file.bytes,
        content_type: file.content_type,
    })
}
