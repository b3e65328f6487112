//! The statements: `shared/sql`, one file each, the same for both services.

pub(crate) mod market;
pub(crate) mod order;
pub(crate) mod schema;
