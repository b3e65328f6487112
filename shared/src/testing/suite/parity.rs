//! The tables of the parity suite as tests.

use crate::testing::parity::{cases, document, run};
use crate::testing::service::Subject;

macro_rules! tables {
    ($($name:ident)*) => {$(
        #[doc = concat!("The table `", stringify!($name), "`.")]
        pub fn $name<S: Subject>() {
            run::<S>(&cases::$name());
        }
    )*};
}

tables! {
    bodies book database_gone documentation edited_schema experiments key_in_use keys late_bodies
    markets methods no_experiments no_schema old_schema orders paths placing protocol ready request_ids
}

/// See [`document`].
pub fn the_document_is_the_committed_one<S: Subject>() {
    document::the_document_is_the_committed_one::<S>();
}

/// See [`document`].
pub fn every_operation_of_the_document_is_served<S: Subject>() {
    document::every_operation_of_the_document_is_served::<S>();
}

/// See [`document`].
pub fn experiments_are_documented_when_they_are_served<S: Subject>() {
    document::experiments_are_documented_when_they_are_served::<S>();
}
