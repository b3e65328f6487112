//! The comments in a page that name what stands there.
//!
//! ```text
//! <!-- quote shared/sql/book.sql -->             a whole file
//! <!-- quote shared/src/work/mod.rs#offload -->  an item or an anchor of it
//! <!-- twin routes/book.rs#book -->              the same of before and after
//! <!-- twin pool.rs#get | pool.rs#Pool::get -->  where its name differs
//! <!-- table talk/ping -->                       a table from the results
//! <!-- end -->                                   the end of each of them
//! <!--fig talk/ping/50/ratio-->0.9<!--/fig-->    a figure within a line
//! ```

/// What a region of a page holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// A piece of a source.
    Quote(Place),
    /// The same piece of `before` and of `after`.
    Twin(Place, Place),
    /// A table, by its name.
    Table(String),
}

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, from the root of the workspace.
    pub path: String,
    /// The item or the anchor; the whole file without one.
    pub name: Option<String>,
}

/// The line that ends a region.
pub const END: &str = "<!-- end -->";
/// What begins a figure; its key follows.
pub const FIGURE: &str = "<!--fig ";
/// What ends its key.
pub const FIGURE_KEY_END: &str = "-->";
/// What ends a figure.
pub const FIGURE_END: &str = "<!--/fig-->";

/// The sources of the pair.
const PAIR: [&str; 2] = ["services/before/src", "services/after/src"];

/// What a line begins, if it begins a region.
///
/// # Errors
/// If it is a comment that begins as a directive does, and is none.
pub fn parse(line: &str) -> Result<Option<Directive>, String> {
    let Some(comment) = line
        .trim()
        .strip_prefix("<!-- ")
        .and_then(|rest| rest.strip_suffix(" -->"))
    else {
        return Ok(None);
    };
    let Some((kind, rest)) = comment.split_once(' ') else {
        return Ok(None);
    };
    let rest = rest.trim();
    Ok(Some(match kind {
        "quote" => Directive::Quote(place(rest)?),
        "twin" => twin(rest)?,
        "table" => Directive::Table(rest.to_owned()),
        _ => return Ok(None),
    }))
}

fn place(text: &str) -> Result<Place, String> {
    let (path, name) = match text.split_once('#') {
        Some((path, name)) => (path, Some(name)),
        None => (text, None),
    };
    if path.is_empty() || path.contains(' ') || name.is_some_and(str::is_empty) {
        return Err(format!("`{text}` is no FILE or FILE#NAME"));
    }
    Ok(Place {
        path: path.to_owned(),
        name: name.map(str::to_owned),
    })
}

fn twin(text: &str) -> Result<Directive, String> {
    let (before, after) = text.split_once(" | ").unwrap_or((text, text));
    let of = |side: &str, text: &str| {
        let mut place = place(text.trim())?;
        place.path = format!("{side}/{}", place.path);
        Ok::<_, String>(place)
    };
    Ok(Directive::Twin(of(PAIR[0], before)?, of(PAIR[1], after)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, name: Option<&str>) -> Place {
        Place {
            path: path.to_owned(),
            name: name.map(str::to_owned),
        }
    }

    #[test]
    fn regions_are_told_from_text_and_other_comments() {
        for none in [
            "text",
            "<!-- end -->",
            "<!-- a remark -->",
            "<!--quote x-->",
        ] {
            assert_eq!(parse(none), Ok(None), "{none}");
        }
        assert_eq!(
            parse("<!-- quote shared/sql/book.sql -->"),
            Ok(Some(Directive::Quote(at("shared/sql/book.sql", None))))
        );
        assert_eq!(
            parse("<!-- table talk/ping -->"),
            Ok(Some(Directive::Table("talk/ping".to_owned())))
        );
    }

    #[test]
    fn a_twin_is_in_both_trees() {
        let both = |before: (&str, &str), after: (&str, &str)| {
            let before = at(&format!("services/before/src/{}", before.0), Some(before.1));
            let after = at(&format!("services/after/src/{}", after.0), Some(after.1));
            Ok(Some(Directive::Twin(before, after)))
        };
        assert_eq!(
            parse("<!-- twin pool.rs#Pool::get -->"),
            both(("pool.rs", "Pool::get"), ("pool.rs", "Pool::get"))
        );
        assert_eq!(
            parse("<!-- twin crew.rs#hire | pool.rs#get -->"),
            both(("crew.rs", "hire"), ("pool.rs", "get"))
        );
    }

    #[test]
    fn what_names_no_place_is_refused() {
        for bad in ["<!-- quote # -->", "<!-- quote a b -->", "<!-- twin x# -->"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
