//! Axes: which values they span, and which of them are named.

use super::svg::width_of;
use crate::report::figures::short;

/// How an amount is written.
pub(crate) type Format = fn(f64) -> String;

/// One axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// What it shows, with its unit.
    pub(super) label: String,
    logarithmic: bool,
    from: f64,
    to: f64,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From nothing to the highest of the amounts, with some room above.
    pub(crate) fn amount(
        label: &str,
        values: impl IntoIterator<Item = f64>,
        format: Format,
    ) -> Self {
        let highest = highest(values);
        let step = round_step(highest / 4.0);
        let steps = (highest * 1.04 / step).ceil();
        Self::linear(label, step * steps, step, format)
    }

    /// Over time, from nothing to its end.
    pub(crate) fn seconds(values: impl IntoIterator<Item = f64>) -> Self {
        let end = highest(values);
        Self::linear("seconds", end, round_step(end / 5.0), short)
    }

    fn linear(label: &str, to: f64, step: f64, format: Format) -> Self {
        let steps = (0_u32..=20).map(|i| f64::from(i) * step);
        Self {
            label: label.to_owned(),
            logarithmic: false,
            from: 0.0,
            to,
            ticks: steps
                .take_while(|value| *value <= to * 1.000_001)
                .map(|value| tick(value, format))
                .collect(),
        }
    }

    /// Over magnitudes: each distance is a ratio.
    pub(crate) fn magnitudes(
        label: &str,
        values: impl IntoIterator<Item = f64>,
        format: Format,
    ) -> Self {
        let (from, to) = values
            .into_iter()
            .filter(|v| v.is_finite() && *v > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), v| {
                (low.min(v), high.max(v))
            });
        let (from, to) = if to > 0.0 { (from, to) } else { (1.0, 10.0) };
        let (from, to) = (from / 1.25, to * 1.25);
        let decades = (to / from).log10();
        let steps: &[f64] = if decades < 2.2 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let mut ticks = Vec::new();
        let mut decade = 10_f64.powf(from.log10().floor());
        while decade <= to {
            let inside = steps.iter().map(|s| s * decade);
            ticks.extend(
                inside
                    .filter(|v| (from..=to).contains(v))
                    .map(|v| tick(v, format)),
            );
            decade *= 10.0;
        }
        Self {
            label: label.to_owned(),
            logarithmic: true,
            from,
            to,
            ticks,
        }
    }

    /// Over levels of load, which are chosen by ratio and not by distance.
    pub(crate) fn levels(label: &str, values: &[f64], format: Format) -> Self {
        let values: Vec<f64> = values.iter().copied().filter(|v| *v > 0.0).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        let (low, high) = if high > 0.0 { (low, high) } else { (1.0, 1.0) };
        // Room on both sides, and for a single level all of it.
        let room = (high / low)
            .powf(0.04)
            .max(if high > low { 1.02 } else { 2.0 });
        Self {
            label: label.to_owned(),
            logarithmic: true,
            from: low / room,
            to: high * room,
            ticks: values.iter().map(|v| tick(*v, format)).collect(),
        }
    }

    /// Names at 0, 1, 2, ...
    pub(crate) fn names<'a>(label: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let ticks: Vec<(f64, String)> = names
            .into_iter()
            .zip(0_u32..)
            .map(|(name, i)| (f64::from(i), name.to_owned()))
            .collect();
        Self {
            label: label.to_owned(),
            logarithmic: false,
            from: -0.5,
            to: ticks.last().map_or(0.5, |(last, _)| last + 0.5),
            ticks,
        }
    }

    /// Whether this is nowhere on it.
    pub(super) fn lacks(&self, value: f64) -> bool {
        !value.is_finite()
            || (self.logarithmic && value <= 0.0)
            || value > self.to * 1.000_001
            || value < self.from - self.from.abs() * 1e-6
    }

    /// Where a value stands, in plotters' own linear terms.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.logarithmic {
            value.clamp(self.from, self.to).log10()
        } else {
            value.clamp(self.from, self.to)
        }
    }

    /// The range of all places.
    pub(super) fn range(&self) -> std::ops::Range<f64> {
        self.place(self.from)..self.place(self.to)
    }

    /// The places that are named, as far as there is room along so many pixels.
    pub(super) fn named(&self, pixels: i32) -> Vec<(f64, &str)> {
        let range = self.range();
        let scale = f64::from(pixels) / (range.end - range.start);
        let mut ticks: Vec<(f64, &str)> = self
            .ticks
            .iter()
            .map(|(value, name)| (self.place(*value), name.as_str()))
            .collect();
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut kept: Vec<(f64, &str)> = Vec::new();
        // From the end, since the highest level is the one that is talked about.
        for (place, name) in ticks.into_iter().rev() {
            let free = kept.last().is_none_or(|(right, other)| {
                let needed = i32::midpoint(width_of(name), width_of(other)) + 6;
                (right - place) * scale >= f64::from(needed)
            });
            if free {
                kept.push((place, name));
            }
        }
        kept
    }

    /// All names with their places.
    pub(super) fn all(&self) -> Vec<(f64, &str)> {
        self.ticks
            .iter()
            .map(|(value, name)| (self.place(*value), name.as_str()))
            .collect()
    }
}

fn tick(value: f64, format: Format) -> (f64, String) {
    (value, format(value))
}

/// The highest of the values; 1 if there is nothing above nothing.
fn highest(values: impl IntoIterator<Item = f64>) -> f64 {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let highest = finite.fold(0.0, f64::max);
    if highest > 0.0 { highest } else { 1.0 }
}

/// The next of 1, 2, 2.5, 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let magnitude = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|s| s * magnitude)
        .find(|s| *s >= least * 0.999)
        .unwrap_or(10.0 * magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis, pixels: i32) -> Vec<&str> {
        axis.named(pixels)
            .into_iter()
            .map(|(_, name)| name)
            .collect()
    }

    #[test]
    fn an_amount_begins_at_nothing_and_its_steps_are_round() {
        let axis = Axis::amount("", [310.0, 1_930.0], short);
        assert_eq!(
            names(&axis, 900),
            ["2,500", "2,000", "1,500", "1,000", "500", "0"]
        );
        assert_eq!(axis.range(), 0.0..2_500.0);
    }

    #[test]
    fn axes_of_nothing_and_of_one_value_have_a_length() {
        for axis in [
            Axis::amount("", [], short),
            Axis::amount("", [f64::NAN], short),
            Axis::seconds([]),
            Axis::magnitudes("", [0.0], short),
            Axis::magnitudes("", [3.0], short),
            Axis::levels("", &[], short),
            Axis::levels("", &[100.0], short),
            Axis::names("", []),
            Axis::names("", ["one"]),
        ] {
            assert!(axis.range().end > axis.range().start, "{axis:?}");
        }
    }

    #[test]
    fn names_that_would_overlap_are_left_out_but_the_highest_stays() {
        let axis = Axis::levels("", &[100.0, 101.0, 102.0, 800.0], short);
        assert_eq!(names(&axis, 300), ["800", "102"]);
    }
}
