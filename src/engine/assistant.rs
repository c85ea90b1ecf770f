//! What an assistant still has to be told before it can answer. It may begin with a name alone (manual 8.14 r2).

use crate::canvas::{Canvas, Node};
use crate::cards::kit::Category;
use crate::cards::registry;

/// What is said of an assistant without a model.
pub(super) const NO_MODEL: &str = "This assistant has no model: choose a model in the assistant.";

/// The card that waits for the model of an assistant which has none.
pub(super) fn waits_for_model(canvas: &Canvas) -> Option<&Node> {
    let category =
        |node: &&Node, wanted| registry::find(&node.name).is_some_and(|card| card.category == wanted);
    if canvas.nodes().iter().any(|node| category(&node, Category::ChatModels)) {
        return None;
    }
    let takes_model =
        |node: &&Node| registry::find(&node.name).is_some_and(|card| card.input("model").is_some());
    canvas.nodes().iter().find(takes_model)
}
