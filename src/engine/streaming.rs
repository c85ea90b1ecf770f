//! What a flow's chat can do, read off its cards: token streaming and image uploads.

use super::plan::category;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::Category;
use crate::cards::registry;
use serde_json::Value;

/// Endings that answer in one piece.
const WHOLE_CHAINS: &[&str] = &["openApiChain", "vectaraQAChain"];

/// Agents whose answer can be told apart from what goes before it while it streams.
const STREAMING_AGENTS: &[&str] =
    &["toolAgent", "conversationalRetrievalToolAgent", "csvAgent", "openAIAssistant"];

/// Endings whose models stand in another flow, which streams.
pub(super) const TEAMS: &[&str] = &["harness"];

/// Cards that hand an image on to their model.
const IMAGE_READERS: &[&str] = &[
    "llmChain",
    "conversationChain",
    "reactAgentChat",
    "conversationalAgent",
    "toolAgent",
    "supervisor",
    "seqStart",
];

/// Which flows stream (manual 2.12), except that a post-processing setting is judged where the settings are read.
pub(super) fn streams(canvas: &Canvas, ending: &Node) -> bool {
    if TEAMS.contains(&ending.name.as_str()) {
        return true;
    }
    let models: Vec<&Node> = canvas.nodes().iter().filter(|node| is_model(node)).collect();
    let switched_off = |node: &&Node| matches!(streaming_input(node), Some(false));
    let parses = canvas.nodes().iter().any(|node| category(node) == Category::OutputParsers.as_str());
    !models.is_empty() && !models.iter().any(switched_off) && !parses && ending_streams(ending)
}

fn ending_streams(ending: &Node) -> bool {
    let Some(card) = registry::find(&ending.name) else { return false };
    match card.category {
        Category::Chains => !WHOLE_CHAINS.contains(&card.name),
        Category::Agents => STREAMING_AGENTS.contains(&card.name),
        Category::Engine => true,
        _ => false,
    }
}

fn is_model(node: &Node) -> bool {
    matches!(category(node), "Chat Models" | "LLMs")
}

fn streaming_input(node: &Node) -> Option<bool> {
    match node.inputs.get("streaming")? {
        Value::Bool(on) => Some(*on),
        Value::String(text) if text == "false" => Some(false),
        _ => None,
    }
}

/// What takes images (manual 4.1): a reader of images and a model whose owner switched images on.
pub(super) fn takes_images(canvas: &Canvas) -> bool {
    let reader = canvas.nodes().iter().any(|node| IMAGE_READERS.contains(&node.name.as_str()));
    let allowed = |node: &Node| match node.inputs.get("allowImageUploads") {
        Some(Value::Bool(on)) => *on,
        Some(Value::String(text)) => text == "true",
        _ => false,
    };
    reader && canvas.nodes().iter().any(|node| is_model(node) && allowed(node))
}
