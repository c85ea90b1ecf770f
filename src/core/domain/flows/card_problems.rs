//! What is wrong with a card before anybody asks its flow (manual 5.10).

use std::collections::BTreeMap;

/// What is wrong with one card of a canvas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardProblems {
    /// Node id; empty for problems of the whole flow.
    pub id: String,
    pub label: String,
    pub name: String,
    pub issues: Vec<String>,
    /// Which of the issues speak of a connection that leads nowhere.
    pub lost: Vec<LostConnection>,
    /// The flow cannot answer until they are mended; what stands beside the cards that answer only looks unfinished.
    pub blocks: bool,
}

/// A connection of which an end is no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostConnection {
    /// Its id on the canvas; empty where it has none.
    pub edge: String,
    /// What is said of it among the issues.
    pub issue: String,
}

/// True when nothing keeps a canvas with these problems from answering.
#[must_use]
pub fn can_run(problems: &[CardProblems]) -> bool {
    !problems.iter().any(|problem| problem.blocks)
}

/// A setting that a request may be allowed to change (manual 7.1 r2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverridableSetting {
    /// The label of its card.
    pub node: String,
    pub node_id: String,
    pub label: String,
    pub name: String,
    /// What it holds; the choices themselves, where there are some.
    pub kind: String,
    /// What each field holds that may be sent: of the rows of a list, or of the settings of a card that is picked.
    pub schema: Option<BTreeMap<&'static str, String>>,
}
