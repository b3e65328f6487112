//! Numbers and loads as people read them.

use crate::results::Level;

/// A whole number in groups of three: `12,345`.
#[must_use]
pub fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number without its fraction, in groups of three; `-` if it is not finite or
/// below zero, as no count is.
#[must_use]
pub fn grouped(number: f64) -> String {
    if !number.is_finite() || number < 0.0 {
        return "-".to_owned();
    }
    let rounded = format!("{number:.0}");
    // From 2^64 on the groups would help nobody either.
    rounded.parse().map_or(rounded, whole)
}

/// A number with three significant digits, and no more than its whole ones:
/// `0.123`, `1.23`, `12.3`, `1,234`.
#[must_use]
pub fn short(number: f64) -> String {
    // Each bound is where the next shape would round up to it.
    match number {
        n if !n.is_finite() || n < 0.0 => "-".to_owned(),
        n if n < 0.9995 => format!("{n:.3}"),
        n if n < 9.995 => format!("{n:.2}"),
        n if n < 99.95 => format!("{n:.1}"),
        n => grouped(n),
    }
}

/// A share of 1 in percent, with up to two digits of fraction: `0.1 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A load in words: `50 connections, 1,000 requests a second offered`.
#[must_use]
pub fn level(level: Level) -> String {
    let plural = if level.connections == 1 { "" } else { "s" };
    let connections = whole(level.connections.into());
    let rate = level.rate.map_or_else(String::new, |rate| {
        format!(", {} requests a second offered", short(rate))
    });
    format!("{connections} connection{plural}{rate}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(whole(number), expected);
        }
        assert_eq!(grouped(12_344.6), "12,345");
        assert_eq!(grouped(f64::NAN), "-");
        assert_eq!(grouped(-1.0), "-");
        assert_eq!(grouped(1e20), "100000000000000000000");
    }

    #[test]
    fn short_numbers_keep_three_digits() {
        for (number, expected) in [
            (0.0, "0.000"),
            (0.1234, "0.123"),
            (0.9996, "1.00"),
            (1.234, "1.23"),
            (9.996, "10.0"),
            (12.34, "12.3"),
            (99.96, "100"),
            (1234.4, "1,234"),
            (f64::INFINITY, "-"),
        ] {
            assert_eq!(short(number), expected);
        }
    }

    #[test]
    fn percents_have_no_idle_zeros() {
        assert_eq!(percent(0.001), "0.1 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0123), "1.23 %");
        assert_eq!(percent(0.0), "0 %");
    }

    #[test]
    fn loads_are_words() {
        let of = |connections, rate| level(Level { connections, rate });
        assert_eq!(of(1, None), "1 connection");
        assert_eq!(
            of(2_000, Some(1_500.0)),
            "2,000 connections, 1,500 requests a second offered"
        );
        assert_eq!(
            of(5, Some(2.5)),
            "5 connections, 2.50 requests a second offered"
        );
    }
}
