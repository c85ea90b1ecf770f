//! From a canvas of members to what is built and what is walked.

use super::problems::find_problems;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::{Card, Factory, WireType};
use crate::cards::registry;
use crate::cards::sequential_agents::loop_back;
use crate::domain::error::{Error, Result};
use crate::engine::agentflow::graph::{Graph, NodeIndex, Output, PlainEdge, PlainNode};
use crate::engine::plan::Plan;
use crate::engine::source;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// Inputs that name a member, of whatever card.
const NAMES: &[&str] = &[
    "supervisorName",
    "workerName",
    "agentName",
    "llmNodeName",
    "toolNodeName",
    "conditionName",
    "conditionAgentName",
    "functionName",
    "seqExecuteFlowName",
];

/// A name as it is compared: by its letters and digits alone, as editors make names of outputs of it.
#[must_use]
pub(super) fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// True for a card behind which nothing comes.
pub(super) fn is_ended_by(card: &str) -> bool {
    matches!(card, "seqEnd" | "seqLoop")
}

/// A flow ready to run.
#[derive(Debug)]
pub struct MemberPlan {
    /// All cards, in building order.
    pub(crate) parts: Plan,
    pub(super) graph: Arc<Graph>,
    /// By place in the graph.
    pub(super) members: Vec<PlannedMember>,
    /// The card that says what the members have in common, by its place in `parts`.
    pub(super) opening: usize,
    /// The label of that card.
    pub(super) opening_label: String,
}

/// What happens at a place of the graph.
#[derive(Debug)]
pub(super) enum Place {
    /// Nothing: the run begins or ends a branch here.
    Mark,
    /// The run goes back.
    Loop,
    /// A member takes a turn. It is built at this place of `parts`.
    Turn(usize),
}

#[derive(Debug)]
pub(super) struct PlannedMember {
    pub(super) node: String,
    pub(super) label: String,
    pub(super) place: Place,
    /// The names of its outputs, folded, by their places in the graph; of a supervisor the places of its workers.
    pub(super) outputs: Vec<String>,
    /// The Tool Nodes behind an LLM Node, by their places in `parts`.
    pub(super) tool_nodes: Vec<usize>,
}

impl MemberPlan {
    /// True for a member behind which the run can only end.
    pub(super) fn is_last(&self, at: usize) -> bool {
        let ends = |at: usize| {
            matches!(self.members[at].place, Place::Mark) && self.graph.is_last(NodeIndex::new(at))
        };
        matches!(self.members[at].place, Place::Turn(_))
            && self.members[at].outputs.is_empty()
            && self.graph.followers(NodeIndex::new(at)).all(|follower| ends(follower.at()))
    }

    /// # Errors
    /// 400 with all that is wrong with the drawing; when cards wait for each other.
    pub(crate) fn compile(canvas: &Canvas) -> Result<Self> {
        let problems = find_problems(canvas);
        if !problems.is_empty() {
            let told: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            return Err(Error::Invalid(told.join(" ")));
        }
        let drawn = MemberDrawing::new(canvas);
        let parts = Plan::compile_parts(canvas, &drawn.places)?;
        Ok(if drawn.named("supervisor").next().is_some() {
            team(&drawn, parts)
        } else {
            sequence(&drawn, parts)
        })
    }
}

fn planned(node: &Node, place: Place) -> PlannedMember {
    let (id, label) = (node.id.clone(), node.label().to_owned());
    PlannedMember { node: id, label, place, outputs: Vec::new(), tool_nodes: Vec::new() }
}

fn plain(canvas: &Canvas, node: &Node) -> PlainNode {
    let place = canvas.nodes().iter().position(|known| std::ptr::eq(known, node)).unwrap_or_default();
    PlainNode { id: node.id.clone(), label: node.label().to_owned(), card: node.name.clone(), place }
}

