//! A run as its rules say it, one step after another from a first-in first-out queue. It shares nothing with the walk.

use super::fates::{Entry, Key, Odds};
use crate::engine::agentflow::drawing::{Drawing, From};
use crate::engine::agentflow::graph::{ITERATION, START};
use crate::engine::agentflow::walk::StepEnd;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Places in the record.
type Places = BTreeSet<usize>;

#[derive(Debug, Clone)]
struct Task {
    key: Key,
    parents: Vec<usize>,
    past: Places,
    items: Option<Vec<Worker>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Edge {
    Open,
    Dead,
    Taken(usize),
}

#[derive(Debug, Clone)]
struct Worker {
    path: Vec<(usize, usize, usize)>,
    edges: BTreeMap<(usize, usize), Edge>,
    queue: VecDeque<Task>,
    paused: Vec<(usize, Task)>,
    held: Vec<Task>,
    /// Loops to go back, by their entries.
    jumps: Vec<usize>,
    counts: BTreeMap<usize, u32>,
    visits: BTreeMap<usize, usize>,
    has_failed: bool,
}

pub(super) struct Interpreter<'a> {
    drawing: &'a Drawing,
    odds: Odds,
    pub(super) record: Vec<StoryLine>,
    root: Worker,
}

pub(super) struct StoryLine {
    key: Key,
    end: StepEnd,
    parents: Vec<usize>,
    past: Places,
}

impl<'a> Interpreter<'a> {
    pub(super) fn run(drawing: &'a Drawing, odds: Odds) -> Self {
        let mut run = Self {
            drawing,
            odds,
            record: Vec::new(),
            root: Worker::new(drawing, None, Vec::new(), &Places::new()),
        };
        run.go_on();
        run
    }

    fn go_on(&mut self) {
        let mut root = self.root.clone();
        self.work(&mut root);
        self.root = root;
    }

    /// Entries that wait for an answer, in the order of the record.
    pub(super) fn pauses(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.root.collect_pauses(&mut found);
        found.sort_unstable();
        found
    }

    pub(super) fn resume(&mut self, entries: &[usize]) {
        let mut root = self.root.clone();
        for &entry in entries {
            assert!(root.resume(entry));
        }
        self.root = root;
        self.go_on();
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let entry = |told: &StoryLine| Entry {
            key: told.key.clone(),
            end: told.end.clone(),
            parents: told.parents.clone(),
            past: told.past.iter().copied().collect(),
        };
        self.record.iter().map(entry).collect()
    }

    fn work(&mut self, worker: &mut Worker) {
        while let Some(mut task) = worker.queue.pop_front() {
            let mut has_failed_items = false;
            if self.drawing.cards[task.key.node].name == ITERATION {
                let mut items = task.items.take().unwrap_or_default();
                let is_complete = self.work_items(&task, &mut items);
                has_failed_items = items.iter().any(|item| item.has_failed);
                task.items = Some(items);
                if !is_complete {
                    worker.held.push(task);
                    continue;
                }
            }
            let mut end = self.odds.end(self.drawing, &task.key, has_failed_items);
            if end == StepEnd::Jump {
                let count = worker.counts.get(&task.key.node).copied().unwrap_or_default();
                let rounds = self.drawing.cards[task.key.node].rounds.as_u64().unwrap() as u32;
                if count + 1 >= rounds {
                    end = StepEnd::Done;
                }
            }
            let place = self.record.len();
            let (key, parents, past) = (task.key.clone(), task.parents.clone(), task.past.clone());
            self.record.push(StoryLine { key, end: end.clone(), parents, past });
            match end {
                StepEnd::Failed => {
                    worker.has_failed = true;
                    worker.queue.clear();
                    worker.paused.clear();
                    worker.held.clear();
                    return;
                }
                StepEnd::Paused => worker.paused.push((place, task)),
                StepEnd::Jump => worker.jumps.push(place),
                _ => self.resolve(worker, &task.key, place, &end),
            }
            self.judge(worker);
        }
    }

