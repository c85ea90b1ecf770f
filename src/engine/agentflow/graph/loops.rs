//! Where Loops go back to, and what comes before what because of it.

use super::compile::Drawing;
use super::{Graph, GraphFault, LOOP, LoopBack, NodeIndex, Role, START};
use serde_json::Value;

/// Most rounds of what a Loop repeats, the first one included (manual 14.4).
const LOOP_ROUNDS_MAX: u32 = 100;
/// Rounds of what a Loop repeats that says no number.
const LOOP_ROUNDS: u32 = 5;

pub(super) fn read(drawing: &mut Drawing<'_>) -> Vec<(NodeIndex, LoopBack)> {
    let loops: Vec<NodeIndex> =
        drawing.graph.nodes().filter(|&node| drawing.card(node).name == LOOP).collect();
    let mut found = Vec::new();
    for node in loops {
        let rounds_max = rounds(drawing, node);
        let Some(targets) = targets(drawing, node) else { continue };
        let region = drawing.graph.region(&targets);
        found.push((node, LoopBack { targets, region, rounds_max }));
    }
    found
}

fn rounds(drawing: &mut Drawing<'_>, node: NodeIndex) -> u32 {
    let value = drawing.card(node).inputs.get("maxLoopCount");
    let number = value.and_then(|value| match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    });
    // A number beyond the largest one becomes it, and anything below one is one: what a Loop repeats has run when it asks.
    let asked = number.filter(|number: &f64| !number.is_nan()).map_or(LOOP_ROUNDS, |number| number as u32);
    if asked > LOOP_ROUNDS_MAX {
        let message = format!(
            "'{}' asks for {asked} rounds; {LOOP_ROUNDS_MAX} are the most, and are what it gets.",
            drawing.label(node)
        );
        drawing.report(node, GraphFault::LoopCount, message);
    }
    asked.clamp(1, LOOP_ROUNDS_MAX)
}

fn targets(drawing: &mut Drawing<'_>, node: NodeIndex) -> Option<Vec<NodeIndex>> {
    let value = drawing.card(node).inputs.get("loopBackToNode").and_then(Value::as_str).unwrap_or_default();
    let label = drawing.label(node).to_owned();
    let message = match find_target(&drawing.graph, value) {
        _ if value.trim().is_empty() => format!("'{label}' needs a card to go back to."),
        None => format!("'{label}' goes back to a card that is not there."),
        Some(target) if !drawing.graph.is_ancestor(target, node) => format!(
            "'{label}' can go back only to a card that leads to it, and '{}' does not.",
            drawing.label(target)
        ),
        Some(target) if drawing.card(target).name == START => {
            return Some(drawing.graph.followers(target).collect());
        }
        Some(target) => return Some(vec![target]),
    };
    drawing.report(node, GraphFault::LoopTarget, message);
    None
}

/// The card that `<node id>-<label>` means. Ids and labels may hold dashes, so the longest known id counts.
fn find_target(graph: &Graph, value: &str) -> Option<NodeIndex> {
    let means = |node: &NodeIndex| {
        let rest = value.strip_prefix(graph.node(*node).id.as_str());
        !graph.node(*node).id.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    graph.nodes().filter(means).max_by_key(|&node| graph.node(node).id.len())
}

impl Graph {
    /// True when a run can have been through `earlier` before it comes to `later`: by edges, by going back, or because
    /// one stands inside of an iteration that the other comes before or after. A card that is repeated comes before itself.
    pub(crate) fn may_precede(&self, earlier: NodeIndex, later: NodeIndex) -> bool {
        let lift = |node: NodeIndex| std::iter::once(node).chain(self.owners(node));
        lift(later).any(|after| lift(earlier).any(|before| self.may_precede_beside(before, after)))
    }

    /// The same for two cards of one container.
    fn may_precede_beside(&self, earlier: NodeIndex, later: NodeIndex) -> bool {
        let inside = self.node(earlier).container;
        if inside != self.node(later).container {
            return false;
        }
        let (before, after) = (self.node(earlier).local, self.node(later).local);
        let is_repeated = |&node: &NodeIndex| match &self.node(node).role {
            Role::Loop(back) => {
                // What leads into a region from elsewhere is in the past of what a jump repeats as well.
                let leads_in = || self.region(&[earlier]).iter().zip(&back.region).any(|(a, b)| *a && *b);
                back.region[after] && (back.region[before] || leads_in())
            }
            _ => false,
        };
        self.is_ancestor(earlier, later) || self.container(inside).nodes.iter().any(is_repeated)
    }
}
