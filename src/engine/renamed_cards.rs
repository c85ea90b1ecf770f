//! Cards that were drawn under names which they have given up since: they run, and a sentence says so to
//! whoever looks at them.

use crate::canvas::{Canvas, Node};
use crate::cards::registry;
use std::collections::BTreeSet;

/// A sentence for a card that was drawn under a former name.
pub(super) fn former_name(node: &Node) -> Option<String> {
    let (former, card) = (node.saved_name.as_ref()?, registry::find(&node.name)?);
    Some(format!("It was drawn as '{former}', the former name of '{}', and runs as that card.", card.label))
}

/// The cards of a canvas that were drawn under former names: that name and the label of today, each pair once.
#[must_use]
pub fn former_names(canvas: &Canvas) -> BTreeSet<(&str, &str)> {
    let nodes = canvas.nodes().iter();
    nodes.filter_map(|node| Some((node.saved_name.as_deref()?, registry::find(&node.name)?.label))).collect()
}
