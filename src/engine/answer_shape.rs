//! Whether a canvas declares the shape of its answer, so that an answer without it breaks its word (manual 18.7 r2).

use super::agentflow::graph::Output;
use super::agentflow::may_pause;
use crate::canvas::{Canvas, Edge, Node};
use crate::cards::kit::steps::structured_output::{declared_schema, declares_keys};
use crate::cards::kit::{Card, Category};
use crate::cards::output_parsers;
use crate::cards::registry;
use crate::domain::flows::flow::FlowKind;
use serde_json::Value;

/// A card that says the last word gives the keys of the answer, or a parser stands before it.
#[must_use]
pub(crate) fn declares_shape(kind: FlowKind, canvas: &Canvas) -> bool {
    canvas.nodes().iter().any(|node| {
        let Some(card) = registry::find(&node.name) else { return false };
        match kind {
            FlowKind::Agentflow => declares_keys(card, &node.inputs) && says_last(canvas, node),
            _ => is_parser_of_answer(canvas, node, card),
        }
    })
}

/// The schema of an answer that always has one: a run has a single way, and the step at its end gives the keys of its answer; or
/// a parser reads what the chain of a chatflow answers, and no moderation answers in its place.
#[must_use]
pub(crate) fn answer_schema(kind: FlowKind, canvas: &Canvas) -> Option<Value> {
    let steps =
        || canvas.nodes().iter().filter(|node| !node.is_note() && registry::find(&node.name).is_some());
    let mut last = steps().filter(|node| edges_from(canvas, &node.id).next().is_none());
    let (end, other) = (last.next()?, last.next());
    if kind == FlowKind::Chatflow && other.is_none() {
        return parsed_schema(canvas, end);
    }
    let has_ways =
        steps().any(|node| WAYS.contains(&node.name.as_str()) || edges_from(canvas, &node.id).count() > 1);
    let goes_on = end.inputs.get("onError").and_then(Value::as_str).is_some_and(|then| then == "continue");
    if kind != FlowKind::Agentflow || other.is_some() || has_ways || goes_on || steps().any(may_pause) {
        return None;
    }
    declared_schema(registry::find(&end.name)?, &end.inputs)
}

fn parsed_schema(canvas: &Canvas, chain: &Node) -> Option<Value> {
    let leads_here = |node: &&Node| edges_from(canvas, &node.id).any(|edge| edge.target == chain.id);
    let category = |node: &Node| registry::find(&node.name).map(|card| card.category);
    let before = || canvas.nodes().iter().filter(leads_here);
    if category(chain) != Some(Category::Chains)
        || before().any(|node| category(node) == Some(Category::Moderation))
    {
        return None;
    }
    before().find_map(|node| output_parsers::declared_schema(&node.name, &node.inputs))
}

/// Steps after which a run goes one way or another, waits, or comes back.
const WAYS: &[&str] = &[
    "conditionAgentflow",
    "conditionAgentAgentflow",
    "humanInputAgentflow",
    "iterationAgentflow",
    "loopAgentflow",
];

fn edges_from<'a>(canvas: &'a Canvas, node: &'a str) -> impl Iterator<Item = &'a Edge> {
    canvas.edges().iter().filter(move |edge| edge.source == node)
}

/// Nothing follows the step unless it fails.
fn says_last(canvas: &Canvas, node: &Node) -> bool {
    edges_from(canvas, &node.id).all(|edge| Output::parse(&edge.source, &edge.source_handle) == Output::Error)
}

fn is_parser_of_answer(canvas: &Canvas, node: &Node, card: &Card) -> bool {
    let is_last = |node: &str| edges_from(canvas, node).next().is_none();
    card.category == Category::OutputParsers && edges_from(canvas, &node.id).any(|edge| is_last(&edge.target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn declares(kind: FlowKind, nodes: &[(&str, Value)], edges: &[(&str, &str, &str)]) -> bool {
        let node = |(name, inputs): &(&str, Value)| json!({"id": name, "data": {"id": name, "name": name, "inputs": inputs}});
        let edge = |(source, output, target): &(&str, &str, &str)| json!({"source": source, "sourceHandle": format!("{source}-output-{output}"), "target": target});
        let nodes: Vec<Value> = nodes.iter().map(node).collect();
        let edges: Vec<Value> = edges.iter().map(edge).collect();
        declares_shape(kind, &Canvas::parse(&json!({"nodes": nodes, "edges": edges}).to_string()).unwrap())
    }

    #[test]
    fn a_parser_declares_the_shape_where_its_chain_answers() {
        let nodes = [
            ("structuredOutputParser", json!({})),
            ("llmChain", json!({})),
            ("conversationChain", json!({})),
        ];
        let chat = |edges: &[(&str, &str, &str)]| declares(FlowKind::Chatflow, &nodes, edges);
        assert!(chat(&[("structuredOutputParser", "x", "llmChain")]));
        assert!(!chat(&[
            ("structuredOutputParser", "x", "llmChain"),
            ("llmChain", "x", "conversationChain")
        ]));
        assert!(!chat(&[]));
    }

    #[test]
    fn keys_of_a_step_declare_the_shape_where_nothing_but_its_failure_follows() {
        let keys = json!({"llmStructuredOutput": [{"key": "days", "type": "number"}]});
        let agent = |inputs: Value, edges: &[(&str, &str, &str)]| {
            let nodes = [("llmAgentflow", inputs), ("directReplyAgentflow", json!({}))];
            declares(FlowKind::Agentflow, &nodes, edges)
        };
        assert!(agent(keys.clone(), &[]));
        assert!(agent(keys.clone(), &[("llmAgentflow", "error", "directReplyAgentflow")]));
        assert!(!agent(keys, &[("llmAgentflow", "llmAgentflow", "directReplyAgentflow")]));
        assert!(!agent(json!({"llmStructuredOutput": []}), &[]));
    }
}
