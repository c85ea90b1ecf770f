//! A version brought up to date with the server (manual 6.5): its credentials matched, what history never keeps filled in.

use super::flow::{Flow, FlowKind};
use super::version::Version;
use serde::Serialize;

#[derive(Debug, Clone)]
pub struct RestorableVersion {
    /// The flow as it is now.
    pub flow: Flow,
    pub version: Version,
    /// The flow's name in it.
    pub name: String,
    /// The flow's kind in it.
    pub kind: FlowKind,
    pub category: Option<String>,
    /// Its canvas, filled, as `flowData`.
    pub canvas: String,
    /// True when Live matches it already, hidden secrets included.
    pub is_live: bool,
    pub notes: RestoreNotes,
}

/// What the reader of a version must be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoreNotes {
    /// Credentials the version names and the workspace lacks.
    pub missing_credentials: Vec<MissingCredential>,
    /// Credentials whose name and type several of the workspace have.
    pub ambiguous_credentials: Vec<AmbiguousCredential>,
    pub hidden_secrets: Vec<HiddenSecret>,
}

/// A credential the version names and the workspace lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCredential {
    pub name: String,
    pub credential_name: String,
}

/// A credential of whose name and type the workspace has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousCredential {
    pub name: String,
    pub credential_name: String,
    pub count: usize,
    pub using: CredentialChoice,
}

/// How one of several credentials was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum CredentialChoice {
    /// The one the flow uses now.
    Current,
    /// None of them is in use now, so the one that was made first.
    Oldest,
}

/// An input that holds `[secret hidden]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenSecret {
    pub node: String,
    pub label: String,
    /// Input name, or the key of the node when the text is no input.
    pub input: String,
    /// The input's label in the editor.
    pub input_label: String,
    pub count: usize,
}
