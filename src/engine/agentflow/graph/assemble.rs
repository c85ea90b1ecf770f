//! A graph of cards that are drawn otherwise than an agentflow is, for the same walk.

use super::{CANVAS, Container, Graph, GraphEdge, GraphNode, LoopBack, NodeIndex, Output, Role};
use std::collections::HashMap;

/// A card to be walked.
pub(in crate::engine) struct PlainNode {
    pub(in crate::engine) id: String,
    pub(in crate::engine) label: String,
    pub(in crate::engine) card: String,
    /// Its place in `canvas.nodes()`.
    pub(in crate::engine) place: usize,
}

/// What leads from one card to another, by their places among the cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) struct PlainEdge {
    pub(in crate::engine) source: usize,
    pub(in crate::engine) target: usize,
    pub(in crate::engine) output: Output,
}

impl Graph {
    /// The graph of these cards and edges, which make no circle.
    pub(in crate::engine) fn assemble(cards: Vec<PlainNode>, edges: &[PlainEdge]) -> Self {
        let node = |(local, card): (usize, PlainNode)| GraphNode {
            id: card.id,
            label: card.label,
            card: card.card,
            place: card.place,
            container: CANVAS,
            local,
            role: Role::Step,
            outgoing: Vec::new(),
            incoming: Vec::new(),
        };
        let mut nodes: Vec<GraphNode> = cards.into_iter().enumerate().map(node).collect();
        let mut canvas =
            Container { nodes: (0..nodes.len()).map(NodeIndex::new).collect(), ..Container::default() };
        let mut known: HashMap<(usize, usize), usize> = HashMap::new();
        for &PlainEdge { source, target, output } in edges {
            let next = canvas.edges.len();
            let at = *known.entry((source, target)).or_insert(next);
            if at < next {
                canvas.edges[at].outputs.push(output);
                continue;
            }
            let (from, to) = (NodeIndex::new(source), NodeIndex::new(target));
            canvas.edges.push(GraphEdge { source: from, target: to, outputs: vec![output] });
            nodes[source].outgoing.push(at);
            nodes[target].incoming.push(at);
        }
        let is_start = |node: &NodeIndex| nodes[node.at()].incoming.is_empty();
        canvas.starts = canvas.nodes.iter().copied().filter(is_start).collect();
        let named = nodes.iter().enumerate().filter(|(_, node)| !node.id.is_empty());
        let by_id = named.map(|(at, node)| (node.id.clone(), NodeIndex::new(at))).collect();
        Self { nodes, containers: vec![canvas], by_id, warnings: Vec::new() }
    }

    /// The same graph, in which a card goes back to another that comes before it, as often as it is reached.
    #[must_use]
    pub(in crate::engine) fn with_loop(mut self, node: NodeIndex, target: NodeIndex) -> Self {
        let targets = vec![target];
        let region = self.region(&targets);
        self.nodes[node.at()].role = Role::Loop(LoopBack { targets, region, rounds_max: u32::MAX });
        self
    }
}
