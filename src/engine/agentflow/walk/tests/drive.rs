//! Drives a walk as an executor would, with steps that end in any order.

use super::fates::{Entry, Key, Odds, Random};
use crate::engine::agentflow::drawing::Drawing;
use crate::engine::agentflow::graph::{Graph, ITERATION};
use crate::engine::agentflow::walk::{
    EarlierStep, Misfit, Next, Standing, StepEnd, StepId, StepPlace, Takeover, Walk,
};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) struct Driver<'a> {
    drawing: &'a Drawing,
    odds: Odds,
    random: Random,
    branches: usize,
    pub(super) walk: Walk,
    running: Vec<StepId>,
    shown: HashMap<StepId, [Vec<StepId>; 2]>,
    record: Vec<StepId>,
    /// What it takes over of an earlier run, and what it ran itself.
    taken: Takeover,
    earlier: HashMap<StepPlace, EarlierStep>,
    pub(super) ran: Vec<StepPlace>,
}

impl<'a> Driver<'a> {
    pub(super) fn new(drawing: &'a Drawing, graph: Arc<Graph>, odds: Odds, branches: usize) -> Self {
        let random = Random(odds.seed ^ branches as u64);
        let walk = Walk::new(graph, branches);
        let (running, shown, record) = (Vec::new(), HashMap::new(), Vec::new());
        let (taken, earlier, ran) = Default::default();
        Self { drawing, odds, random, branches, walk, running, shown, record, taken, earlier, ran }
    }

    /// As [`Self::new`], with what stays of an earlier run.
    pub(super) fn rerun(self, taken: Takeover, earlier: HashMap<StepPlace, EarlierStep>) -> Self {
        Self { taken, earlier, ..self }
    }

    pub(super) fn key(&self, step: StepId) -> Key {
        let path = std::iter::successors(self.walk.item(step), |&(owner, _)| self.walk.item(owner));
        let mut path: Vec<_> =
            path.map(|(owner, item)| (self.walk.node(owner).at(), self.walk.visit(owner), item)).collect();
        path.reverse();
        Key { path, node: self.walk.node(step).at(), visit: self.walk.visit(step) }
    }

    /// Runs until nothing goes on.
    pub(super) fn run(&mut self) {
        loop {
            while !self.running.is_empty() && self.random.percent(30) {
                self.end_one();
            }
            let Some(next) = self.walk.next() else {
                if self.running.is_empty() {
                    break;
                }
                self.end_one();
                continue;
            };
            match next {
                Next::Start(step) => self.start(step),
                Next::Breach(step) => panic!("{step:?} is no breach"),
                Next::Close(step) => self.close(step),
            }
        }
        self.drain();
        assert_ne!(self.walk.standing(), Standing::Open, "the run waits for nothing");
    }

    fn start(&mut self, step: StepId) {
        self.running.push(step);
        let is_plain = |step: &&StepId| self.drawing.cards[self.walk.node(**step).at()].name != ITERATION;
        assert!(self.running.iter().filter(is_plain).count() <= self.branches);
        let past: Vec<StepId> = self.walk.past(step).iter().collect();
        let mut back: Vec<StepId> = self.walk.past(step).newest_first().collect();
        back.reverse();
        assert_eq!(past, back);
        self.shown.insert(step, [self.walk.parents(step).to_vec(), past]);
        let place = self.walk.place(step);
        let earlier = self.earlier.get(&place);
        if self.taken.kept.contains(&place) || self.taken.entered.contains(&place) {
            self.running.retain(|&running| running != step);
            let EarlierStep { end, items } = earlier.unwrap().clone();
            match items {
                Some((count, at_once)) => self.walk.open(step, count, at_once).unwrap(),
                None => self.walk.end(step, end).unwrap(),
            }
            self.drain();
        } else {
            self.ran.push(place);
        }
    }

    /// What another walk is told of this one.
    pub(super) fn told(&self) -> HashMap<StepPlace, EarlierStep> {
        let step = |&step: &StepId| {
            let key = self.key(step);
            let is_iteration = self.drawing.cards[key.node].name == ITERATION;
            let items = is_iteration.then(|| (self.odds.items(&key), self.odds.concurrency(&key)));
            let end = self.walk.ending(step).unwrap().clone();
            (self.walk.place(step), EarlierStep { end, items })
        };
        let decided = |(_, step): &(StepPlace, EarlierStep)| {
            step.items.is_some() || !matches!(step.end, StepEnd::Paused | StepEnd::Cancelled)
        };
        self.record.iter().map(step).filter(decided).collect()
    }

    /// The places of the steps of the record.
    pub(super) fn places(&self) -> Vec<StepPlace> {
        self.record.iter().map(|&step| self.walk.place(step)).collect()
    }

    fn end_one(&mut self) {
        let step = self.running.swap_remove(self.random.below(self.running.len()));
        let key = self.key(step);
        self.walk.take_cancelled();
        let is_cancelled = self.walk.is_cancelled(step);
        if self.drawing.cards[key.node].name == ITERATION {
            self.walk.open(step, self.odds.items(&key), self.odds.concurrency(&key)).unwrap();
            self.drain();
            return;
        }
        let mut end = self.odds.end(self.drawing, &key, false);
        if is_cancelled && self.random.percent(50) {
            end = StepEnd::Cancelled;
        }
        self.drain();
        let (place, is_front) = (self.record.len(), self.walk.may_stream(step));
        self.walk.end(step, end).unwrap();
        assert_eq!(self.walk.end(step, StepEnd::Done), Err(Misfit::NotUnderWay));
        self.drain();
        assert_eq!(
            is_front,
            self.record.get(place) == Some(&step),
            "it streams when all before it have ended"
        );
    }

    fn close(&mut self, step: StepId) {
        let key = self.key(step);
        let items = 0..self.odds.items(&key);
        let has_failed = items.into_iter().any(|item| self.walk.item_failure(step, item).is_some());
        let is_cancelled = self.walk.is_cancelled(step);
        let end =
            if is_cancelled { StepEnd::Cancelled } else { self.odds.end(self.drawing, &key, has_failed) };
        self.walk.end(step, end).unwrap();
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(step) = self.walk.next_entry() {
            self.record.push(step);
        }
    }

    /// Answers the pauses at these places among the open ones.
    pub(super) fn resume(&mut self, places: &[usize]) {
        if self.random.percent(50) {
            let graph = self.walk.graph().clone();
            let text = serde_json::to_string(self.walk.journal()).unwrap();
            let journal: Vec<_> = serde_json::from_str(&text).unwrap();
            let mut again = Walk::replay(graph, self.branches, &journal).unwrap();
            let record: Vec<StepId> = std::iter::from_fn(|| again.next_entry()).collect();
            assert_eq!(record, self.record, "a walk that is replayed has the same record");
            assert_eq!(again.journal(), journal);
            self.walk = again;
        }
        let pauses = self.walk.pauses();
        for &place in places {
            self.walk.resume(pauses[place]).unwrap();
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let places: HashMap<StepId, usize> =
            self.record.iter().enumerate().map(|(place, &step)| (step, place)).collect();
        assert_eq!(places.len(), self.record.len(), "a step is told once");
        let entry = |&step: &StepId| {
            let [parents, past] =
                self.shown[&step].each_ref().map(|shown| shown.iter().map(|before| places[before]).collect());
            Entry { key: self.key(step), end: self.walk.ending(step).unwrap().clone(), parents, past }
        };
        self.record.iter().map(entry).collect()
    }
}
