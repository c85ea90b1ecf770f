//! The test over all questions together. If nothing changed, the answers to one question are exchangeable: which of them are
//! called the draft's says nothing. So the labels are exchanged within each question, in every way or in many, and what is
//! counted is how many labelings set the sides as far apart as the true one.

use sha2::{Digest as _, Sha256};

/// As many labelings are all looked at; of more, some are drawn.
const ALL_MAX: u64 = 100_000;
/// Labelings that are drawn where there are more.
const DRAWS: usize = 20_000;
/// Values this near count as the same.
const TIE: f64 = 1e-9;

/// The good answers to one question.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// Answers of Live, which stand first.
    pub live: usize,
    pub draft: usize,
    /// Distances between any two answers.
    pub distances: Vec<Vec<f64>>,
}

impl Group {
    const fn size(&self) -> usize {
        self.live + self.draft
    }

    /// Mean distance between the sides less the mean distance within Live, when `is_draft` says which answers are the draft's.
    fn excess(&self, is_draft: &[bool]) -> f64 {
        let (mut between, mut within, mut crossings, mut pairs) = (0.0, 0.0, 0_u32, 0_u32);
        for (at, row) in self.distances.iter().enumerate() {
            for (other, distance) in row.iter().enumerate().skip(at + 1) {
                if is_draft[at] != is_draft[other] {
                    between += distance;
                    crossings += 1;
                } else if !is_draft[at] {
                    within += distance;
                    pairs += 1;
                }
            }
        }
        between / f64::from(crossings.max(1)) - within / f64::from(pairs.max(1))
    }

    /// What each answer weighs in the difference of the sides' mean features.
    fn weights(&self, is_draft: &[bool]) -> Vec<f64> {
        let (live, draft) = (share_of(self.live), share_of(self.draft));
        is_draft.iter().map(|draft_label| if *draft_label { draft } else { -live }).collect()
    }

    /// In how many ways its labels can be exchanged.
    fn ways(&self) -> u64 {
        (0..self.draft as u64).fold(1_u64, |ways, at| {
            ways.saturating_mul(self.size() as u64 - at).checked_div(at + 1).unwrap_or(1)
        })
    }

    /// Every way, the true one first.
    fn labelings(&self) -> Vec<Vec<bool>> {
        let truth = self.truth();
        let mut all = vec![truth.clone()];
        let mut next = truth;
        while step_back(&mut next) {
            all.push(next.clone());
        }
        all
    }

    fn truth(&self) -> Vec<bool> {
        (0..self.size()).map(|at| at >= self.live).collect()
    }
}

fn share_of(count: usize) -> f64 {
    1.0 / f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX))
}

/// The next lower arrangement; false after the lowest. The true labeling, the draft last, is the highest when read from the end.
fn step_back(labels: &mut [bool]) -> bool {
    let Some(at) = labels.windows(2).position(|pair| !pair[0] && pair[1]) else { return false };
    labels.swap(at, at + 1);
    // What stands before is put back to where the enumeration of this part begins.
    let marks = labels[..at].iter().filter(|label| **label).count();
    labels[..at].iter_mut().enumerate().for_each(|(place, label)| *label = place >= at - marks);
    true
}

/// What the test found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TestResult {
    /// How likely labels that mean nothing look at least as different as these.
    pub p: f64,
    /// The smallest value it could have given.
    pub least: f64,
    /// Labelings that were looked at.
    pub labelings: usize,
    /// Whether these are all there are.
    pub exact: bool,
}

/// Tests `groups`; `kernel` holds the inner products of the features of all answers, in the order of the groups. `seed` is
/// what the draws are made from: the questions and answers, in order. `None` without any group.
#[must_use]
pub(crate) fn test(groups: &[Group], kernel: &[Vec<f64>], seed: &[&str]) -> Option<TestResult> {
    if groups.is_empty() {
        return None;
    }
    let ways = groups.iter().fold(1_u64, |ways, group| ways.saturating_mul(group.ways()));
    let exact = ways <= ALL_MAX;
    let values = if exact { all_values(groups, kernel) } else { drawn_values(groups, kernel, seed) };
    let labelings = values.len();
    let count = share_of(labelings);
    Some(TestResult { p: p_value(&values), least: count, labelings, exact })
}

/// The two statistics of one labeling.
type Statistics = (f64, f64);

/// The share of labelings whose smaller rank is at most that of the first, which is the true one.
fn p_value(values: &[Statistics]) -> f64 {
    let (distance, length) = values[0];
    let at_least = |value: f64, of: fn(&Statistics) -> f64| {
        values.iter().filter(|other| of(other) >= value - TIE).count()
    };
    let best = at_least(distance, |one| one.0).min(at_least(length, |one| one.1));
    let (bound, other_bound) = (bound(values, best, |one| one.0), bound(values, best, |one| one.1));
    let hits = values.iter().filter(|one| one.0 - TIE > bound || one.1 - TIE > other_bound).count();
    hits as f64 / values.len() as f64
}

