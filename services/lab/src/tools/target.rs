//! What is asked for: one address, or one for each market.

use url::Url;

use super::MARKETS;

/// Stands for the id of a market.
const ID: &str = "{id}";

/// What [`Url`] makes of it in a path.
const ESCAPED: &str = "%7Bid%7D";

/// An address in which [`ID`] may stand.
pub(super) struct Target {
    /// The address without its path.
    origin: String,
    /// The path with its query.
    path: String,
}

impl Target {
    pub(super) fn of(url: &Url) -> Self {
        let all = url.as_str().replace(ESCAPED, ID);
        // A fragment is never sent.
        let all = all.split('#').next().unwrap_or_default();
        let scheme = url.scheme().len() + "://".len();
        // A URL of HTTP always has a path.
        let path = all[scheme..].find('/').map_or(all.len(), |at| scheme + at);
        Self {
            origin: all[..path].to_owned(),
            path: all[path..].to_owned(),
        }
    }

    /// The path with its query, if a market is to be put into it.
    pub(super) fn pattern(&self) -> Option<&str> {
        Some(&*self.path).filter(|path| path.contains(ID))
    }

    /// The only address, or that of the first market.
    pub(super) fn first(&self) -> String {
        self.at(1)
    }

    /// The address for each market.
    pub(super) fn all(&self) -> Vec<String> {
        (1..=MARKETS).map(|id| self.at(id)).collect()
    }

    fn at(&self, id: u32) -> String {
        format!("{}{}", self.origin, self.path.replace(ID, &id.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> Target {
        Target::of(&Url::parse(url).expect("an address"))
    }

    #[test]
    fn an_address_without_a_market_is_asked_for_as_it_is() {
        let target = target("http://127.0.0.1:80/ping?a=1#part");
        assert_eq!(target.pattern(), None);
        assert_eq!(target.first(), "http://127.0.0.1/ping?a=1");
    }

    #[test]
    fn a_market_may_stand_in_the_path_and_in_the_query() {
        for (url, pattern, first) in [
            (
                "http://a:1/markets/{id}/book",
                "/markets/{id}/book",
                "http://a:1/markets/1/book",
            ),
            (
                "http://a:1/x?market={id}",
                "/x?market={id}",
                "http://a:1/x?market=1",
            ),
            ("http://[::1]:1/{id}", "/{id}", "http://[::1]:1/1"),
        ] {
            let target = target(url);
            assert_eq!(target.pattern(), Some(pattern), "{url}");
            assert_eq!(target.first(), first, "{url}");
        }
    }

    #[test]
    fn all_markets_are_asked_for() {
        let all = target("http://a:1/markets/{id}/book").all();
        assert_eq!(all.len(), 1_000);
        assert_eq!(all[999], "http://a:1/markets/1000/book");
    }
}