    /// Item after item; true when all have ended.
    fn work_items(&mut self, task: &Task, items: &mut Vec<Worker>) -> bool {
        let (count, concurrency) = (self.odds.items(&task.key), self.odds.concurrency(&task.key));
        let mut is_complete = true;
        for item in 0..count {
            if items.len() <= item {
                let mut path = task.key.path.clone();
                path.push((task.key.node, task.key.visit, item));
                items.push(Worker::new(self.drawing, Some(task.key.node), path, &task.past));
            }
            self.work(&mut items[item]);
            if items[item].waits() {
                is_complete = false;
                if concurrency == 1 {
                    break;
                }
            }
        }
        is_complete
    }

    fn resolve(&mut self, worker: &mut Worker, key: &Key, place: usize, end: &StepEnd) {
        let mut skipped = VecDeque::new();
        for follower in followers(self.drawing, key.node) {
            let leaves = |&(from, to): &(From, usize)| {
                from.card() == key.node
                    && to == follower
                    && match (end, from) {
                        (StepEnd::ErrorOutput, from) => matches!(from, From::Error(_)),
                        (StepEnd::Outputs(taken), From::Choice(_, choice)) => taken.contains(&choice),
                        (_, from) => !matches!(from, From::Error(_)),
                    }
            };
            let edge = if self.drawing.edges.iter().any(leaves) { Edge::Taken(place) } else { Edge::Dead };
            self.decide(worker, key.node, follower, edge, &mut skipped);
        }
        while let Some(node) = skipped.pop_front() {
            for follower in followers(self.drawing, node) {
                self.decide(worker, node, follower, Edge::Dead, &mut skipped);
            }
        }
    }

    fn decide(
        &mut self,
        worker: &mut Worker,
        from: usize,
        to: usize,
        edge: Edge,
        skipped: &mut VecDeque<usize>,
    ) {
        worker.edges.insert((from, to), edge);
        let into: Vec<Edge> =
            worker.edges.iter().filter(|((_, target), _)| *target == to).map(|(_, edge)| *edge).collect();
        if into.contains(&Edge::Open) {
            return;
        }
        let mut parents: Vec<usize> = into
            .iter()
            .filter_map(|edge| if let Edge::Taken(place) = edge { Some(*place) } else { None })
            .collect();
        if parents.is_empty() {
            skipped.push_back(to);
            return;
        }
        parents.sort_unstable();
        let past = parents.iter().flat_map(|&parent| self.with_past(parent)).collect();
        worker.enqueue(to, parents, past);
    }

    /// The entry, all it contains, and all before it.
    fn with_past(&self, place: usize) -> Places {
        let told = &self.record[place];
        let mut places = told.past.clone();
        places.insert(place);
        let depth = told.key.path.len();
        let inside = |key: &Key| {
            let around = key.path.get(depth);
            key.path.starts_with(&told.key.path)
                && around.is_some_and(|&(node, visit, _)| (node, visit) == (told.key.node, told.key.visit))
        };
        places.extend((0..self.record.len()).filter(|&at| inside(&self.record[at].key)));
        places
    }

    fn judge(&mut self, worker: &mut Worker) {
        let mut left: Vec<usize> = Vec::new();
        let mut waiting: VecDeque<usize> = std::mem::take(&mut worker.jumps).into();
        while let Some(place) = waiting.pop_front() {
            let node = self.record[place].key.node;
            let region = self.region(node);
            let is_open = |node: &usize| {
                worker.queue.iter().any(|task| task.key.node == *node)
                    || worker.paused.iter().any(|(_, task)| task.key.node == *node)
                    || worker.held.iter().any(|task| task.key.node == *node)
            };
            let comes_in = |((from, to), edge): (&(usize, usize), &Edge)| {
                *edge == Edge::Open && !region.contains(from) && region.contains(to)
            };
            let waits_for_earlier =
                left.iter().any(|&earlier| !self.region(self.record[earlier].key.node).is_disjoint(&region));
            if waits_for_earlier || region.iter().any(is_open) || worker.edges.iter().any(comes_in) {
                left.push(place);
                continue;
            }
            *worker.counts.entry(node).or_default() += 1;
            worker
                .edges
                .iter_mut()
                .filter(|((from, _), _)| region.contains(from))
                .for_each(|(_, edge)| *edge = Edge::Open);
            let path = &worker.path;
            let ran = (0..self.record.len()).filter(|&at| {
                self.record[at].key.path == *path && region.contains(&self.record[at].key.node)
            });
            let past: Places = ran.flat_map(|at| self.with_past(at)).collect();
            for target in self.targets(node) {
                let is_open = worker.edges.iter().any(|((_, to), edge)| *to == target && *edge == Edge::Open);
                if !is_open {
                    worker.enqueue(target, vec![place], past.clone());
                }
            }
            waiting.retain(|&later| !region.contains(&self.record[later].key.node));
        }
        worker.jumps = left;
    }

