//! What befalls each step of a test, decided by its name alone, so that two ways to run a drawing see the same.

use crate::engine::agentflow::drawing::{Drawing, From};
use crate::engine::agentflow::graph::{ITERATION, LOOP};
use crate::engine::agentflow::walk::StepEnd;

/// The name of a step, the same in every run: the iterations around it (card, visit, item), its card, its visit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) path: Vec<(usize, usize, usize)>,
    pub(super) node: usize,
    pub(super) visit: usize,
}

/// A generator of numbers that look random (splitmix64).
#[derive(Debug, Clone)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound.max(1) as u64) as usize
    }

    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// How often what happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Odds {
    pub(super) seed: u64,
    pub(super) failures: usize,
    pub(super) pauses: usize,
}

impl Odds {
    fn random(&self, key: &Key, purpose: u64) -> Random {
        let mut random = Random(self.seed ^ purpose.wrapping_mul(0x1234_5678_9abc_def1));
        let path = key.path.iter().flat_map(|&(node, visit, item)| [node, visit, item]);
        for part in path.chain([key.node, key.visit]) {
            random.0 = random.number() ^ part as u64;
        }
        random
    }

    pub(super) fn items(&self, key: &Key) -> usize {
        self.random(key, 1).below(4)
    }

    pub(super) fn concurrency(&self, key: &Key) -> usize {
        1 + self.random(key, 2).below(3)
    }

    /// How a step ends; a Loop asks to jump always.
    pub(super) fn end(&self, drawing: &Drawing, key: &Key, has_failed_items: bool) -> StepEnd {
        let mut random = self.random(key, 3);
        let name = drawing.cards[key.node].name;
        if name == LOOP {
            return StepEnd::Jump;
        }
        let has = |wanted: fn(&From) -> bool| {
            drawing.edges.iter().any(|(from, _)| from.card() == key.node && wanted(from))
        };
        let has_choices = has(|from| matches!(from, From::Choice(..)));
        if has(|from| matches!(from, From::Error(_))) && random.percent(40) {
            return StepEnd::ErrorOutput;
        }
        if random.percent(if has_failed_items { 30 } else { self.failures }) {
            return StepEnd::Failed;
        }
        if name != ITERATION && random.percent(self.pauses) {
            return StepEnd::Paused;
        }
        if !has_choices {
            return StepEnd::Done;
        }
        StepEnd::Outputs((0..3).filter(|_| random.percent(45)).collect())
    }
}

/// One entry of a record, with the places in it of what the step was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) end: StepEnd,
    pub(super) parents: Vec<usize>,
    pub(super) past: Vec<usize>,
}

/// The record without what stands behind an entry that failed its run or item: that part depends on what had begun.
pub(super) fn drop_begun(record: Vec<Entry>) -> Vec<Entry> {
    let mut closed: Vec<Vec<(usize, usize, usize)>> = Vec::new();
    let mut places: Vec<Option<usize>> = Vec::new();
    let mut kept: Vec<Entry> = Vec::new();
    for mut entry in record {
        let is_dropped = closed.iter().any(|path| entry.key.path.starts_with(path));
        places.push((!is_dropped).then_some(kept.len()));
        if is_dropped {
            continue;
        }
        if entry.end == StepEnd::Failed {
            closed.push(entry.key.path.clone());
        }
        for shown in [&mut entry.parents, &mut entry.past] {
            *shown = shown.iter().filter_map(|&place| places[place]).collect();
        }
        kept.push(entry);
    }
    kept
}
