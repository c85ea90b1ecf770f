//! What a person decides about a step that waits for them (manual 16.5).

use super::execution::Pause;

/// What a person decides about a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Proceed,
    Reject,
}

impl Decision {
    /// The word that requests and records use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Reject => "reject",
        }
    }
}

/// An answer to a pause of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HumanInput {
    pub decision: Decision,
    /// The pause that is meant, by the id of its action; else by its node; else the first one that is open.
    pub action: Option<String>,
    /// The id of a node.
    pub node: Option<String>,
    pub feedback: Option<String>,
}

impl HumanInput {
    /// True when it answers this pause.
    #[must_use]
    pub fn means(&self, pause: &Pause) -> bool {
        let named = self.action.as_ref().is_none_or(|id| pause.id.to_string() == *id);
        named && self.node.as_ref().is_none_or(|node| pause.node_id == *node)
    }
}