    fn targets(&self, back: usize) -> Vec<usize> {
        let target = self.drawing.cards[back].back.unwrap();
        if self.drawing.cards[target].name == START { followers(self.drawing, target) } else { vec![target] }
    }

    fn region(&self, back: usize) -> BTreeSet<usize> {
        let mut region = BTreeSet::new();
        let mut open = self.targets(back);
        while let Some(node) = open.pop() {
            if region.insert(node) {
                open.extend(followers(self.drawing, node));
            }
        }
        region
    }
}

impl Worker {
    fn new(
        drawing: &Drawing,
        container: Option<usize>,
        path: Vec<(usize, usize, usize)>,
        past: &Places,
    ) -> Self {
        let is_here = |node: usize| drawing.cards[node].parent == container;
        let edges: BTreeMap<(usize, usize), Edge> = drawing
            .edges
            .iter()
            .filter(|(_, to)| is_here(*to))
            .map(|&(from, to)| ((from.card(), to), Edge::Open))
            .collect();
        let starts: Vec<usize> = (0..drawing.cards.len())
            .filter(|&node| is_here(node) && !edges.keys().any(|(_, to)| *to == node))
            .collect();
        let mut worker = Self {
            path,
            edges,
            queue: VecDeque::new(),
            paused: Vec::new(),
            held: Vec::new(),
            jumps: Vec::new(),
            counts: BTreeMap::new(),
            visits: BTreeMap::new(),
            has_failed: false,
        };
        starts.into_iter().for_each(|node| worker.enqueue(node, Vec::new(), past.clone()));
        worker
    }

    fn enqueue(&mut self, node: usize, parents: Vec<usize>, past: Places) {
        let count = self.visits.entry(node).or_default();
        let key = Key { path: self.path.clone(), node, visit: *count };
        *count += 1;
        self.queue.push_back(Task { key, parents, past, items: None });
    }

    fn waits(&self) -> bool {
        !self.paused.is_empty() || !self.held.is_empty()
    }

    fn collect_pauses(&self, found: &mut Vec<usize>) {
        found.extend(self.paused.iter().map(|(place, _)| *place));
        let items = self.held.iter().flat_map(|task| task.items.iter().flatten());
        items.for_each(|item| item.collect_pauses(found));
    }

    fn resume(&mut self, entry: usize) -> bool {
        if let Some(at) = self.paused.iter().position(|(place, _)| *place == entry) {
            let (place, task) = self.paused.remove(at);
            let past = task.past.into_iter().chain([place]).collect();
            self.enqueue(task.key.node, task.parents, past);
            return true;
        }
        let within = |task: &mut Task| task.items.iter_mut().flatten().any(|item| item.resume(entry));
        if self.queue.iter_mut().any(within) {
            return true;
        }
        let Some(at) = self.held.iter_mut().position(within) else { return false };
        let task = self.held.remove(at);
        self.queue.push_back(task);
        true
    }
}

/// The cards behind one, in the order in which edges to them were drawn first.
fn followers(drawing: &Drawing, node: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for &(from, to) in &drawing.edges {
        if from.card() == node && !found.contains(&to) {
            found.push(to);
        }
    }
    found
}
