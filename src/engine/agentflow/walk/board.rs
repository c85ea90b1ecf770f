//! The edges of one pass: open, taken or dead.

use super::step::{StepEnd, StepId};
use crate::engine::agentflow::graph::{Container, Graph, GraphEdge, NodeIndex, Output};
use std::collections::VecDeque;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeState {
    /// Its source did not end, and may still run.
    Open,
    Taken(StepId),
    Dead,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Board {
    edges: Vec<EdgeState>,
    /// By local place, how many edges that lead to the card are open.
    open: Vec<usize>,
}

impl Board {
    pub(super) fn new(graph: &Graph, container: &Container) -> Self {
        let count = |&node: &NodeIndex| graph.node(node).incoming.len();
        Self {
            edges: vec![EdgeState::Open; container.edges.len()],
            open: container.nodes.iter().map(count).collect(),
        }
    }

    /// Decides the edges of a step that ended, then those of the cards that are skipped because of it, in the order in
    /// which they are skipped. Gives the cards that are ready now, in the order in which they became it.
    pub(super) fn decide(
        &mut self,
        graph: &Graph,
        node: NodeIndex,
        step: StepId,
        end: &StepEnd,
    ) -> Vec<NodeIndex> {
        let container = graph.container(graph.node(node).container);
        let mut ready = Vec::new();
        let mut skipped = VecDeque::new();
        for &edge in &graph.node(node).outgoing {
            let is_taken = takes(&container.edges[edge], end);
            let state = if is_taken { EdgeState::Taken(step) } else { EdgeState::Dead };
            self.set(graph, container, edge, state, &mut ready, &mut skipped);
        }
        while let Some(node) = skipped.pop_front() {
            for &edge in &graph.node(node).outgoing {
                self.set(graph, container, edge, EdgeState::Dead, &mut ready, &mut skipped);
            }
        }
        ready
    }

    fn set(
        &mut self,
        graph: &Graph,
        container: &Container,
        edge: usize,
        state: EdgeState,
        ready: &mut Vec<NodeIndex>,
        skipped: &mut VecDeque<NodeIndex>,
    ) {
        let target = container.edges[edge].target;
        self.edges[edge] = state;
        let left = &mut self.open[graph.node(target).local];
        *left -= 1;
        if *left == 0 {
            if self.parents(graph, target).next().is_some() {
                ready.push(target);
            } else {
                skipped.push_back(target);
            }
        }
    }

    /// The steps whose edges to the card are taken.
    pub(super) fn parents(&self, graph: &Graph, node: NodeIndex) -> impl Iterator<Item = StepId> {
        graph.node(node).incoming.iter().filter_map(|&edge| match self.edges[edge] {
            EdgeState::Taken(step) => Some(step),
            _ => None,
        })
    }

    pub(super) fn is_decided(&self, graph: &Graph, node: NodeIndex) -> bool {
        self.open[graph.node(node).local] == 0
    }

    /// True when an edge from elsewhere into the region is open.
    pub(super) fn is_open_into(&self, graph: &Graph, container: &Container, region: &[bool]) -> bool {
        let inside = |node: NodeIndex| region[graph.node(node).local];
        let enters = |edge: &GraphEdge| inside(edge.target) && !inside(edge.source);
        container.edges.iter().zip(&self.edges).any(|(edge, &state)| state == EdgeState::Open && enters(edge))
    }

    /// Opens the edges that begin in the region.
    pub(super) fn reopen(&mut self, graph: &Graph, container: &Container, region: &[bool]) {
        for (edge, state) in container.edges.iter().zip(&mut self.edges) {
            if region[graph.node(edge.source).local] && *state != EdgeState::Open {
                *state = EdgeState::Open;
                self.open[graph.node(edge.target).local] += 1;
            }
        }
    }
}

/// True when a step that ended so leaves by one of the edge's outputs. An edge of a choosing card that names none of
/// its outputs is as old as the card, and is taken.
fn takes(edge: &GraphEdge, end: &StepEnd) -> bool {
    edge.outputs.iter().any(|output| match (end, output) {
        (StepEnd::ErrorOutput, output) => *output == Output::Error,
        (_, Output::Error) => false,
        (StepEnd::Outputs(taken), Output::Choice(choice)) => taken.contains(choice),
        _ => true,
    })
}
