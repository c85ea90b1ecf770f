//! The records of its workspace that a flow uses, as a version notes them beside its canvas: another server finds its own by
//! them (manual 6.3, 20.5).

use serde::{Deserialize, Serialize};

/// A record that a canvas uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordReference {
    pub kind: ReferenceKind,
    /// The id on the server that noted it; a credential's is never noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    /// What sort of such a record it is: the type of a credential, a variable or a flow.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Over what the record does, and over no value in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What kind of record a canvas uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceKind {
    Credential,
    Tool,
    ToolServer,
    /// A document store.
    Store,
    Variable,
    Flow,
    /// A flow that is a harness.
    Harness,
}
