//! The parts of a line of text.

use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use time::UtcDateTime;
use tracing::field::{Field, Visit};

/// A second as text: `2026-11-30T19:55:29`.
#[derive(Clone, Copy)]
struct Second {
    number: u64,
    text: [u8; 19],
}

thread_local! {
    /// The last second that was written: taking a date apart costs more than
    /// the rest of a line.
    static LAST: Cell<Option<Second>> = const { Cell::new(None) };
}

impl Second {
    fn new(number: u64) -> Self {
        let at = i64::try_from(number).unwrap_or_default();
        let at = UtcDateTime::from_unix_timestamp(at).unwrap_or(UtcDateTime::UNIX_EPOCH);
        let (date, time) = (at.date(), at.time());
        let written = format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            date.year(),
            u8::from(date.month()),
            date.day(),
            time.hour(),
            time.minute(),
            time.second()
        );
        let mut text = [b'?'; 19];
        if written.len() == text.len() {
            text.copy_from_slice(written.as_bytes());
        }
        Self { number, text }
    }
}

/// Writes the time, as RFC 3339 has it, in UTC and with microseconds.
pub(super) fn push_now(line: &mut String) {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let number = since.as_secs();
    let second = match LAST.get() {
        Some(second) if second.number == number => second,
        _ => {
            let second = Second::new(number);
            LAST.set(Some(second));
            second
        }
    };
    line.push_str(str::from_utf8(&second.text).unwrap_or_default());
    let mut micros = since.subsec_micros();
    let mut digits = *b".000000Z";
    for digit in digits[1..7].iter_mut().rev() {
        *digit += u8::try_from(micros % 10).unwrap_or_default();
        micros /= 10;
    }
    line.push_str(str::from_utf8(&digits).unwrap_or_default());
}

/// The fields of an event as text: the message bare, the others by name. What
/// would break the line is escaped.
pub(super) struct Text<'a>(pub(super) &'a mut String);

impl Text<'_> {
    fn name(&mut self, field: &Field) {
        self.0.push(' ');
        if field.name() != "message" {
            self.0.push_str(field.name());
            self.0.push('=');
        }
    }
}

impl Visit for Text<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field);
        let _ = write!(self.0, "{value}");
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        if field.name() == "message" {
            push_escaped(self.0, value);
        } else if value.bytes().all(is_plain) {
            self.0.push('"');
            self.0.push_str(value);
            self.0.push('"');
        } else {
            let _ = write!(self.0, "{value:?}");
        }
    }

    /// Messages come here, as their arguments.
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.name(field);
        let from = self.0.len();
        let _ = write!(self.0, "{value:?}");
        if self.0[from..].contains(char::is_control) {
            let written = self.0.split_off(from);
            push_escaped(self.0, &written);
        }
    }
}

/// Whether a byte stands for itself between quotes.
fn is_plain(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte) && !matches!(byte, b'"' | b'\\')
}

/// One event is one line, also if a cause has several, and it moves no cursor.
fn push_escaped(line: &mut String, text: &str) {
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_written_as_rfc_3339() {
        let mut line = String::new();
        push_now(&mut line);
        let format = &time::format_description::well_known::Rfc3339;
        assert_eq!(line.len(), "2026-11-30T19:55:29.123456Z".len());
        let read = time::OffsetDateTime::parse(&line, format).unwrap();
        assert!((time::OffsetDateTime::now_utc() - read).abs() < time::Duration::MINUTE);
        let leap = Second::new(1_709_164_799);
        assert_eq!(&leap.text, b"2024-02-28T23:59:59");
    }

    #[test]
    fn nothing_breaks_a_line() {
        let mut line = String::new();
        push_escaped(&mut line, "two\nlines \u{1b}[31m");
        assert_eq!(line, "two\\nlines \\u{1b}[31m");
    }
}
