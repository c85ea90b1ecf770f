//! An agentflow's drawing as numbers: cards, the edges between them, and what lies inside of which iteration.

mod assemble;
mod checks;
mod compile;
mod loops;
mod problem;
#[cfg(test)]
mod tests;

pub(in crate::engine) use assemble::{PlainEdge, PlainNode};
pub(crate) use problem::{GraphFault, GraphProblem};

use crate::canvas::Canvas;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The card that every run begins with.
pub(crate) const START: &str = "startAgentflow";
/// The card that runs what is drawn inside of it once for each item of a list.
pub(crate) const ITERATION: &str = "iterationAgentflow";
/// The card that goes back to an earlier one.
pub(crate) const LOOP: &str = "loopAgentflow";
/// The card that answers and ends its branch.
pub(crate) const DIRECT_REPLY: &str = "directReplyAgentflow";

/// A card, by its place in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct NodeIndex(u32);

impl NodeIndex {
    pub(in crate::engine) const fn new(at: usize) -> Self {
        // A canvas of four thousand million cards fits into no request.
        Self(at as u32)
    }

    pub(in crate::engine) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// What is walked as one: the whole canvas, or the inside of an iteration. The canvas is the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContainerIndex(usize);

/// The canvas outside of all iterations.
pub(crate) const CANVAS: ContainerIndex = ContainerIndex(0);

/// The end of a card that an edge leaves from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// The one of a card that does not choose.
    Ordinary,
    /// One of several that the card chooses from.
    Choice(usize),
    /// Taken instead of all others when the step failed and was told to branch.
    Error,
}

impl Output {
    /// Reads `<id>-output-<index>`, `<id>-output-error` and `<id>-output-<name>`.
    pub(in crate::engine) fn parse(source: &str, handle: &str) -> Self {
        let named = handle.strip_prefix(source).and_then(|rest| rest.strip_prefix("-output-"));
        match named.unwrap_or_default() {
            "error" => Self::Error,
            other => other.parse().map_or(Self::Ordinary, Self::Choice),
        }
    }
}

/// What leads from one card to another, through one output of the first or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraphEdge {
    pub(crate) source: NodeIndex,
    pub(crate) target: NodeIndex,
    pub(crate) outputs: Vec<Output>,
}

/// What a Loop does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoopBack {
    /// Where it goes: one card, or all that follow Start.
    pub(crate) targets: Vec<NodeIndex>,
    /// By local place: whether a jump concerns the card.
    pub(crate) region: Vec<bool>,
    /// How often what it repeats runs at most, the first time included.
    pub(crate) rounds_max: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    Step,
    Loop(LoopBack),
    Iteration(ContainerIndex),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraphNode {
    pub(crate) id: String,
    pub(crate) label: String,
    /// The name of its card.
    pub(crate) card: String,
    /// Its place in `canvas.nodes()`.
    pub(crate) place: usize,
    pub(crate) container: ContainerIndex,
    /// Its place among the cards of its container.
    pub(crate) local: usize,
    pub(crate) role: Role,
    /// Places in the edges of its container, in drawn order.
    pub(crate) outgoing: Vec<usize>,
    pub(crate) incoming: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Container {
    /// The iteration it is the inside of.
    pub(crate) owner: Option<NodeIndex>,
    pub(crate) nodes: Vec<NodeIndex>,
    /// What nothing leads to, in drawn order.
    pub(crate) starts: Vec<NodeIndex>,
    pub(crate) edges: Vec<GraphEdge>,
}

/// A canvas that can be walked: without circles, each Loop with a target before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Graph {
    nodes: Vec<GraphNode>,
    containers: Vec<Container>,
    by_id: HashMap<String, NodeIndex>,
    warnings: Vec<GraphProblem>,
}

impl Graph {
    /// # Errors
    /// Everything that keeps the canvas from being walked, with the warnings.
    pub(crate) fn compile(canvas: &Canvas) -> Result<Self, Vec<GraphProblem>> {
        compile::compile(canvas)
    }

    /// What is odd and does not keep the canvas from being walked.
    pub(crate) fn warnings(&self) -> &[GraphProblem] {
        &self.warnings
    }

    pub(crate) fn find(&self, id: &str) -> Option<NodeIndex> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn node(&self, node: NodeIndex) -> &GraphNode {
        &self.nodes[node.at()]
    }

    /// All cards, in drawn order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        (0..self.nodes.len()).map(NodeIndex::new)
    }

    pub(crate) fn container(&self, container: ContainerIndex) -> &Container {
        &self.containers[container.0]
    }

    /// The cards that edges lead to, in drawn order.
    pub(crate) fn followers(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let edges = &self.container(self.node(node).container).edges;
        self.node(node).outgoing.iter().map(|&edge| edges[edge].target)
    }

    /// The cards that edges come from, in drawn order.
    pub(crate) fn predecessors(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let edges = &self.container(self.node(node).container).edges;
        self.node(node).incoming.iter().map(|&edge| edges[edge].source)
    }

    /// True when nothing follows the card and it stands outside of iterations: what it says is part of the answer.
    pub(crate) fn is_last(&self, node: NodeIndex) -> bool {
        let node = self.node(node);
        node.outgoing.is_empty() && node.container == CANVAS
    }

    pub(crate) fn is_iteration(&self, node: NodeIndex) -> bool {
        matches!(self.node(node).role, Role::Iteration(_))
    }

    /// The iterations around a card, the innermost first.
    pub(crate) fn owners(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let owner = |node: NodeIndex| self.container(self.node(node).container).owner;
        std::iter::successors(owner(node), move |&node| owner(node))
    }

    /// True when edges lead from one card to the other, through any number of cards.
    pub(crate) fn is_ancestor(&self, earlier: NodeIndex, later: NodeIndex) -> bool {
        self.node(earlier).container == self.node(later).container
            && earlier != later
            && self.region(&[earlier])[self.node(later).local]
    }

    /// By local place: the cards that edges lead to from these of one container, and these themselves.
    pub(super) fn region(&self, from: &[NodeIndex]) -> Vec<bool> {
        let count = from.first().map_or(0, |&node| self.container(self.node(node).container).nodes.len());
        let mut reached = vec![false; count];
        let mut open = from.to_vec();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[self.node(node).local], true) {
                open.extend(self.followers(node));
            }
        }
        reached
    }
}
