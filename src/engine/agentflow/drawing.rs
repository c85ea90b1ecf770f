//! Canvases for tests, drawn by number.

use super::graph::{DIRECT_REPLY, ITERATION, LOOP, START};
use crate::canvas::Canvas;
use serde_json::{Value, json};

pub(super) const STEP: &str = "llmAgentflow";

/// The output that an edge is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    Step(usize),
    Choice(usize, usize),
    Error(usize),
}

impl From {
    pub(super) const fn card(self) -> usize {
        match self {
            Self::Step(card) | Self::Choice(card, _) | Self::Error(card) => card,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct DrawnCard {
    pub(super) name: &'static str,
    pub(super) parent: Option<usize>,
    pub(super) back: Option<usize>,
    pub(super) rounds: Value,
}

#[derive(Debug, Clone)]
pub(super) struct Drawing {
    pub(super) cards: Vec<DrawnCard>,
    pub(super) edges: Vec<(From, usize)>,
}

impl Drawing {
    /// A drawing that begins with Start, which is card 0.
    pub(super) fn begin() -> Self {
        Self { cards: Vec::new(), edges: Vec::new() }.card(START)
    }

    pub(super) fn card(self, name: &'static str) -> Self {
        self.push(DrawnCard { name, parent: None, back: None, rounds: Value::Null })
    }

    /// So many plain cards.
    pub(super) fn steps(self, count: usize) -> Self {
        (0..count).fold(self, |drawing, _| drawing.card(STEP))
    }

    pub(super) fn iteration(self) -> Self {
        self.card(ITERATION)
    }

    pub(super) fn reply(self) -> Self {
        self.card(DIRECT_REPLY)
    }

    pub(super) fn back_to(self, target: usize, rounds: u32) -> Self {
        self.push(DrawnCard { name: LOOP, parent: None, back: Some(target), rounds: json!(rounds) })
    }

    /// Puts the last card into an iteration.
    pub(super) fn inside(mut self, iteration: usize) -> Self {
        self.cards.last_mut().unwrap().parent = Some(iteration);
        self
    }

    pub(super) fn edge(mut self, from: usize, to: usize) -> Self {
        self.edges.push((From::Step(from), to));
        self
    }

    /// Edges along a row of cards.
    pub(super) fn chain(self, cards: &[usize]) -> Self {
        cards.windows(2).fold(self, |drawing, pair| drawing.edge(pair[0], pair[1]))
    }

    pub(super) fn choice(mut self, from: usize, output: usize, to: usize) -> Self {
        self.edges.push((From::Choice(from, output), to));
        self
    }

    pub(super) fn error(mut self, from: usize, to: usize) -> Self {
        self.edges.push((From::Error(from), to));
        self
    }

    fn push(mut self, card: DrawnCard) -> Self {
        self.cards.push(card);
        self
    }

    pub(super) fn json(&self) -> Value {
        let nodes: Vec<Value> = self.cards.iter().enumerate().map(|(at, card)| node(at, card)).collect();
        let edges: Vec<Value> = self
            .edges
            .iter()
            .map(|&(from, to)| {
                let output = match from {
                    From::Step(_) => "llmAgentflow".to_owned(),
                    From::Choice(_, output) => output.to_string(),
                    From::Error(_) => "error".to_owned(),
                };
                let source = id(from.card());
                json!({"source": source, "sourceHandle": format!("{source}-output-{output}"), "target": id(to)})
            })
            .collect();
        json!({"nodes": nodes, "edges": edges})
    }

    pub(super) fn canvas(&self) -> Canvas {
        Canvas::parse(&self.json().to_string()).unwrap()
    }
}

pub(super) fn id(card: usize) -> String {
    format!("card_{card}")
}

fn node(at: usize, card: &DrawnCard) -> Value {
    let inputs = match card.back {
        Some(back) => {
            json!({"loopBackToNode": format!("{}-Card {back}", id(back)), "maxLoopCount": card.rounds})
        }
        None => json!({}),
    };
    let data = json!({"name": card.name, "label": format!("Card {at}"), "inputs": inputs});
    let mut node = json!({"id": id(at), "data": data});
    if let Some(parent) = card.parent {
        node["parentNode"] = json!(id(parent));
    }
    node
}
