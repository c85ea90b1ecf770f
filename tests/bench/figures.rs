//! Figures and how they are shown.

use std::time::Duration;

/// Times of one kind, sorted.
pub struct Latencies(Vec<Duration>);

impl Latencies {
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time that `share` (0 to 1) of all stay within, in milliseconds.
    pub fn percentile(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let place = (last as f64 * share).round() as usize;
        self.0.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }
}

/// Prints a heading.
pub fn heading(text: &str) {
    println!("\n## {text}\n");
}

/// Prints a figure beside its target.
pub fn figure(name: &str, value: &str, target: &str) {
    println!("{name:<58} {value:>14}   {target}");
}
