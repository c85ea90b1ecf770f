//! What of an earlier run stays as it is when one of its steps is run again.
//!
//! A walk is told of the earlier run as far as that goes, and then knows of each step what came before it. A step stays
//! when it came before the one that is run again, or when nothing leads from that one to it: neither what it ran after,
//! nor an edge that may be decided otherwise now.

use super::place::StepPlace;
use super::step::{State, StepEnd, StepId};
use super::{Next, Walk};
use crate::engine::agentflow::graph::{Graph, NodeIndex};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A step of an earlier run, as far as a walk depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EarlierStep {
    pub(crate) end: StepEnd,
    /// How many items it had, and how many of them at once, where it is an iteration.
    pub(crate) items: Option<(usize, usize)>,
}

/// What stays of an earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Takeover {
    /// Steps that stay as they are.
    pub(crate) kept: HashSet<StepPlace>,
    /// The iterations around the step that is run again: they keep their items, and end anew.
    pub(crate) entered: HashSet<StepPlace>,
}

/// The step that is run again and the iterations around it, each with the pass that it stands in.
struct Chain {
    steps: Vec<StepId>,
    regions: Vec<Vec<bool>>,
}

impl Takeover {
    /// What stays when the newest step of a card is run again; of those in an iteration the newest of this item, where one
    /// is named. `None` when the graph does not lead to it with what stays.
    pub(crate) fn choose(
        graph: &Arc<Graph>,
        earlier: &HashMap<StepPlace, EarlierStep>,
        card: NodeIndex,
        item: Option<usize>,
    ) -> Option<Self> {
        let (walk, places) = Walk::retrace(graph.clone(), earlier);
        let is_meant = |step: &&StepId| {
            let begun = walk.step(**step).state != State::Ready;
            let of_item = |item| walk.item(**step).is_some_and(|(_, of)| of == item);
            begun && walk.node(**step) == card && item.is_none_or(of_item)
        };
        let steps: Vec<StepId> = (0..walk.steps.len()).map(StepId::new).collect();
        let newest = |step: &&StepId| places.get(*step).map(|place| (place.within.clone(), place.visit));
        let again = *steps.iter().filter(is_meant).max_by_key(newest)?;
        let chain = Chain::of(&walk, again);
        let mut chosen = Self::default();
        let mut fates: HashMap<StepId, Fate> = HashMap::new();
        for &step in &steps {
            let Some(place) = places.get(&step) else { continue };
            let fate = chain.judge(&walk, step, &fates);
            fates.insert(step, fate);
            // What failed the run, or the item that is gone into, is not to fail it again.
            let may_stay = |earlier: &EarlierStep| {
                let ends_other = || !chain.steps.iter().any(|&of| walk.is_beside(step, of));
                walk.is_retraceable(step, &earlier.end) && (earlier.end != StepEnd::Failed || ends_other())
            };
            match fate {
                Fate::Entered => drop(chosen.entered.insert(place.clone())),
                Fate::Kept if chosen.holds_owners(place) && earlier.get(place).is_some_and(may_stay) => {
                    chosen.kept.insert(place.clone());
                }
                Fate::Kept | Fate::Follows => {}
            }
        }
        Some(chosen)
    }

    /// True when the iterations around a step stay, or are gone into: the steps of one that runs again run again too.
    fn holds_owners(&self, place: &StepPlace) -> bool {
        place.within.iter().enumerate().all(|(depth, around)| {
            let within = place.within[..depth].to_vec();
            let owner = StepPlace { within, node: around.node, visit: around.visit };
            self.kept.contains(&owner) || self.entered.contains(&owner)
        })
    }
}

/// What becomes of a step of an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Entered,
    /// It comes after the step that is run again, or might.
    Follows,
}

impl Chain {
    fn of(walk: &Walk, again: StepId) -> Self {
        let owners = std::iter::successors(Some(again), |&step| walk.item(step).map(|(owner, _)| owner));
        let steps: Vec<StepId> = owners.collect();
        let regions = steps.iter().map(|&step| walk.graph.region(&[walk.node(step)])).collect();
        Self { steps, regions }
    }

    fn judge(&self, walk: &Walk, step: StepId, fates: &HashMap<StepId, Fate>) -> Fate {
        // The step itself, or the iteration around it that stands beside one of the chain.
        let mut beside = step;
        let level = loop {
            if let Some(level) = self.steps.iter().position(|&of| walk.is_beside(beside, of)) {
                break level;
            }
            match walk.item(beside) {
                Some((owner, _)) => beside = owner,
                None => return Fate::Follows,
            }
        };
        let again = self.steps[level];
        if beside == again {
            return match level {
                0 => Fate::Follows,
                // Another item of an iteration that is gone into.
                _ if step != beside => Fate::Kept,
                _ => Fate::Entered,
            };
        }
        if let Some(known) = fates.get(&beside) {
            return *known;
        }
        let (other, steps) = (walk.step(beside), &walk.pass(walk.step(beside).pass).steps);
        if walk.step(again).past.contains(other.local) {
            return Fate::Kept;
        }
        let follows = |before: StepId| before == again || fates.get(&before) == Some(&Fate::Follows);
        let is_reached = self.regions[level][walk.graph.node(other.node).local];
        let follows = is_reached || other.past.iter().any(|local| follows(steps[local]));
        if follows { Fate::Follows } else { Fate::Kept }
    }
}

impl Walk {
    /// True for steps of one pass.
    fn is_beside(&self, one: StepId, other: StepId) -> bool {
        self.step(one).pass == self.step(other).pass
    }

    /// Walks as an earlier run did, as far as that goes; with the places of all steps.
    fn retrace(
        graph: Arc<Graph>,
        earlier: &HashMap<StepPlace, EarlierStep>,
    ) -> (Self, HashMap<StepId, StepPlace>) {
        let mut walk = Self::new(graph, usize::MAX);
        let mut places = HashMap::new();
        while let Some(next) = walk.next() {
            let (Next::Start(step) | Next::Breach(step) | Next::Close(step)) = next;
            let place = walk.place(step);
            let found = earlier.get(&place);
            places.insert(step, place);
            // A canvas that changed may refuse what it is told; the step is then under way for ever.
            let _ = match (next, found) {
                (Next::Close(_), _) if walk.is_cancelled(step) => walk.end(step, StepEnd::Cancelled),
                (Next::Start(_), Some(EarlierStep { items: Some((count, at_once)), .. })) => {
                    walk.open(step, *count, *at_once)
                }
                (Next::Start(_) | Next::Close(_), Some(EarlierStep { end, .. }))
                    if walk.is_retraceable(step, end) =>
                {
                    walk.end(step, end.clone())
                }
                _ => Ok(()),
            };
            for step in walk.take_cancelled() {
                let _ = walk.end(step, StepEnd::Cancelled);
            }
        }
        (walk, places)
    }

    /// True for an end that another walk can be told of. What failed the run is to be run again in any case; what failed an
    /// item did not.
    fn is_retraceable(&self, step: StepId, end: &StepEnd) -> bool {
        match end {
            StepEnd::Done | StepEnd::Outputs(_) | StepEnd::ErrorOutput | StepEnd::Jump => true,
            StepEnd::Failed => self.item(step).is_some(),
            StepEnd::Paused | StepEnd::Cancelled => false,
        }
    }
}
