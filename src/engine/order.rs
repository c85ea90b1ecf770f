//! Which cards a flow needs, in the order in which they are built (manual 9.6).

use super::plan::{LastCard, PlanError};
use super::source;
use crate::canvas::{Canvas, Edge, Node};
use crate::cards::kit::stores::store_inputs::DOCUMENT;
use crate::cards::kit::{Factory, Output, VARIABLE_NAME};
use crate::cards::registry;
use std::collections::{BTreeSet, HashMap};

/// The output of cards that answer only when they are set to it.
const ENDING_OUTPUT: &str = "EndingNode";

/// Groups a card may belong to and still end a flow, for cards this server does not know.
const ENDING_CATEGORIES: &[&str] = &["Chains", "Agents", "Engine", "Multi Agents", "Sequential Agents"];

/// Branching nodes of a flow that are followed; more than any person draws.
const BRANCHES_MAX: usize = 64;

/// What a run builds. Numbers are positions in `canvas.nodes()`.
pub(super) struct BuildOrder {
    /// Each node after all it needs.
    pub(super) nodes: Vec<usize>,
    /// Nodes that can answer, in canvas order: one, unless the flow branches.
    pub(super) endings: Vec<usize>,
    /// Cards that choose between their outputs.
    pub(super) branches: Vec<NodeBranch>,
}

/// A card that chooses between its outputs.
pub(super) struct NodeBranch {
    pub(super) node: usize,
    /// By output: all nodes that come after it, near and far.
    pub(super) downstream: Vec<(String, BTreeSet<usize>)>,
}

impl NodeBranch {
    fn leads_to(&self, node: usize) -> bool {
        self.downstream.iter().any(|(_, nodes)| nodes.contains(&node))
    }
}

/// What the cards are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BuildPurpose {
    /// A question: what only an upsert reads is left out (manual 9.6).
    Answer,
    Upsert,
}

