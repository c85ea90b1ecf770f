//! Which cards a flow needs, in the order in which they are built (reference canvas 3.1).

use super::plan::Unplannable;
use super::source;
use crate::canvas::Canvas;
use crate::cards::registry;
use std::collections::{BTreeSet, HashMap};

/// Groups a card may belong to and still end a flow, for cards this server does not know.
const ENDING_CATEGORIES: &[&str] = &["Chains", "Agents", "Engine", "Multi Agents", "Sequential Agents"];

/// The nodes a run builds, each after all it needs; the ending node is the last. Positions in `canvas.nodes()`.
pub(super) fn order(canvas: &Canvas) -> Result<Vec<usize>, Unplannable> {
    let graph = Graph::of(canvas);
    let ending = ending(canvas, &graph)?;
    let mut order = Vec::new();
    let mut marks = vec![Mark::Unseen; canvas.nodes().len()];
    visit(ending, &graph, canvas, &mut marks, &mut order)?;
    Ok(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unseen,
    Open,
    Done,
}

/// What each node needs. References in inputs are authoritative; edges add order and tell which card is last.
struct Graph {
    needs: Vec<BTreeSet<usize>>,
    needed: Vec<bool>,
}

impl Graph {
    fn of(canvas: &Canvas) -> Self {
        let at: HashMap<&str, usize> = canvas
            .nodes()
            .iter()
            .enumerate()
            .filter(|(_, node)| !node.is_note())
            .map(|(i, node)| (node.id.as_str(), i))
            .collect();
        let mut needs = vec![BTreeSet::new(); canvas.nodes().len()];
        let mut needed = vec![false; canvas.nodes().len()];
        let mut add = |source: Option<&usize>, target: usize| {
            if let Some(&source) = source.filter(|&&source| source != target) {
                needs[target].insert(source);
                needed[source] = true;
            }
        };
        for (&id, &target) in &at {
            let node = canvas.node(id).expect("the map was made from the canvas");
            for value in node.inputs.values() {
                source::referenced(value, &mut |id| add(at.get(id), target));
            }
        }
        for edge in canvas.edges() {
            if let Some(&target) = at.get(edge.target.as_str()) {
                add(at.get(edge.source.as_str()), target);
            }
        }
        Self { needs, needed }
    }
}

fn ending(canvas: &Canvas, graph: &Graph) -> Result<usize, Unplannable> {
    let cards: Vec<usize> = (0..canvas.nodes().len()).filter(|&i| !canvas.nodes()[i].is_note()).collect();
    if cards.is_empty() {
        return Err(Unplannable::Empty);
    }
    let last = |&&i: &&usize| !graph.needed[i] && (!graph.needs[i].is_empty() || cards.len() == 1);
    let candidates: Vec<usize> = cards.iter().filter(last).copied().collect();
    let Some(&found) = candidates.iter().rev().find(|&&i| can_end(canvas, i)) else {
        let shown = candidates.last().map(|&i| canvas.nodes()[i].shown().to_owned());
        return Err(Unplannable::NoEnding { last: shown });
    };
    let node = &canvas.nodes()[found];
    let predicts =
        |output: &crate::cards::kit::Output| output.predicts && node.output.as_deref() == Some(output.name);
    match registry::find(&node.name) {
        Some(card) if card.outputs.iter().any(predicts) => {
            Err(Unplannable::EndsInPrediction { card: node.shown().to_owned(), wanted: card.label })
        }
        _ => Ok(found),
    }
}

fn can_end(canvas: &Canvas, index: usize) -> bool {
    let node = &canvas.nodes()[index];
    match registry::find(&node.name) {
        Some(card) => card.can_end(),
        None => {
            ENDING_CATEGORIES.contains(&node.category.as_str())
                || node.output.as_deref() == Some("EndingNode")
        }
    }
}

/// Depth first without recursion: a canvas may chain any number of cards.
fn visit(
    root: usize,
    graph: &Graph,
    canvas: &Canvas,
    marks: &mut [Mark],
    order: &mut Vec<usize>,
) -> Result<(), Unplannable> {
    let mut stack = vec![(root, graph.needs[root].iter())];
    marks[root] = Mark::Open;
    while let Some((node, needs)) = stack.last_mut() {
        let node = *node;
        match needs.next() {
            Some(&next) => match marks[next] {
                Mark::Done => {}
                Mark::Open => {
                    let names = [next, node].map(|i| canvas.nodes()[i].shown().to_owned());
                    return Err(Unplannable::Circle { cards: names });
                }
                Mark::Unseen => {
                    marks[next] = Mark::Open;
                    stack.push((next, graph.needs[next].iter()));
                }
            },
            None => {
                marks[node] = Mark::Done;
                order.push(node);
                stack.pop();
            }
        }
    }
    Ok(())
}
