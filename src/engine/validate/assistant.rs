//! What an assistant still has to be told before it can answer. It may begin with a name alone (manual 8.14 r2).

use super::{chat_problems, needs_connection};
use crate::canvas::{Canvas, Node};
use crate::cards::kit::Category;
use crate::cards::registry;
use crate::domain::flows::card_problems::CardProblems;
use crate::engine::resources::Resources;

/// What is said of an assistant without a model.
pub(in crate::engine) const NO_MODEL: &str = "This assistant has no model: choose a model in the assistant.";

/// The card that waits for the model of an assistant which has none.
pub(in crate::engine) fn waits_for_model(canvas: &Canvas) -> Option<&Node> {
    let category =
        |node: &&Node, wanted| registry::find(&node.name).is_some_and(|card| card.category == wanted);
    if canvas.nodes().iter().any(|node| category(&node, Category::ChatModels)) {
        return None;
    }
    let takes_model =
        |node: &&Node| registry::find(&node.name).is_some_and(|card| card.input("model").is_some());
    canvas.nodes().iter().find(takes_model)
}

/// Whoever tells an assistant sees no cards: that it has no model is said in words of its own.
pub(super) fn problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let mut found = chat_problems(canvas, resources);
    let Some(waiting) = waits_for_model(canvas) else { return found };
    let card = registry::find(&waiting.name);
    let drawn = card.and_then(|card| card.input("model")).map(needs_connection);
    let of_card = found.iter_mut().filter(|problems| problems.id == waiting.id);
    for issue in of_card.flat_map(|problems| &mut problems.issues) {
        if Some(issue.as_str()) == drawn.as_deref() {
            NO_MODEL.clone_into(issue);
        }
    }
    found
}
