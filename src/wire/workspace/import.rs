//! Taking a file in (manual 5.11): the request, and what became of each thing.

use crate::domain::flows::flow::FlowKind;
use crate::domain::workspace::import::{ExistingPolicy, FileImport, ImportAction, ImportChoices};
use crate::flows::problems::CardProblemsView;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;
use uuid::Uuid;

/// An export, a flow, a tool or a canvas, with how it is to come in beside it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Import"))]
pub struct ImportBody {
    /// `preview` changes nothing and tells what an import would do.
    mode: Option<ImportMode>,
    /// What to do with things that are here already; they stay as they are unless it is said.
    #[serde(default)]
    existing: ExistingPolicy,
    /// What to do with single things of the file, by their ids in it.
    #[serde(default)]
    #[cfg_attr(
        feature = "test-support",
        schemars(with = "std::collections::BTreeMap<String, ImportAction>")
    )]
    choices: HashMap<String, ImportAction>,
    /// Name of the file, after which a canvas without a name is called.
    file_name: Option<String>,
    #[serde(flatten)]
    #[cfg_attr(feature = "test-support", schemars(with = "FileFields"))]
    file: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum ImportMode {
    Preview,
    Import,
}

impl From<ImportBody> for FileImport {
    fn from(ImportBody { mode, existing, choices, file_name, file }: ImportBody) -> Self {
        let choices = ImportChoices { chosen: choices, existing };
        Self { is_preview: mode == Some(ImportMode::Preview), choices, file_name, file }
    }
}

/// Some of the fields by which a file is told to be a flow, a canvas or an export.
#[cfg(feature = "test-support")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[allow(dead_code)]
struct FileFields {
    /// Of a single flow.
    id: Option<String>,
    /// Of a single flow.
    name: Option<String>,
    /// Of a single flow.
    r#type: Option<String>,
    /// Of a single flow: JSON text of its canvas.
    flow_data: Option<String>,
    /// Of a canvas.
    #[schemars(default)]
    nodes: Vec<Map<String, Value>>,
    /// Of a canvas.
    #[schemars(default)]
    edges: Vec<Map<String, Value>>,
    /// Of a file that is no JSON, and nothing beside it: its text, such as an app of Dify as YAML.
    text: Option<String>,
    /// Of an export, which has a list for each kind of thing.
    #[schemars(default, rename = "ChatFlow")]
    chat_flow: Vec<Map<String, Value>>,
}

/// What became of each thing of a file, or what would.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ImportResult {
    pub message: &'static str,
    pub items: Vec<ImportItemView>,
    pub created: usize,
    pub updated: usize,
    pub skipped: usize,
    pub refused: usize,
    pub unsupported: Vec<UnsupportedView>,
}

/// A thing of the file, or a list of things that cannot come in.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ImportItem"))]
pub struct ImportItemView {
    kind: &'static str,
    #[serde(flatten)]
    identity: Option<ItemIdentity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "usize"))]
    count: Option<usize>,
    action: ImportOutcome,
    /// Why this is done with it.
    reason: Option<String>,
    /// What it could be told to do; none when it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<ImportAction>"))]
    choices: Option<Vec<ImportAction>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(flatten)]
    flow: Option<FlowReport>,
}

/// Which thing of the file it is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ItemIdentity {
    /// Its id in the file.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<String>"))]
    pub id: Option<Uuid>,
    pub name: String,
    /// Its id here, when it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    pub new_id: Option<Uuid>,
}

/// What is said of a flow that comes in.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct FlowReport {
    /// Of a flow that comes in.
    pub r#type: FlowKind,
    /// What is wrong with such a flow, as `/validation/:id` says it.
    pub problems: Vec<CardProblemsView>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum ImportOutcome {
    Create,
    Duplicate,
    Update,
    Skip,
    Refused,
}

impl From<ImportAction> for ImportOutcome {
    fn from(action: ImportAction) -> Self {
        match action {
            ImportAction::Create => Self::Create,
            ImportAction::Duplicate => Self::Duplicate,
            ImportAction::Update => Self::Update,
            ImportAction::Skip => Self::Skip,
        }
    }
}

impl ImportItemView {
    /// A thing for which `action` is or would be done.
    #[must_use]
    pub fn planned(
        kind: &'static str,
        identity: ItemIdentity,
        action: ImportAction,
        reason: Option<String>,
        choices: Vec<ImportAction>,
    ) -> Self {
        Self {
            kind,
            identity: Some(identity),
            count: None,
            action: action.into(),
            reason,
            choices: Some(choices),
            notes: Vec::new(),
            flow: None,
        }
    }

    /// A thing that cannot come in.
    #[must_use]
    pub fn refused(kind: &'static str, identity: ItemIdentity, reason: String) -> Self {
        Self {
            kind,
            identity: Some(identity),
            count: None,
            action: ImportOutcome::Refused,
            reason: Some(reason),
            choices: None,
            notes: Vec::new(),
            flow: None,
        }
    }

    /// A list of things that stay outside.
    #[must_use]
    pub fn left_out(kind: &'static str, count: usize, reason: &str) -> Self {
        Self {
            kind,
            identity: None,
            count: Some(count),
            action: ImportOutcome::Skip,
            reason: Some(reason.to_owned()),
            choices: Some(vec![ImportAction::Skip]),
            notes: Vec::new(),
            flow: None,
        }
    }

    /// A list of things that come in without being asked about one by one.
    #[must_use]
    pub fn listed(kind: &'static str, count: usize) -> Self {
        Self {
            kind,
            identity: None,
            count: Some(count),
            action: ImportOutcome::Create,
            reason: None,
            choices: Some(Vec::new()),
            notes: Vec::new(),
            flow: None,
        }
    }

    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    #[must_use]
    pub fn with_flow(self, flow: Option<FlowReport>) -> Self {
        Self { flow, ..self }
    }
}

/// A type of flow or a card that comes in and does not run on this server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Unsupported"))]
pub struct UnsupportedView {
    pub what: UnsupportedKind,
    pub name: String,
    pub count: usize,
    /// In how many flows.
    pub flows: usize,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum UnsupportedKind {
    Card,
}
