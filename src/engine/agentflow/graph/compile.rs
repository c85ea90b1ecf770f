//! From a canvas to a graph, or to all that keeps it from being one.

use super::{
    CANVAS, Container, ContainerIndex, Graph, GraphEdge, GraphFault, GraphNode, GraphProblem, ITERATION,
    NodeIndex, Output, Role, checks, loops,
};
use crate::canvas::{Canvas, Edge, Node};
use crate::limits::NESTING_MAX;
use std::collections::HashMap;

pub(super) fn compile(canvas: &Canvas) -> Result<Graph, Vec<GraphProblem>> {
    let mut drawing = Drawing::new(canvas);
    drawing.read_containers();
    drawing.read_edges();
    drawing.find_starts();
    checks::check(&mut drawing);
    let loops = loops::read(&mut drawing);
    let (mut graph, problems) = (drawing.graph, drawing.problems);
    if problems.iter().any(|problem| !problem.is_warning()) {
        return Err(problems);
    }
    for (node, back) in loops {
        graph.nodes[node.at()].role = Role::Loop(back);
    }
    graph.warnings = problems;
    Ok(graph)
}

/// A graph in the making.
pub(super) struct Drawing<'a> {
    pub(super) canvas: &'a Canvas,
    pub(super) graph: Graph,
    pub(super) problems: Vec<GraphProblem>,
}

impl<'a> Drawing<'a> {
    fn new(canvas: &'a Canvas) -> Self {
        let mut containers = vec![Container::default()];
        let mut nodes = Vec::new();
        for (place, card) in canvas.nodes().iter().enumerate().filter(|(_, card)| !card.is_note()) {
            let role = if card.name == ITERATION {
                let owner = Some(NodeIndex::new(nodes.len()));
                containers.push(Container { owner, ..Container::default() });
                Role::Iteration(ContainerIndex(containers.len() - 1))
            } else {
                Role::Step
            };
            nodes.push(GraphNode {
                id: card.id.clone(),
                label: card.label().to_owned(),
                card: card.name.clone(),
                place,
                container: CANVAS,
                local: 0,
                role,
                outgoing: Vec::new(),
                incoming: Vec::new(),
            });
        }
        let named = nodes.iter().enumerate().filter(|(_, node)| !node.id.is_empty());
        let by_id = named.map(|(at, node)| (node.id.clone(), NodeIndex::new(at))).collect();
        let graph = Graph { nodes, containers, by_id, warnings: Vec::new() };
        Self { canvas, graph, problems: Vec::new() }
    }

    pub(super) fn card(&self, node: NodeIndex) -> &'a Node {
        &self.canvas.nodes()[self.graph.node(node).place]
    }

    pub(super) fn report(&mut self, node: NodeIndex, fault: GraphFault, message: String) {
        let GraphNode { id, label, .. } = self.graph.node(node);
        let (node, label) = (id.clone(), label.clone());
        self.problems.push(GraphProblem { node, label, fault, edge: None, message });
    }

    /// A connection of which an end is no more, told at the card that it meets; at none where it meets none.
    fn report_lost(&mut self, edge: &Edge, there: Option<NodeIndex>, message: String) {
        let there = there.map(|there| self.graph.node(there));
        self.problems.push(GraphProblem {
            node: there.map_or_else(String::new, |node| node.id.clone()),
            label: there.map_or_else(String::new, |node| node.label.clone()),
            fault: GraphFault::MissingCard,
            edge: Some(edge.id.clone()),
            message,
        });
    }

    pub(super) fn label(&self, node: NodeIndex) -> &str {
        &self.graph.node(node).label
    }

    /// Puts each card into its container. A card whose parent is wrong stays on the canvas, so that the other checks
    /// still see it.
    fn read_containers(&mut self) {
        for node in self.graph.nodes() {
            let Some(parent) = self.card(node).parent.as_deref() else { continue };
            let inside = self.graph.find(parent).and_then(|owner| match self.graph.node(owner).role {
                Role::Iteration(inside) => Some(inside),
                _ => None,
            });
            match inside {
                Some(inside) => self.graph.nodes[node.at()].container = inside,
                None => {
                    let message = format!(
                        "'{}' is drawn inside of something that is no Iteration: take it out.",
                        self.label(node)
                    );
                    self.report(node, GraphFault::Parent, message);
                }
            }
        }
        for node in self.graph.nodes() {
            // Iterations inside of each other in a circle are endlessly deep.
            if self.graph.owners(node).take(NESTING_MAX + 1).count() > NESTING_MAX {
                let message =
                    format!("'{}' is inside of more than {NESTING_MAX} Iterations.", self.label(node));
                self.report(node, GraphFault::Nesting, message);
                self.graph.nodes[node.at()].container = CANVAS;
            }
        }
        for node in self.graph.nodes() {
            let members = &mut self.graph.containers[self.graph.nodes[node.at()].container.0].nodes;
            self.graph.nodes[node.at()].local = members.len();
            members.push(node);
        }
    }

    fn read_edges(&mut self) {
        let mut known: HashMap<(NodeIndex, NodeIndex), usize> = HashMap::new();
        for edge in self.canvas.edges() {
            let Some((source, target)) = self.ends(edge) else { continue };
            let output = Output::parse(&edge.source, &edge.source_handle);
            let container = &mut self.graph.containers[self.graph.nodes[source.at()].container.0];
            let next = container.edges.len();
            let at = *known.entry((source, target)).or_insert(next);
            if at < next {
                container.edges[at].outputs.push(output);
                continue;
            }
            container.edges.push(GraphEdge { source, target, outputs: vec![output] });
            self.graph.nodes[source.at()].outgoing.push(at);
            self.graph.nodes[target.at()].incoming.push(at);
        }
    }

    /// The cards that an edge connects. Notes never run, so nothing is lost with an edge of one.
    fn ends(&mut self, edge: &Edge) -> Option<(NodeIndex, NodeIndex)> {
        let is_note = |id: &str| self.canvas.node(id).is_some_and(Node::is_note);
        if is_note(&edge.source) || is_note(&edge.target) {
            return None;
        }
        match (self.graph.find(&edge.source), self.graph.find(&edge.target)) {
            (Some(source), Some(target)) => self.judge_ends(source, target).then_some((source, target)),
            (Some(there), None) => {
                let message = format!("'{}' leads to a card that is not there.", self.label(there));
                self.report_lost(edge, Some(there), message);
                None
            }
            (None, Some(there)) => {
                let message =
                    format!("What leads to '{}' comes from a card that is not there.", self.label(there));
                self.report_lost(edge, Some(there), message);
                None
            }
            (None, None) => {
                self.report_lost(edge, None, "An edge connects two cards that are not there.".to_owned());
                None
            }
        }
    }

    fn judge_ends(&mut self, source: NodeIndex, target: NodeIndex) -> bool {
        if source == target {
            let message = format!("'{}' leads to itself; a Loop can go back.", self.label(source));
            self.report(source, GraphFault::SelfEdge, message);
            return false;
        }
        if self.graph.node(source).container != self.graph.node(target).container {
            let message = format!(
                "'{}' leads to '{}' across the border of an Iteration: connect the Iteration itself.",
                self.label(source),
                self.label(target)
            );
            self.report(source, GraphFault::Border, message);
            return false;
        }
        true
    }

    fn find_starts(&mut self) {
        for node in self.graph.nodes() {
            let GraphNode { container, incoming, .. } = &self.graph.nodes[node.at()];
            if incoming.is_empty() {
                self.graph.containers[container.0].starts.push(node);
            }
        }
    }
}