/// Orders the cards that an upsert into the store at `store` needs (manual 9.6 r3); of its loaders those that `is_wanted`.
pub(super) fn order_for_upsert(
    canvas: &Canvas,
    store: usize,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<BuildOrder, PlanError> {
    let mut graph = Graph::build(canvas, BuildPurpose::Upsert);
    let documents = canvas.nodes()[store].inputs.get(DOCUMENT.name).unwrap_or(&serde_json::Value::Null);
    source::for_each_reference(documents, &mut |id| {
        if !is_wanted(id) {
            graph.needs[store].retain(|need| canvas.nodes()[*need].id != id);
        }
    });
    let mut forks = branches(canvas, &graph);
    graph.order_variables(canvas);
    let mut nodes = Vec::new();
    let mut marks = vec![VisitState::Unseen; canvas.nodes().len()];
    visit(store, &graph, canvas, &mut marks, &mut nodes)?;
    forks.retain(|fork| marks[fork.node] == VisitState::Done);
    Ok(BuildOrder { nodes, endings: vec![store], branches: forks })
}

/// Orders these cards of a pipeline and all that they need: what brings documents comes before what takes them.
pub(super) fn order_for_pipeline(canvas: &Canvas, cards: &[usize]) -> Result<BuildOrder, PlanError> {
    let graph = Graph::build(canvas, BuildPurpose::Upsert);
    let mut nodes = Vec::new();
    let mut marks = vec![VisitState::Unseen; canvas.nodes().len()];
    for &card in cards.iter() {
        if marks[card] == VisitState::Unseen {
            visit(card, &graph, canvas, &mut marks, &mut nodes)?;
        }
    }
    Ok(BuildOrder { nodes, endings: Vec::new(), branches: Vec::new() })
}

/// Orders these cards and all that they need.
pub(super) fn order_parts(canvas: &Canvas, wanted: &[usize]) -> Result<BuildOrder, PlanError> {
    let mut graph = Graph::build(canvas, BuildPurpose::Answer);
    let mut forks = branches(canvas, &graph);
    graph.order_variables(canvas);
    let mut nodes = Vec::new();
    let mut marks = vec![VisitState::Unseen; canvas.nodes().len()];
    for &wanted in wanted {
        if marks[wanted] == VisitState::Unseen {
            marks[wanted] = VisitState::Open;
            visit(wanted, &graph, canvas, &mut marks, &mut nodes)?;
        }
    }
    forks.retain(|fork| marks[fork.node] == VisitState::Done);
    Ok(BuildOrder { nodes, endings: Vec::new(), branches: forks })
}

/// Orders the cards that the answer needs.
pub(super) fn order(canvas: &Canvas) -> Result<BuildOrder, PlanError> {
    let mut graph = Graph::build(canvas, BuildPurpose::Answer);
    // Before names add to the order: a card that only gets a variable of a branch is not downstream of it.
    let mut forks = branches(canvas, &graph);
    graph.order_variables(canvas);
    let mut endings = endings(canvas, &graph)?;
    // Of several endings the last one answers, and what only the others need is not built, unless a branch chooses them.
    let last = endings.last().copied();
    endings.retain(|ending| Some(*ending) == last || forks.iter().any(|fork| fork.leads_to(*ending)));
    let mut nodes = Vec::new();
    let mut marks = vec![VisitState::Unseen; canvas.nodes().len()];
    for &ending in &endings {
        visit(ending, &graph, canvas, &mut marks, &mut nodes)?;
    }
    // A branching node that no answer needs is not asked and decides nothing.
    forks.retain(|fork| marks[fork.node] == VisitState::Done);
    Ok(BuildOrder { nodes, endings, branches: forks })
}

fn branches(canvas: &Canvas, graph: &Graph) -> Vec<NodeBranch> {
    let is_fork =
        |node: &Node| registry::find(&node.name).is_some_and(|card| matches!(card.make, Factory::Branch(_)));
    if !canvas.nodes().iter().any(is_fork) {
        return Vec::new();
    }
    let mut after = vec![Vec::new(); canvas.nodes().len()];
    for (node, needs) in graph.needs.iter().enumerate() {
        needs.iter().for_each(|&need| after[need].push(node));
    }
    let at: HashMap<&str, usize> =
        canvas.nodes().iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
    let fork = |(node, drawn): (usize, &Node)| {
        let card = registry::find(&drawn.name)?;
        let behind = card.outputs.iter().map(|output| {
            let leaves = |edge: &&Edge| edge.source == drawn.id && edge.output() == Some(output.name);
            let mut open: Vec<usize> = canvas
                .edges()
                .iter()
                .filter(leaves)
                .filter_map(|edge| at.get(edge.target.as_str()).copied())
                .collect();
            let mut seen = BTreeSet::new();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(&after[next]);
                }
            }
            (output.name.to_owned(), seen)
        });
        Some(NodeBranch { node, downstream: behind.collect() })
    };
    canvas
        .nodes()
        .iter()
        .enumerate()
        .filter(|(_, node)| is_fork(node))
        .take(BRANCHES_MAX)
        .filter_map(fork)
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
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
    fn build(canvas: &Canvas, purpose: BuildPurpose) -> Self {
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
        let mut only_filling = BTreeSet::new();
        for &target in at.values() {
            let node = &canvas.nodes()[target];
            let card = registry::find(&node.name).filter(|_| purpose == BuildPurpose::Answer);
            let fills =
                |name: &str| card.and_then(|card| card.input(name)).is_some_and(|input| input.upsert_only);
            for (name, value) in &node.inputs {
                source::for_each_reference(value, &mut |id| match at.get(id) {
                    Some(&source) if fills(name) => drop(only_filling.insert((source, target))),
                    found => add(found, target),
                });
            }
        }
        for edge in canvas.edges() {
            let ends = at.get(edge.source.as_str()).zip(at.get(edge.target.as_str()));
            if let Some((source, &target)) =
                ends.filter(|&(&source, &target)| !only_filling.contains(&(source, target)))
            {
                add(Some(source), target);
            }
        }
        // What only an upsert needs is not built, but it is no ending either.
        only_filling.iter().for_each(|(source, _)| needed[*source] = true);
        Self { needs, needed }
    }

    /// A card that gets a variable comes after those that set it, though nothing connects them. A pair that already
    /// stands in the other order, or that is connected in a circle by this, stays as it is drawn.
    fn order_variables(&mut self, canvas: &Canvas) {
        let of = |is: fn(&Factory) -> bool| -> Vec<(usize, &serde_json::Value)> {
            let name = |(at, node): (usize, &'_ Node)| {
                let card = registry::find(&node.name)?;
                is(&card.make).then_some(at)
            };
            let found = canvas.nodes().iter().enumerate().filter_map(name);
            found.filter_map(|at| Some((at, canvas.nodes()[at].inputs.get(VARIABLE_NAME)?))).collect()
        };
        let keepers = of(|make| matches!(make, Factory::SetVariable(_)));
        for (reader, name) in of(|make| matches!(make, Factory::GetVariable(_))) {
            for &(keeper, _) in keepers.iter().filter(|(_, kept)| *kept == name) {
                if !self.comes_before(reader, keeper) {
                    self.needs[reader].insert(keeper);
                    self.needed[keeper] = true;
                }
            }
        }
    }

    /// True when `later` needs `earlier`, through any number of cards.
    fn comes_before(&self, earlier: usize, later: usize) -> bool {
        let mut seen = BTreeSet::from([later]);
        let mut open = vec![later];
        while let Some(node) = open.pop() {
            if node == earlier {
                return true;
            }
            open.extend(self.needs[node].iter().copied().filter(|&next| seen.insert(next)));
        }
        false
    }
}

