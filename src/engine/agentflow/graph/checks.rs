//! What a drawing must be so that it can be walked: one beginning, no circle, nothing behind an end.

use super::compile::Drawing;
use super::{CANVAS, Container, DIRECT_REPLY, Graph, GraphFault, GraphProblem, LOOP, NodeIndex, START};

/// Cards of a circle that its message names.
const NAMED_MAX: usize = 5;

pub(super) fn check(drawing: &mut Drawing<'_>) {
    check_starts(drawing);
    check_connections(drawing);
    check_ends(drawing);
    check_circles(drawing);
}

fn check_starts(drawing: &mut Drawing<'_>) {
    let starts: Vec<NodeIndex> =
        drawing.graph.nodes().filter(|&node| drawing.card(node).name == START).collect();
    if starts.is_empty() {
        drawing.problems.push(GraphProblem {
            node: String::new(),
            label: String::new(),
            fault: GraphFault::NoStart,
            edge: None,
            message: "The flow has no Start: every run begins there.".to_owned(),
        });
    }
    for &node in starts.iter().skip(1) {
        let message = format!("'{}' is a second Start: a flow has one.", drawing.label(node));
        drawing.report(node, GraphFault::SeveralStarts, message);
    }
    for &node in &starts {
        if drawing.graph.node(node).container != CANVAS {
            let message = format!("'{}' stands inside of an Iteration: take it out.", drawing.label(node));
            drawing.report(node, GraphFault::StartPlace, message);
        }
        if !drawing.graph.node(node).incoming.is_empty() {
            let message = format!("Nothing may lead to '{}': a Loop can go back to it.", drawing.label(node));
            drawing.report(node, GraphFault::StartPlace, message);
        }
    }
}

fn check_connections(drawing: &mut Drawing<'_>) {
    for node in drawing.graph.container(CANVAS).starts.clone() {
        if drawing.card(node).name != START {
            let message = format!("Nothing leads to '{}': connect it or remove it.", drawing.label(node));
            drawing.report(node, GraphFault::Unconnected, message);
        }
    }
}

fn check_ends(drawing: &mut Drawing<'_>) {
    for node in drawing.graph.nodes() {
        let is_end = matches!(drawing.card(node).name.as_str(), LOOP | DIRECT_REPLY);
        if is_end && !drawing.graph.node(node).outgoing.is_empty() {
            let message = format!("'{}' ends its branch: nothing can follow it.", drawing.label(node));
            drawing.report(node, GraphFault::EdgeFromEnd, message);
        }
    }
}

fn check_circles(drawing: &mut Drawing<'_>) {
    let circles: Vec<Vec<NodeIndex>> =
        drawing.graph.containers.iter().filter_map(|container| circle(&drawing.graph, container)).collect();
    for circle in circles {
        let names: Vec<String> =
            circle.iter().take(NAMED_MAX).map(|&node| format!("'{}'", drawing.label(node))).collect();
        let rest = if circle.len() > NAMED_MAX { " and others" } else { "" };
        let message =
            format!("The cards {}{rest} lead to each other in a circle: use a Loop.", names.join(", "));
        drawing.report(circle[0], GraphFault::Circle, message);
    }
}

/// One circle of a container, in the order of its edges.
fn circle(graph: &Graph, container: &Container) -> Option<Vec<NodeIndex>> {
    let mut waiting: Vec<usize> =
        container.nodes.iter().map(|&node| graph.node(node).incoming.len()).collect();
    let mut open = container.starts.clone();
    while let Some(node) = open.pop() {
        for follower in graph.followers(node) {
            let count = &mut waiting[graph.node(follower).local];
            *count -= 1;
            if *count == 0 {
                open.push(follower);
            }
        }
    }
    let is_left = |&node: &NodeIndex| waiting[graph.node(node).local] > 0;
    // Whatever is left has something before it that is left, so going back comes round.
    let mut back = vec![container.nodes.iter().copied().find(is_left)?];
    loop {
        let before = graph.predecessors(*back.last()?).find(is_left)?;
        if let Some(at) = back.iter().position(|&node| node == before) {
            back.drain(..at);
            back.reverse();
            return Some(back);
        }
        back.push(before);
    }
}
