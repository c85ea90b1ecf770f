//! What keeps a flow of another product outside, in sentences.

use super::super::parse::display_name;
use crate::domain::error::count_phrase;

/// Sentences that a refusal holds; the others are counted.
const SENTENCES_MAX: usize = 30;
/// Kinds that are kept: a file may name any number.
const KINDS_MAX: usize = 200;
/// Names of nodes that a sentence lists.
const NAMES_SHOWN: usize = 5;

/// A kind of node, or a fault, with the nodes it is about.
#[derive(Debug)]
struct Obstacle {
    /// What it is, as a person of that product knows it.
    what: String,
    /// What it would take here.
    need: String,
    count: usize,
    /// The first of them, for the sentence.
    names: Vec<String>,
}

/// All that has no counterpart here.
#[derive(Debug, Default)]
pub(super) struct Obstacles(Vec<Obstacle>);

impl Obstacles {
    /// A node that no card stands for.
    pub(super) fn add(&mut self, what: &str, need: &str, node: &str) {
        let what = display_name(what);
        let known = self.0.iter().position(|known| known.what == what && known.need == need);
        let at = match known {
            Some(at) => at,
            None if self.0.len() >= KINDS_MAX => return,
            None => {
                self.0.push(Obstacle { what, need: need.to_owned(), count: 0, names: Vec::new() });
                self.0.len() - 1
            }
        };
        let obstacle = &mut self.0[at];
        obstacle.count += 1;
        if obstacle.names.len() < NAMES_SHOWN {
            obstacle.names.push(display_name(node));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The refusal: what the file holds of the product, what stands in the way, and what each would need.
    pub(super) fn report(&self, product: &str, nodes: usize) -> String {
        let of = count_phrase(nodes, "node", "nodes");
        let mut told = format!(
            "This flow of {product} ({of}) does not come in, because here it would not do what it does there."
        );
        for obstacle in self.0.iter().take(SENTENCES_MAX) {
            let names: Vec<String> = obstacle.names.iter().map(|name| format!("'{name}'")).collect();
            let more = obstacle.count - names.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            told.push_str(&format!(
                " {} × {} ({}{more}): {}.",
                obstacle.count,
                obstacle.what,
                names.join(", "),
                obstacle.need
            ));
        }
        let left = self.0.len().saturating_sub(SENTENCES_MAX);
        if left > 0 {
            told.push_str(&format!(" {left} further kinds stand in the way."));
        }
        told
    }
}
