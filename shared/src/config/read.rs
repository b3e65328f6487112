//! Reads single values and collects the mistakes.

use std::fmt;
use std::time::Duration;

/// All mistakes in a configuration, a line each.
#[derive(Debug)]
pub struct ConfigError {
    mistakes: Vec<(&'static str, String)>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the configuration is wrong (see --help):")?;
        for (name, mistake) in &self.mistakes {
            write!(f, "\n  {name} {mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// Reads variables; after a mistake it goes on with the default.
pub(super) struct Reader<F> {
    lookup: F,
    mistakes: Vec<(&'static str, String)>,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    pub(super) fn new(lookup: F) -> Self {
        Self {
            lookup,
            mistakes: Vec::new(),
        }
    }

    /// The value as it stands, spaces and all: for passwords.
    pub(super) fn raw(&self, name: &str) -> Option<String> {
        (self.lookup)(name).filter(|value| !value.is_empty())
    }

    /// The value without spaces at its ends; none if nothing is left.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let value = (self.lookup)(name)?;
        let trimmed = value.trim();
        (!trimmed.is_empty()).then(|| trimmed.to_owned())
    }

    pub(super) fn wrong(&mut self, name: &'static str, mistake: impl Into<String>) {
        self.mistakes.push((name, mistake.into()));
    }

    pub(super) fn parsed<T>(
        &mut self,
        name: &'static str,
        default: T,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> T {
        let Some(text) = self.text(name) else {
            return default;
        };
        match parse(&text) {
            Ok(value) => value,
            Err(mistake) => {
                self.wrong(name, format!("{mistake}; it is {text:?}"));
                default
            }
        }
    }

    pub(super) fn switch(&mut self, name: &'static str, default: bool) -> bool {
        self.parsed(name, default, |text| match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err("must be on or off"),
        })
    }

    pub(super) fn number(
        &mut self,
        name: &'static str,
        default: usize,
        least: usize,
        most: usize,
    ) -> usize {
        let value = self.parsed(name, default, |text| {
            text.parse().map_err(|_| "must be a whole number")
        });
        if (least..=most).contains(&value) {
            return value;
        }
        self.wrong(
            name,
            format!("must be from {least} to {most}; it is {value}"),
        );
        default
    }

    pub(super) fn millis(&mut self, name: &'static str, default: usize) -> Duration {
        // A day is more than any of the limits can mean.
        let millis = self.number(name, default, 1, 86_400_000);
        Duration::from_millis(millis as u64)
    }

    pub(super) fn finish<T>(self, value: T) -> Result<T, ConfigError> {
        if self.mistakes.is_empty() {
            Ok(value)
        } else {
            Err(ConfigError {
                mistakes: self.mistakes,
            })
        }
    }
}
