//! What a configuration is read from, and what it is told of its mistakes.

use super::*;

const URL: (&str, &str) = ("DATABASE_URL", "postgres://u@h/d");

fn read(service: Service, set: &[(&str, &str)]) -> Result<Config, ConfigError> {
    Config::read(service, |name| {
        set.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn the_defaults_are_those_of_the_design() {
    let before = read(Service::Before, &[URL]).unwrap();
    assert_eq!((before.listen.port(), before.workers), (8001, 200));
    let per_core = [URL, ("RUNTIME", "per-core"), ("DB_POOL", "1")];
    assert_eq!(read(Service::After, &per_core).unwrap().workers, 1);
    let after = read(Service::After, &[URL]).unwrap();
    assert_eq!(after.listen.port(), 8002);
    assert_eq!(after.database.pool, 8);
    assert!(after.sentry.is_none() && !after.experiments && !after.reuse_port);
}

#[test]
fn all_mistakes_come_together_with_their_names() {
    let error = read(
        Service::After,
        &[
            ("LISTEN", "here"),
            ("REUSE_PORT", "1"),
            ("DB_POOL", "0"),
            ("RUNTIME", "green"),
            ("SENTRY_DSN", "not-a-url"),
        ],
    )
    .unwrap_err()
    .to_string();
    for name in [
        "DATABASE_URL",
        "LISTEN",
        "REUSE_PORT must be on or off",
        "DB_POOL",
        "RUNTIME",
        "SENTRY_DSN",
    ] {
        assert!(error.contains(name), "{name} in {error}");
    }
}

#[test]
fn an_empty_variable_is_an_unset_one_and_spaces_at_the_ends_do_not_count() {
    let config = read(
        Service::After,
        &[
            URL,
            ("SENTRY_DSN", " "),
            ("DB_POOL", ""),
            ("LOG_FORMAT", " json "),
        ],
    )
    .unwrap();
    assert!(config.sentry.is_none());
    assert_eq!(config.database.pool, 8);
    assert_eq!(config.log.format, LogFormat::Json);
    let dsn = read(
        Service::After,
        &[URL, ("SENTRY_DSN", " https://k@s.example/1 ")],
    )
    .unwrap();
    assert!(dsn.sentry.is_some());
}

#[test]
fn a_switch_is_on_or_off() {
    for (text, on) in [("on", true), (" on ", true), ("off", false), ("", false)] {
        let config = read(Service::Before, &[URL, ("REUSE_PORT", text)]).unwrap();
        assert_eq!(config.reuse_port, on, "{text:?}");
    }
    for text in ["yes", "ON", "true", "1"] {
        let error = read(Service::Before, &[URL, ("REUSE_PORT", text)]).unwrap_err();
        assert!(error.to_string().contains("REUSE_PORT"), "{error}");
    }
}

#[test]
fn secrets_do_not_print() {
    let config = read(
        Service::After,
        &[
            ("DATABASE_URL", "postgres://u@h/d"),
            ("PGPASSWORD", "hunter2"),
            ("SENTRY_DSN", "https://topsecret@s.example/1"),
        ],
    )
    .unwrap();
    let shown = format!("{config:?}");
    assert!(
        !shown.contains("hunter2") && !shown.contains("topsecret"),
        "{shown}"
    );
    assert_eq!(config.database.url.password().unwrap(), "hunter2");
}

#[test]
fn every_variable_that_is_read_is_described_and_in_the_sample_file() {
    let asked = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let _ = Config::read(Service::After, |name| {
        asked.borrow_mut().insert(name.to_owned());
        match name {
            "DATABASE_URL" => Some("postgres://u@h/d".to_owned()),
            "SENTRY_DSN" => Some("https://k@s.example/1".to_owned()),
            _ => None,
        }
    });
    let described: std::collections::BTreeSet<_> = VARIABLES
        .iter()
        .map(|variable| variable.name.to_owned())
        .collect();
    assert_eq!(*asked.borrow(), described);
    let sample = include_str!("../../../.env.sample");
    for name in described {
        assert!(
            sample.contains(&format!("{name}=")),
            "{name} is missing in .env.sample"
        );
    }
}
