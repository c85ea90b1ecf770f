//! How long answers took, counted by steps of time: small numbers that add up, from which the median of any days can be told
//! (manual 5.15).

use std::collections::BTreeMap;
use std::time::Duration;

/// Where the four steps of an octave begin, as parts of 1,024: powers of the fourth root of two.
const STEPS_OF_OCTAVE: [u64; 4] = [1024, 1218, 1448, 1722];
/// The octaves from one millisecond on; the last ends after twelve days, and what takes longer counts there.
const OCTAVES: u8 = 30;

/// A step of time: each ends a fifth later than it begins, so a time is known to a fifth at worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeStep(u8);

impl TimeStep {
    const COUNT: u8 = OCTAVES * 4;

    /// The step in which this time lies; less than a millisecond counts as one.
    pub fn of(elapsed: Duration) -> Self {
        let ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).clamp(1, (1 << OCTAVES) - 1);
        let octave = ms.ilog2();
        let part = (ms << 10) >> octave;
        let within = STEPS_OF_OCTAVE.iter().filter(|begin| **begin <= part).count() - 1;
        let number = octave * 4 + u32::try_from(within).unwrap_or(0);
        Self(u8::try_from(number).unwrap_or(Self::COUNT - 1))
    }

    pub fn from_number(number: u8) -> Option<Self> {
        (number < Self::COUNT).then_some(Self(number))
    }

    pub const fn number(self) -> u8 {
        self.0
    }

    /// In milliseconds, with ten more bits for what is less than one.
    fn begin(number: u8) -> u64 {
        STEPS_OF_OCTAVE[usize::from(number % 4)] << (number / 4)
    }
}

/// How many answers took how long.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerTimes(BTreeMap<TimeStep, u64>);

impl AnswerTimes {
    /// Counts so many answers more.
    pub(crate) fn add(&mut self, step: TimeStep, answers: u64) {
        let count = self.0.entry(step).or_default();
        *count = count.saturating_add(answers);
    }

    /// Counts what others counted as well.
    pub fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(step, answers)| self.add(*step, *answers));
    }

    /// The time in milliseconds that half of the answers did not take longer than, to a fifth at worst; `None`
    /// without answers.
    pub fn median_ms(&self) -> Option<u64> {
        let total = self.0.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
        let mut before = total.checked_sub(1)? / 2;
        let (step, count) = self.0.iter().find(|(_, count)| {
            let is_here = before < **count;
            if !is_here {
                before -= **count;
            }
            is_here
        })?;
        // The answers of a step are taken to lie evenly in it.
        let (begin, end) = (TimeStep::begin(step.0), TimeStep::begin(step.0 + 1));
        let part = u128::from(end - begin) * (2 * u128::from(before) + 1) / (2 * u128::from(*count));
        let middle = begin + u64::try_from(part).unwrap_or(0);
        Some(((middle + 512) >> 10).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times(of: &[u64]) -> AnswerTimes {
        let mut times = AnswerTimes::default();
        of.iter().for_each(|ms| times.add(TimeStep::of(Duration::from_millis(*ms)), 1));
        times
    }

    #[test]
    fn no_answers_have_no_median() {
        assert_eq!(times(&[]).median_ms(), None);
    }

    #[test]
    fn times_beyond_the_steps_count_at_their_ends() {
        assert_eq!(times(&[0]).median_ms(), Some(1));
        assert_eq!(TimeStep::of(Duration::MAX).number(), TimeStep::COUNT - 1);
        assert_eq!(TimeStep::from_number(TimeStep::COUNT), None);
        assert!(times(&[u64::MAX]).median_ms() > Some(1 << 29));
    }

    proptest! {
        #[test]
        fn a_longer_time_is_never_in_an_earlier_step(one in 0_u64..1 << 31, other in 0_u64..1 << 31) {
            let step = |ms| TimeStep::of(Duration::from_millis(ms));
            prop_assert!(step(one.min(other)) <= step(one.max(other)));
        }

        #[test]
        fn a_median_is_that_of_the_times_to_a_fifth(mut of in prop::collection::vec(1_u64..10_000_000, 1..60)) {
            let told = times(&of).median_ms().unwrap();
            of.sort_unstable();
            let exact = of[(of.len() - 1) / 2];
            prop_assert!(told.abs_diff(exact) <= exact / 5 + 1, "{told} for {exact}");
        }
    }
}