/// A value has at most rank `best` when it lies above this: the highest value that is not among the `best` highest.
fn bound(values: &[Statistics], best: usize, of: fn(&Statistics) -> f64) -> f64 {
    let mut sorted: Vec<f64> = values.iter().map(of).collect();
    if best >= sorted.len() {
        return f64::NEG_INFINITY;
    }
    *sorted.select_nth_unstable_by(best, |one, other| other.total_cmp(one)).1
}

/// The statistics of every labeling, the true one first.
fn all_values(groups: &[Group], kernel: &[Vec<f64>]) -> Vec<Statistics> {
    let mut choices: Vec<Vec<Choice>> = Vec::new();
    let (mut first, mut column) = (0, 0);
    for group in groups {
        let of_group = group.labelings().into_iter().map(|labels| {
            let weights = group.weights(&labels);
            let image = kernel.iter().map(|row| dot(&row[first..first + group.size()], &weights)).collect();
            column += 1;
            Choice { column: column - 1, first, excess: group.excess(&labels), weights, image }
        });
        choices.push(of_group.collect());
        first += group.size();
    }
    let all: Vec<&Choice> = choices.iter().flatten().collect();
    let product =
        |one: &Choice, other: &Choice| dot(&one.image[other.first..][..other.weights.len()], &other.weights);
    let products: Vec<Vec<f64>> =
        all.iter().map(|one| all.iter().map(|other| product(one, other)).collect()).collect();
    let mut walk = Walk { choices: &choices, products: &products, values: Vec::new() };
    let mut crossings = vec![vec![0.0; column]; groups.len() + 1];
    walk.go(0, (0.0, 0.0), &mut crossings);
    walk.values
}

/// One way of labeling one group.
struct Choice {
    column: usize,
    first: usize,
    excess: f64,
    weights: Vec<f64>,
    /// The kernel times the weights, for every answer.
    image: Vec<f64>,
}

/// Goes through all ways, with everything carried along that earlier groups settle.
struct Walk<'a> {
    choices: &'a [Vec<Choice>],
    products: &'a [Vec<f64>],
    values: Vec<Statistics>,
}

