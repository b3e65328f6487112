//! Keeps the guide true: its quotes are the workspace's own code, its figures come
//! from committed results, its links lead somewhere.
//!
//! A page is Markdown that anybody can read as it stands. What must not be typed
//! by hand stands between comments, which name where it comes from
//! ([`directive`]): a [`quote`] of a source, a [`figures`] key or a [`tables`]
//! name. [`page`] writes it there; a page that would change is out of date.
//! [`links`] looks at what a page points to, and [`site`] makes the book of it.

pub mod book;
pub mod directive;
pub mod figures;
pub mod items;
pub mod links;
pub mod marks;
pub mod page;
pub mod quote;
pub mod site;
pub mod tables;
