//! What a service says of itself, in Prometheus' text format on `/metrics`.

use std::collections::BTreeMap;
use std::time::Duration;

use ureq::Agent;
use url::Url;

use crate::subject::below;
use crate::usage::Snapshot;

/// The figures of a service at one moment. Nothing for services without metrics,
/// or with other ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page(Vec<Sample>);

#[derive(Clone, Debug, PartialEq)]
struct Sample {
    name: String,
    labels: String,
    value: f64,
}

impl Page {
    fn parse(text: &str) -> Self {
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        Self(samples.filter_map(Sample::parse).collect())
    }

    /// Whether it has figures of the pair.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.get("http_connections_served_total").is_some()
    }

    /// The sum of all figures of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        let mut found = self
            .0
            .iter()
            .filter(|sample| sample.name == name)
            .peekable();
        found.peek()?;
        Some(found.map(|sample| sample.value).sum())
    }

    /// What the process says it uses. It does not tell how often its threads were
    /// switched.
    #[must_use]
    pub fn process(&self) -> Snapshot {
        let get = |name| self.get(name).unwrap_or(0.0);
        Snapshot {
            cpu_s: get("process_cpu_seconds_total"),
            resident_bytes: whole(get("process_resident_memory_bytes")),
            threads: whole(get("process_threads")),
            ..Snapshot::default()
        }
    }

    /// Answers since an earlier page by their status, of all routes but those that
    /// the lab itself asks in the meantime.
    #[must_use]
    pub fn answers_since(&self, before: &Self) -> BTreeMap<String, u64> {
        let mut answers = self.answers();
        for (status, count) in before.answers() {
            if let Some(sum) = answers.get_mut(&status) {
                *sum -= count;
            }
        }
        answers
            .into_iter()
            .filter(|(_, count)| *count > 0.5)
            .map(|(status, count)| (status, whole(count)))
            .collect()
    }

    fn answers(&self) -> BTreeMap<String, f64> {
        let mut answers = BTreeMap::new();
        for sample in &self.0 {
            if sample.name == "http_requests_total" && sample.label("route") != Some("/metrics") {
                let status = sample.label("status").unwrap_or("?").to_owned();
                *answers.entry(status).or_default() += sample.value;
            }
        }
        answers
    }
}

impl Sample {
    /// `name{label="value",...} 12.5`
    fn parse(line: &str) -> Option<Self> {
        let (series, value) = line.trim().rsplit_once(' ')?;
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        Some(Self {
            name: name.to_owned(),
            labels: labels.trim_end_matches('}').to_owned(),
            value: value.parse().ok()?,
        })
    }

    /// The pair's labels hold no quotes and no commas: routes, methods, numbers.
    fn label(&self, name: &str) -> Option<&str> {
        self.labels.split(',').find_map(|label| {
            let (key, value) = label.split_once('=')?;
            (key == name).then(|| value.trim_matches('"'))
        })
    }
}

/// A counter as a number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counters are whole and not negative, and `as` ends at the bounds"
)]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

/// Asks a service, always over one connection.
#[derive(Clone, Debug)]
pub struct Scraper {
    agent: Agent,
    url: Url,
}

impl Scraper {
    /// For the service at an address.
    #[must_use]
    pub fn new(base: &Url) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(2)))
            .max_idle_connections(1)
            .max_redirects(0)
            .build();
        Self {
            agent: config.into(),
            url: below(base, "/metrics"),
        }
    }

    /// Its figures; nothing if it does not answer, or has none.
    #[must_use]
    pub fn look(&self) -> Option<Page> {
        let mut answer = self.agent.get(self.url.as_str()).call().ok()?;
        let page = Page::parse(&answer.body_mut().read_to_string().ok()?);
        page.is_ours().then_some(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# HELP http_requests_total Requests answered.\n\
        http_requests_total{method=\"GET\",route=\"/ping\",status=\"200\"} 10\n\
        http_requests_total{method=\"GET\",route=\"/metrics\",status=\"200\"} 3\n\
        http_connections_served_total 4\n";
    const AFTER: &str = "http_requests_total{method=\"GET\",route=\"/ping\",status=\"200\"} 110\n\
        http_requests_total{method=\"GET\",route=\"/ping\",status=\"503\"} 7\n\
        http_requests_total{method=\"GET\",route=\"/metrics\",status=\"200\"} 9\n\
        http_connections_served_total 54\n";

    #[test]
    fn answers_are_counted_by_status_without_the_labs_own() {
        let (before, after) = (Page::parse(BEFORE), Page::parse(AFTER));
        let answers = after.answers_since(&before);
        let expected = [("200".to_owned(), 100), ("503".to_owned(), 7)];
        assert_eq!(answers, expected.into());
        assert_eq!(after.get("http_connections_served_total"), Some(54.0));
    }

    #[test]
    fn other_metrics_are_none() {
        assert!(!Page::parse("go_goroutines 7\n").is_ours());
        assert_eq!(Page::parse("go_goroutines 7\n").get("nothing"), None);
    }
}