impl Walk<'_> {
    /// `crossings[at]` holds for each later choice its products with the choices made so far.
    fn go(&mut self, at: usize, sum: Statistics, crossings: &mut [Vec<f64>]) {
        let Some(choices) = self.choices.get(at) else {
            self.values.push(sum);
            return;
        };
        for choice in choices {
            let own = &self.products[choice.column];
            let length = sum.1 + 2.0 * crossings[at][choice.column] + own[choice.column];
            if at + 1 < self.choices.len() {
                let later = self.choices[at + 1][0].column;
                let (before, after) = crossings.split_at_mut(at + 1);
                let (from, to, add) = (&before[at][later..], &mut after[0][later..], &own[later..]);
                for ((to, from), add) in to.iter_mut().zip(from).zip(add) {
                    *to = from + add;
                }
            }
            self.go(at + 1, (sum.0 + choice.excess, length), crossings);
        }
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The statistics of one labeling, worked out from nothing but their definition.
fn statistics(groups: &[Group], kernel: &[Vec<f64>], labels: &[Vec<bool>]) -> Statistics {
    let each = || groups.iter().zip(labels);
    let distance = each().map(|(group, labels)| group.excess(labels)).sum();
    let weights: Vec<f64> = each().flat_map(|(group, labels)| group.weights(labels)).collect();
    let length = kernel.iter().zip(&weights).map(|(row, weight)| weight * dot(row, &weights)).sum();
    (distance, length)
}

/// The statistics of the true labeling and of those that are drawn.
fn drawn_values(groups: &[Group], kernel: &[Vec<f64>], seed: &[&str]) -> Vec<Statistics> {
    let mut random = Random::new(seed);
    let mut labels: Vec<Vec<bool>> = groups.iter().map(Group::truth).collect();
    let mut values = vec![statistics(groups, kernel, &labels)];
    for _ in 0..DRAWS {
        labels.iter_mut().for_each(|labels| random.shuffle(labels));
        values.push(statistics(groups, kernel, &labels));
    }
    values
}

/// Numbers that look random and are the same for the same answers (SplitMix64).
struct Random(u64);

impl Random {
    /// Each text with its length before it, so that no two lists of texts have the same digest.
    fn new(texts: &[&str]) -> Self {
        let mut digest = Sha256::new();
        for text in texts {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text.as_bytes());
        }
        let bytes = digest.finalize();
        Self(bytes.iter().take(8).fold(0, |seed, byte| seed << 8 | u64::from(*byte)))
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn shuffle(&mut self, labels: &mut [bool]) {
        for at in (1..labels.len()).rev() {
            // The remainder favours small numbers by less than one part in 10^18.
            let other = usize::try_from(self.next() % (at as u64 + 1)).unwrap_or(0);
            labels.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Groups whose answers are points in a plane, so that distances and products belong together.
    fn make(points: &[Vec<(f64, f64)>], draft: usize) -> (Vec<Group>, Vec<Vec<f64>>) {
        let all: Vec<(f64, f64)> = points.iter().flatten().copied().collect();
        let product = |one: &(f64, f64), other: &(f64, f64)| one.0 * other.0 + one.1 * other.1;
        let kernel = all.iter().map(|one| all.iter().map(|other| product(one, other)).collect()).collect();
        let groups = points.iter().map(|points| Group {
            live: points.len() - draft,
            draft,
            distances: points
                .iter()
                .map(|one| points.iter().map(|other| (one.0 - other.0).hypot(one.1 - other.1)).collect())
                .collect(),
        });
        (groups.collect(), kernel)
    }

    /// The value as its definition says it, with every rank counted anew.
    fn slow_p_value(groups: &[Group], kernel: &[Vec<f64>]) -> f64 {
        let mut all: Vec<Vec<Vec<bool>>> = vec![Vec::new()];
        for group in groups {
            let size = group.size();
            let masks = (0_u32..1 << size).filter(|mask| mask.count_ones() as usize == group.draft);
            let labelings: Vec<Vec<bool>> =
                masks.map(|mask| (0..size).map(|at| mask >> at & 1 == 1).collect()).collect();
            all = all
                .iter()
                .flat_map(|before| labelings.iter().map(|one| [before.clone(), vec![one.clone()]].concat()))
                .collect();
        }
        let values: Vec<Statistics> = all.iter().map(|labels| statistics(groups, kernel, labels)).collect();
        let rank = |value: &Statistics| {
            let distance = values.iter().filter(|other| other.0 >= value.0 - TIE).count();
            distance.min(values.iter().filter(|other| other.1 >= value.1 - TIE).count())
        };
        let truth: Vec<Vec<bool>> = groups.iter().map(Group::truth).collect();
        let observed = rank(&statistics(groups, kernel, &truth));
        let hits = values.iter().filter(|value| rank(value) <= observed).count();
        hits as f64 / values.len() as f64
    }

    #[test]
    fn every_labeling_is_met_once() {
        let group = Group { live: 3, draft: 2, distances: Vec::new() };
        let mut all = group.labelings();
        assert_eq!((all.len() as u64, &all[0]), (group.ways(), &vec![false, false, false, true, true]));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 10);
        assert!(all.iter().all(|labels| labels.iter().filter(|label| **label).count() == 2));
    }

    #[test]
    fn a_shift_in_every_question_is_found_and_noise_is_not() {
        let shifted = vec![vec![(0.0, 0.0), (0.1, 0.0), (5.0, 5.0)]; 6];
        let (groups, kernel) = make(&shifted, 1);
        let found = test(&groups, &kernel, &[]).unwrap();
        assert!(found.exact && found.labelings == 729 && found.p < 0.01, "{found:?}");
        let alike = vec![vec![(0.0, 0.0), (5.0, 5.0), (0.0, 0.1)]; 6];
        let (groups, kernel) = make(&alike, 1);
        assert!(test(&groups, &kernel, &[]).unwrap().p > 0.2);
    }

    #[test]
    fn many_labelings_are_drawn_and_the_same_answers_give_the_same_value() {
        let points = vec![vec![(0.0, 1.0), (0.3, 1.0), (0.1, 0.8), (0.2, 0.2), (0.9, 0.4)]; 6];
        let (groups, kernel) = make(&points, 2);
        let found = test(&groups, &kernel, &["a", "b"]).unwrap();
        assert_eq!((found.exact, found.labelings), (false, DRAWS + 1));
        assert_eq!(test(&groups, &kernel, &["a", "b"]).unwrap(), found);
        assert!(found.p >= found.least);
    }

    #[test]
    fn seeds_tell_lists_of_texts_apart() {
        assert_ne!(Random::new(&["ab", "c"]).next(), Random::new(&["a", "bc"]).next());
    }

    fn points() -> impl Strategy<Value = (Vec<Vec<(f64, f64)>>, usize)> {
        let point = (0_i32..4, 0_i32..4).prop_map(|(x, y)| (f64::from(x), f64::from(y)));
        (1_usize..=2, 1_usize..=3).prop_flat_map(move |(draft, questions)| {
            let answers = prop::collection::vec(point.clone(), draft + 2);
            (prop::collection::vec(answers, questions), Just(draft))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_fast_test_gives_what_the_definition_says((points, draft) in points()) {
            let (groups, kernel) = make(&points, draft);
            let found = test(&groups, &kernel, &[]).unwrap();
            prop_assert!((found.p - slow_p_value(&groups, &kernel)).abs() < 1e-12);
            prop_assert!(found.exact && found.p >= found.least - 1e-12 && found.p <= 1.0);
        }

        #[test]
        fn the_order_of_questions_does_not_matter((points, draft) in points()) {
            let (groups, kernel) = make(&points, draft);
            let turned: Vec<_> = points.iter().rev().cloned().collect();
            let (others, other_kernel) = make(&turned, draft);
            let (one, other) = (test(&groups, &kernel, &[]), test(&others, &other_kernel, &[]));
            prop_assert!((one.unwrap().p - other.unwrap().p).abs() < 1e-12);
        }
    }
}
