//! What differs between two versions of a flow (manual 6.6).

use super::version::Sha;

/// What changed from one canvas to another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// Nodes that only the later canvas has.
    pub added: Vec<DiffNode>,
    /// Nodes that only the earlier canvas has.
    pub removed: Vec<DiffNode>,
    /// Nodes that both have, with what changed.
    pub changed: Vec<ChangedNode>,
    /// Ids of nodes that stand elsewhere.
    pub moved: Vec<String>,
    /// Other cards are connected, or the same ones elsewhere.
    pub edges_changed: bool,
    /// The flow's name, when it changed.
    pub renamed: Option<NameChange>,
}

/// A node that was added or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffNode {
    pub id: String,
    pub label: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedNode {
    /// Node id, or `settings` for the flow's record.
    pub id: String,
    /// The card label, as it is later.
    pub label: String,
    /// Input names, keys of the node, or keys of the record.
    pub fields: Vec<String>,
}

/// Another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameChange {
    pub from: String,
    pub to: String,
}

/// A version in comparison with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionComparison {
    pub sha: Sha,
    pub against: ComparedWith,
    pub diff: Diff,
    /// The same in words, a sentence for each change; none for the first version.
    pub sentences: Vec<String>,
}

/// What a version is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparedWith {
    /// Nothing: it is the first one.
    Nothing,
    Version(Sha),
    /// The flow as it is now.
    Live,
}
