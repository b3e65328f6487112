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