/// The nodes that can answer: at least one, in canvas order.
fn endings(canvas: &Canvas, graph: &Graph) -> Result<Vec<usize>, PlanError> {
    let cards: Vec<usize> = (0..canvas.nodes().len()).filter(|&i| !canvas.nodes()[i].is_note()).collect();
    if cards.is_empty() {
        return Err(PlanError::Empty);
    }
    let last = |&&i: &&usize| !graph.needed[i] && (!graph.needs[i].is_empty() || cards.len() == 1);
    let candidates: Vec<usize> = cards.iter().filter(last).copied().collect();
    let (wrong, found): (Vec<usize>, Vec<usize>) =
        candidates.iter().filter(|&&i| can_end(canvas, i)).partition(|&&i| predicts(canvas, i).is_some());
    if !found.is_empty() {
        return Ok(found);
    }
    let ending = |i: usize| {
        let node = &canvas.nodes()[i];
        LastCard { node: node.id.clone(), label: node.label().to_owned() }
    };
    Err(match wrong.last().and_then(|&i| Some((i, predicts(canvas, i)?))) {
        Some((i, wanted)) => PlanError::EndsInPrediction { last: ending(i), wanted },
        None => PlanError::NoEnding { last: candidates.last().map(|&i| ending(i)) },
    })
}

/// The output a card must be set to instead, when it is set to one that other cards read.
fn predicts(canvas: &Canvas, index: usize) -> Option<&'static str> {
    let node = &canvas.nodes()[index];
    let card = registry::find(&node.name)?;
    let is_set = |output: &&Output| output.predicts && node.output.as_deref() == Some(output.name);
    card.outputs.iter().any(|output| is_set(&output)).then_some(card.label)
}

fn can_end(canvas: &Canvas, index: usize) -> bool {
    let node = &canvas.nodes()[index];
    match registry::find(&node.name) {
        Some(card) => {
            let chosen = node.output.as_deref().unwrap_or_default();
            let ends = chosen == ENDING_OUTPUT && card.outputs.iter().any(|output| output.name == chosen);
            card.can_end() || ends
        }
        None => {
            ENDING_CATEGORIES.contains(&node.category.as_str())
                || node.output.as_deref() == Some(ENDING_OUTPUT)
        }
    }
}

/// Depth first without recursion: a canvas may chain any number of cards.
fn visit(
    root: usize,
    graph: &Graph,
    canvas: &Canvas,
    marks: &mut [VisitState],
    order: &mut Vec<usize>,
) -> Result<(), PlanError> {
    let mut stack = vec![(root, graph.needs[root].iter())];
    marks[root] = VisitState::Open;
    while let Some((node, needs)) = stack.last_mut() {
        let node = *node;
        match needs.next() {
            Some(&next) => match marks[next] {
                VisitState::Done => {}
                VisitState::Open => {
                    let ends = [next, node].map(|i| &canvas.nodes()[i]);
                    return Err(PlanError::Circle {
                        cards: ends.map(|end| end.label().to_owned()),
                        nodes: ends.map(|end| end.id.clone()),
                    });
                }
                VisitState::Unseen => {
                    marks[next] = VisitState::Open;
                    stack.push((next, graph.needs[next].iter()));
                }
            },
            None => {
                marks[node] = VisitState::Done;
                order.push(node);
                stack.pop();
            }
        }
    }
    Ok(())
}
