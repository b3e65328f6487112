//! How numbers are written: three figures that count, thousands set apart.

use crate::stats::{Quartiles, Ratio};

/// A number with three figures that count.
pub(crate) fn short(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let digits = match value.abs() {
        0.0 => 0,
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    thousands(text)
}

/// With a comma after each three figures.
fn thousands(text: &str) -> String {
    let (sign, text) = text
        .strip_prefix('-')
        .map_or(("", text), |text| ("-", text));
    let (whole, rest) = text.find('.').map_or((text, ""), |at| text.split_at(at));
    let mut grouped = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// A whole number.
pub(crate) fn whole(value: u64) -> String {
    thousands(&value.to_string())
}

/// Bytes in MiB.
pub(crate) const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Bytes in MiB, without the unit.
pub(crate) fn mebibytes(bytes: f64) -> String {
    short(bytes / MEBIBYTE)
}

/// Milliseconds with their unit, or seconds from 10 of them on.
pub(crate) fn time(ms: f64) -> String {
    if ms >= 10_000.0 {
        format!("{} s", short(ms / 1_000.0))
    } else {
        format!("{} ms", short(ms))
    }
}

/// A ratio, as `2.31`.
pub(crate) fn times(value: f64) -> String {
    if value >= 99.5 {
        short(value)
    } else {
        format!("{value:.2}")
    }
}

/// A ratio with its interval, or with the reason why it has none.
pub(crate) fn ratio(ratio: &Ratio) -> String {
    match ratio.interval {
        Some((low, high)) => format!(
            "{} ({}\u{2013}{})",
            times(ratio.value),
            times(low),
            times(high)
        ),
        None => format!("{} (one pair)", times(ratio.value)),
    }
}

/// A median with its quartiles; a dash if there is none.
pub(crate) fn spread(value: Option<Quartiles>, format: fn(f64) -> String) -> String {
    match value {
        None => "–".to_owned(),
        Some(q) => {
            let (median, low, high) = (format(q.median), format(q.p25), format(q.p75));
            if low == median && high == median {
                median
            } else {
                format!("{median} ({low}\u{2013}{high})")
            }
        }
    }
}

/// The median alone; a dash if there is none.
pub(crate) fn median(value: Option<Quartiles>, format: fn(f64) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), |q| format(q.median))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_figures_that_count() {
        for (value, text) in [
            (0.0, "0"),
            (0.012_3, "0.012"),
            (1.0, "1"),
            (1.234, "1.23"),
            (12.34, "12.3"),
            (99.99, "100"),
            (1_234.5, "1,234"),
            (1_234_567.0, "1,234,567"),
            (-1_234.4, "-1,234"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn a_spread_of_nothing_is_one_number() {
        let of = |p25, median, p75| Some(Quartiles { p25, median, p75 });
        assert_eq!(spread(of(5.0, 5.0, 5.0), short), "5");
        assert_eq!(spread(of(4.0, 5.0, 7.5), short), "5 (4\u{2013}7.5)");
        assert_eq!(spread(None, short), "–");
    }
}
