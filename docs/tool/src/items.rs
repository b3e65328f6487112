//! Items of a Rust file by their names.

use std::ops::RangeInclusive;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{ImplItem, Item, TraitItem, Type};

/// Lines of a file, counted from 1.
pub type Lines = RangeInclusive<usize>;

/// The lines of all items with that name, their doc comments and attributes
/// included: `book`, `Pool`, `Pool::get`, or as it stands `impl Drop for Pool`.
///
/// # Errors
/// If it is not Rust.
pub fn find(source: &str, name: &str) -> Result<Vec<Lines>, syn::Error> {
    let file = syn::parse_file(source)?;
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    for item in &file.items {
        visit(item, &lines, &mut |seen, span| {
            if seen == name {
                found.push(span.start().line..=span.end().line);
            }
        });
    }
    Ok(found)
}

/// The names of all functions, methods included, in their order.
///
/// # Errors
/// If it is not Rust.
pub fn functions(source: &str) -> Result<Vec<String>, syn::Error> {
    let file = syn::parse_file(source)?;
    let mut found = Vec::new();
    for item in &file.items {
        match item {
            Item::Fn(item) => found.push(item.sig.ident.to_string()),
            Item::Impl(block) => {
                let Some(of) = last_segment(&block.self_ty) else {
                    continue;
                };
                for member in &block.items {
                    if let ImplItem::Fn(method) = member {
                        found.push(format!("{of}::{}", method.sig.ident));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

fn visit(item: &Item, lines: &[&str], see: &mut impl FnMut(&str, Span)) {
    let span = item.span();
    let mut ident = |ident: &syn::Ident| see(&ident.to_string(), span);
    match item {
        Item::Const(item) => ident(&item.ident),
        Item::Enum(item) => ident(&item.ident),
        Item::Fn(item) => ident(&item.sig.ident),
        Item::Static(item) => ident(&item.ident),
        Item::Struct(item) => ident(&item.ident),
        Item::Type(item) => ident(&item.ident),
        Item::Macro(item) => {
            if let Some(name) = &item.ident {
                ident(name);
            }
        }
        Item::Trait(item) => {
            ident(&item.ident);
            for member in &item.items {
                if let TraitItem::Fn(method) = member {
                    see(
                        &format!("{}::{}", item.ident, method.sig.ident),
                        member.span(),
                    );
                }
            }
        }
        Item::Mod(item) => {
            ident(&item.ident);
            for inner in item.content.iter().flat_map(|(_, items)| items) {
                visit(inner, lines, see);
            }
        }
        Item::Impl(item) => block(item, lines, see),
        _ => {}
    }
}

/// An `impl`, by its first line, and its functions.
fn block(item: &syn::ItemImpl, lines: &[&str], see: &mut impl FnMut(&str, Span)) {
    let first = lines.get(item.impl_token.span.start().line - 1);
    let first = first.map_or("", |line| line.trim().trim_end_matches('{').trim_end());
    see(first, item.span());
    let Some(of) = last_segment(&item.self_ty) else {
        return;
    };
    for member in &item.items {
        if let ImplItem::Fn(method) = member {
            see(&format!("{of}::{}", method.sig.ident), member.span());
        }
    }
}

fn last_segment(of: &Type) -> Option<String> {
    match of {
        Type::Path(of) => Some(of.path.segments.last()?.ident.to_string()),
        Type::Reference(of) => last_segment(&of.elem),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
//! A file.

/// A pool.
#[derive(Debug)]
pub struct Pool {
    size: usize,
}

impl Pool {
    /// Gets.
    pub async fn get(&self) -> usize {
        self.size
    }
}

impl From<usize> for Pool {
    fn from(size: usize) -> Self {}
}

mod tests {
    fn get() {}
}
";

    #[test]
    fn items_are_found_with_their_comments() {
        for (name, lines) in [
            ("Pool", 3..=7),
            ("Pool::get", 10..=13),
            ("impl Pool", 9..=14),
            ("impl From<usize> for Pool", 16..=18),
            ("Pool::from", 17..=17),
            ("get", 21..=21),
            ("tests", 20..=22),
        ] {
            assert_eq!(find(SOURCE, name).unwrap(), [lines], "{name}");
        }
        assert_eq!(find(SOURCE, "put").unwrap(), []);
    }

    #[test]
    fn functions_are_listed_in_their_order() {
        let names = functions(SOURCE).unwrap();
        assert_eq!(names, ["Pool::get", "Pool::from"]);
    }

    #[test]
    fn what_is_no_rust_is_an_error() {
        assert!(find("select 1", "a").is_err());
    }
}
