//! Statistics over runs: pure functions.

/// A median with its quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// A quarter of the values is at most this.
    pub p25: f64,
    /// The median.
    pub median: f64,
    /// Three quarters of the values are at most this.
    pub p75: f64,
}

/// The ratio of two subjects over rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The geometric mean of the rounds' ratios.
    pub value: f64,
    /// The 95 % interval; nothing with fewer than two pairs.
    pub interval: Option<(f64, f64)>,
    /// How many rounds had both.
    pub pairs: usize,
}

impl Ratio {
    /// Whether no difference is shown: there is no interval, or 1 is in it.
    #[must_use]
    pub fn says_nothing(&self) -> bool {
        self.interval
            .is_none_or(|(low, high)| low <= 1.0 && 1.0 <= high)
    }
}

/// The ratio of two groups of runs that have no rounds in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnpairedRatio {
    /// The ratio of the groups' geometric means.
    pub value: f64,
    /// The 95 % interval; nothing if a group has fewer than two runs.
    pub interval: Option<(f64, f64)>,
}

/// The median. Values that are not finite are left out; nothing if none is left.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quartiles(values).map(|quartiles| quartiles.median)
}

/// The median and the quartiles, by the method that Hyndman and Fan call type 7
/// ("Sample Quantiles in Statistical Packages", The American Statistician 50,
/// 1996, pages 361 to 365): straight lines between the sorted values, of which
/// the first is quantile 0 and the last is quantile 1. It is what R, NumPy and
/// spreadsheets do unless told otherwise.
///
/// Values that are not finite are left out; nothing if none is left.
#[must_use]
pub fn quartiles(values: &[f64]) -> Option<Quartiles> {
    let mut sorted: Vec<_> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    // In quarters, so that the place is found in whole numbers.
    let quantile = |quarters: usize| {
        let (at, rest) = (last * quarters / 4, last * quarters % 4);
        let low = sorted[at];
        let high = sorted[(at + 1).min(last)];
        low + (high - low) * count(rest) / 4.0
    };
    Some(Quartiles {
        p25: quantile(1),
        median: quantile(2),
        p75: quantile(3),
    })
}

/// The ratio of the first to the second of each pair: the geometric mean, with a
/// 95 % interval by Student's t on the logarithms of the ratios.
///
/// Paired, since what slows a machine for a minute slows both runs of a round;
/// logarithms, since ratios are multiplied: twice and half as fast are equally
/// far from 1. Pairs in which a number is not finite or not above zero have no
/// logarithm and are left out; nothing if none is left.
#[must_use]
pub fn paired_ratio(pairs: &[(f64, f64)]) -> Option<Ratio> {
    let logs: Vec<_> = pairs
        .iter()
        .filter(|(numerator, denominator)| is_positive(*numerator) && is_positive(*denominator))
        .map(|(numerator, denominator)| numerator.ln() - denominator.ln())
        .collect();
    let sample = Sample::of(&logs)?;
    Some(Ratio {
        value: sample.mean.exp(),
        interval: sample
            .squared_error
            .map(|squared| interval(sample.mean, squared.sqrt(), sample.count - 1.0)),
        pairs: logs.len(),
    })
}

/// The ratio of the geometric means of two groups that are not paired, with a
/// 95 % interval by Welch's t (B. L. Welch, Biometrika 34, 1947, pages 28 to 35)
/// on the logarithms: the groups may scatter differently.
///
/// Numbers that are not finite or not above zero are left out; nothing if none
/// is left in a group.
#[must_use]
pub fn unpaired_ratio(numerators: &[f64], denominators: &[f64]) -> Option<UnpairedRatio> {
    let logs = |values: &[f64]| -> Vec<f64> {
        let positive = values.iter().filter(|value| is_positive(**value));
        positive.map(|value| value.ln()).collect()
    };
    let above = Sample::of(&logs(numerators))?;
    let below = Sample::of(&logs(denominators))?;
    let mean = above.mean - below.mean;
    let interval = above.squared_error.zip(below.squared_error).map(|(a, b)| {
        // Of Welch and Satterthwaite. Without any scatter it would be 0/0.
        let freedom = if a + b > 0.0 {
            (a + b).powi(2) / (a * a / (above.count - 1.0) + b * b / (below.count - 1.0))
        } else {
            above.count + below.count - 2.0
        };
        interval(mean, (a + b).sqrt(), freedom)
    });
    Some(UnpairedRatio {
        value: mean.exp(),
        interval,
    })
}

/// A whole number as a floating one: exact below 2^53, and nothing that is
/// counted here comes near.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53")]
pub(crate) fn float(number: u64) -> f64 {
    number as f64
}

/// Likewise, of the length of a list.
pub(crate) fn count(length: usize) -> f64 {
    float(length as u64)
}

fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// What an interval needs to know of some logarithms.
struct Sample {
    count: f64,
    mean: f64,
    /// The square of the mean's standard error; nothing of a single value.
    squared_error: Option<f64>,
}

impl Sample {
    fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let count = count(values.len());
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            count,
            mean,
            squared_error: (values.len() > 1).then(|| squares / (count - 1.0) / count),
        })
    }
}

/// From a mean of logarithms to an interval of ratios.
fn interval(mean: f64, standard_error: f64, freedom: f64) -> (f64, f64) {
    let reach = t_975(freedom) * standard_error;
    ((mean - reach).exp(), (mean + reach).exp())
}

/// The 0.975 quantiles of Student's t for 1 to 30 degrees of freedom:
/// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The quantile of Student's t that leaves 2.5 % above it.
///
/// Between whole degrees (Welch's are seldom whole) on a straight line over the
/// reciprocal of the degrees, which errs to the wider side; above 30 by the
/// expansion in Abramowitz and Stegun, 26.7.5.
fn t_975(freedom: f64) -> f64 {
    /// The same quantile of the normal distribution.
    const Z: f64 = 1.959_963_984_540_054;
    let last = T_975.len();
    if freedom >= count(last) {
        let first = (Z.powi(3) + Z) / 4.0;
        let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
        return Z + first / freedom + second / freedom.powi(2);
    }
    // The first degree above; what is below one degree gets the value of one.
    let upper = (2..last).find(|n| count(*n) > freedom).unwrap_or(last);
    let (few, many) = (T_975[upper - 2], T_975[upper - 1]);
    let (at_few, at_many) = (1.0 / count(upper - 1), 1.0 / count(upper));
    let share = (1.0 / freedom.max(1.0) - at_many) / (at_few - at_many);
    many + (few - many) * share
}

#[cfg(test)]
mod tests;