/// The supervisor leads to each worker, and behind each worker stands a way back.
fn team(drawn: &MemberDrawing<'_>, parts: Plan) -> MemberPlan {
    let step = |node: &Node| parts.places.get(&node.id).copied().unwrap_or_default();
    let supervisor = drawn.named("supervisor").next();
    let (mut cards, mut members, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let (mut opening, mut opening_label) = (0, String::new());
    if let Some(node) = supervisor {
        (opening, opening_label) = (step(node), node.label().to_owned());
        cards.push(plain(drawn.canvas, node));
        members.push(planned(node, Place::Turn(opening)));
    }
    let workers: Vec<&Node> = drawn.named("worker").collect();
    for (at, node) in workers.iter().enumerate() {
        let (own, back) = (1 + 2 * at, 2 + 2 * at);
        cards.push(plain(drawn.canvas, node));
        members.push(planned(node, Place::Turn(step(node))));
        members[0].outputs.push(node.id.clone());
        edges.push(PlainEdge { source: 0, target: own, output: Output::Choice(at) });
        cards.push(PlainNode { id: String::new(), ..plain(drawn.canvas, node) });
        members.push(planned(node, Place::Loop));
        edges.push(PlainEdge { source: own, target: back, output: Output::Ordinary });
    }
    let mut graph = Graph::assemble(cards, &edges);
    for at in 0..workers.len() {
        graph = graph.with_loop(NodeIndex::new(2 + 2 * at), NodeIndex::new(0));
    }
    MemberPlan { parts, graph: Arc::new(graph), members, opening, opening_label }
}

fn sequence(drawn: &MemberDrawing<'_>, parts: Plan) -> MemberPlan {
    let step = |node: &Node| parts.places.get(&node.id).copied().unwrap_or_default();
    let nodes: Vec<&Node> = drawn.members().collect();
    let at = |node: &Node| nodes.iter().position(|known| std::ptr::eq(*known, node)).unwrap_or_default();
    let mut members: Vec<PlannedMember> = Vec::new();
    for node in &nodes {
        let place = match node.name.as_str() {
            "seqStart" | "seqEnd" => Place::Mark,
            "seqLoop" => Place::Loop,
            _ => Place::Turn(step(node)),
        };
        let mut member = planned(node, place);
        member.tool_nodes = drawn.tool_nodes_of(node).map(step).collect();
        members.push(member);
    }
    let mut edges = Vec::new();
    for (source, target, output) in drawn.edges() {
        let (from, to) = (at(source), at(target));
        let output = if source.name.starts_with("seqCondition") {
            let name = fold(output.unwrap_or("next"));
            let outputs = &mut members[from].outputs;
            let known = outputs.iter().position(|known| *known == name);
            Output::Choice(known.unwrap_or_else(|| {
                outputs.push(name);
                outputs.len() - 1
            }))
        } else if members[from].tool_nodes.is_empty() {
            Output::Ordinary
        } else {
            Output::Choice(usize::from(!drawn.is_tool_node_of(target, source)))
        };
        edges.push(PlainEdge { source: from, target: to, output });
    }
    let cards = nodes.iter().map(|node| plain(drawn.canvas, node)).collect();
    let mut graph = Graph::assemble(cards, &edges);
    for node in nodes.iter().filter(|node| node.name == "seqLoop") {
        let wanted = node.inputs.get(loop_back::TARGET).and_then(Value::as_str).unwrap_or_default();
        if let Some(target) = drawn.find_by_name(wanted) {
            graph = graph.with_loop(NodeIndex::new(at(node)), NodeIndex::new(at(target)));
        }
    }
    let start = drawn.named("seqStart").next();
    MemberPlan {
        graph: Arc::new(graph),
        members,
        opening: start.map(step).unwrap_or_default(),
        opening_label: start.map(|node| node.label().to_owned()).unwrap_or_default(),
        parts,
    }
}

/// The members of a canvas, and how they are connected.
pub(super) struct MemberDrawing<'c> {
    pub(super) canvas: &'c Canvas,
    /// Places of the members in `canvas.nodes()`.
    pub(super) places: Vec<usize>,
}

impl<'c> MemberDrawing<'c> {
    pub(super) fn new(canvas: &'c Canvas) -> Self {
        let is_member = |node: &Node| {
            // What only says something of the state is no place of a run.
            let saver = WireType::Checkpointer.class();
            let is_setting = |card: &Card| card.name == "seqState" || card.base_classes.contains(&saver);
            let card = registry::find(&node.name).filter(|card| !is_setting(card));
            card.is_some_and(|card| matches!(card.make, Factory::Member(_)))
        };
        let nodes = canvas.nodes().iter().enumerate();
        Self { canvas, places: nodes.filter(|(_, node)| is_member(node)).map(|(at, _)| at).collect() }
    }

    /// The members, in drawn order.
    pub(super) fn members(&self) -> impl Iterator<Item = &'c Node> {
        self.places.iter().map(|&at| &self.canvas.nodes()[at])
    }

    /// The members of this card.
    pub(super) fn named(&self, card: &'static str) -> impl Iterator<Item = &'c Node> {
        self.members().filter(move |node| node.name == card)
    }

    fn find(&self, id: &str) -> Option<&'c Node> {
        self.members().find(|node| node.id == id)
    }

    /// What leads from one member to another, with the name of the output.
    pub(super) fn edges(&self) -> impl Iterator<Item = (&'c Node, &'c Node, Option<&'c str>)> {
        self.canvas.edges().iter().filter_map(|edge| {
            let (source, target) = (self.find(&edge.source)?, self.find(&edge.target)?);
            (source.id != target.id).then_some((source, target, edge.output()))
        })
    }

    /// What the owner calls the member.
    pub(super) fn name_of(&self, node: &Node) -> String {
        let given = NAMES.iter().filter_map(|name| node.inputs.get(*name)?.as_str());
        let given = given.map(str::trim).find(|name| !name.is_empty());
        given.map_or_else(|| node.label().to_owned(), str::to_owned)
    }

    /// The member that a Loop means: the one of this name that can take a turn.
    pub(super) fn find_by_name(&self, name: &str) -> Option<&'c Node> {
        let wanted = fold(name);
        let can_be_meant = |node: &&Node| !is_ended_by(&node.name) && node.name != "seqStart";
        let named = |node: &&Node| fold(&self.name_of(node)) == wanted;
        let labelled = |node: &&Node| fold(node.label()) == wanted;
        let meant = || self.members().filter(can_be_meant);
        meant().find(named).or_else(|| meant().find(labelled))
    }

    /// True when edges lead from one member to the other.
    pub(super) fn leads_to(&self, from: &Node, to: &Node) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut open = vec![from.id.as_str()];
        while let Some(id) = open.pop() {
            for (_, target, _) in self.edges().filter(|(source, _, _)| source.id == id) {
                if target.id == to.id {
                    return true;
                }
                if seen.insert(&target.id) {
                    open.push(&target.id);
                }
            }
        }
        false
    }

    /// The Tool Nodes that run what an LLM Node asks for.
    fn tool_nodes_of<'s>(&'s self, node: &'s Node) -> impl Iterator<Item = &'c Node> + use<'s, 'c> {
        self.named("seqToolNode").filter(move |tool_node| self.is_tool_node_of(tool_node, node))
    }

    fn is_tool_node_of(&self, tool_node: &Node, node: &Node) -> bool {
        let mut is_wired = false;
        if tool_node.name == "seqToolNode" && node.name == "seqLLMNode" {
            let wired = tool_node.inputs.get("llmNode").unwrap_or(&Value::Null);
            source::for_each_reference(wired, &mut |id| is_wired |= id == node.id);
        }
        is_wired
    }
}
