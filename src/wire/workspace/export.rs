//! The file of an export (manual 5.11): a list for each kind of thing, whose rows are those of the API where it has the same.

use super::executions::ExecutionRow;
use super::templates::TemplateView;
use super::tool_servers::ToolServerView;
use super::tools::ToolView;
use super::variables::VariableView;
use crate::checks::kept::KeptQuestionView;
use crate::domain::flows::flow::FlowKind;
use crate::domain::ids::{CredentialId, DocumentStoreId, FlowId, KeyId};
use crate::domain::knowledge::store_overview::{StoreOverview, StoreStatus};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What shall be in the file; nothing named is everything the caller may have, without conversations.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Export"))]
pub struct ExportSelection {
    #[serde(default)]
    pub agentflow: bool,
    #[serde(default)]
    pub agentflowv2: bool,
    #[serde(default, rename = "assistantCustom")]
    pub assistant_custom: bool,
    #[serde(default, rename = "assistantOpenAI")]
    pub assistant_open_ai: bool,
    #[serde(default, rename = "assistantAzure")]
    pub assistant_azure: bool,
    #[serde(default)]
    pub chatflow: bool,
    #[serde(default)]
    pub chat_message: bool,
    #[serde(default)]
    pub chat_feedback: bool,
    #[serde(default)]
    pub custom_template: bool,
    #[serde(default)]
    pub document_store: bool,
    /// The records of agentflow runs, the newest of them.
    #[serde(default)]
    pub execution: bool,
    /// Tools, and servers of tools.
    #[serde(default)]
    pub tool: bool,
    #[serde(default)]
    pub variable: bool,
}

/// A row whose fields are another server's, or those of a kind that is never in a file of ours.
pub type FileRow = Map<String, Value>;

/// A file in Flowise's format: a list for each kind of thing, and the name the file should have.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ExportFile {
    file_default_name: &'static str,
    pub chat_flow: Vec<FlowRow>,
    pub agent_flow: Vec<FlowRow>,
    pub agent_flow_v2: Vec<FlowRow>,
    pub assistant_flow: Vec<FlowRow>,
    pub tool: Vec<ToolView>,
    /// Servers of tools, of which address and headers are hidden.
    pub custom_mcp_server: Vec<ToolServerView>,
    pub variable: Vec<VariableView>,
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FileRow>"))]
    pub document_store: Vec<DocumentStoreRow>,
    pub custom_template: Vec<TemplateView>,
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FileRow>"))]
    pub chat_message: Vec<Value>,
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FileRow>"))]
    pub chat_message_feedback: Vec<Value>,
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FileRow>"))]
    pub execution: Vec<ExecutionRow>,
    document_store_file_chunk: Vec<FileRow>,
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FileRow>"))]
    pub assistant_custom: Vec<Value>,
    #[serde(rename = "AssistantOpenAI")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FileRow>"))]
    pub assistant_open_ai: Vec<Value>,
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<FileRow>"))]
    pub assistant_azure: Vec<Value>,
    #[serde(rename = "flowkeep")]
    pub notes: ExportNotes,
}

impl Default for ExportFile {
    fn default() -> Self {
        Self {
            file_default_name: "ExportData.json",
            chat_flow: Vec::new(),
            agent_flow: Vec::new(),
            agent_flow_v2: Vec::new(),
            assistant_flow: Vec::new(),
            tool: Vec::new(),
            custom_mcp_server: Vec::new(),
            variable: Vec::new(),
            document_store: Vec::new(),
            custom_template: Vec::new(),
            chat_message: Vec::new(),
            chat_message_feedback: Vec::new(),
            execution: Vec::new(),
            document_store_file_chunk: Vec::new(),
            assistant_custom: Vec::new(),
            assistant_open_ai: Vec::new(),
            assistant_azure: Vec::new(),
            notes: ExportNotes::default(),
        }
    }
}

/// What only this service knows of a file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ExportNotes {
    version: u32,
    /// Names and types of the credentials in it, by id.
    pub credentials: BTreeMap<CredentialId, CredentialNote>,
    /// Names and hashes of the API keys that its flows are bound to, by id, for callers who may see keys.
    pub keys: BTreeMap<KeyId, KeyNote>,
    /// True when there are more messages, ratings or records of runs than one file holds: these are the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "bool"))]
    pub truncated: Option<bool>,
}

impl Default for ExportNotes {
    fn default() -> Self {
        Self { version: 1, credentials: BTreeMap::new(), keys: BTreeMap::new(), truncated: None }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct CredentialNote {
    pub name: String,
    pub credential_name: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct KeyNote {
    pub name: String,
    pub hash: String,
}

/// A flow in a file: Live, its settings and its draft, without secrets.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ExportedFlow"))]
pub struct FlowRow {
    pub id: FlowId,
    pub name: String,
    /// JSON text of its canvas.
    pub flow_data: String,
    pub r#type: FlowKind,
    pub category: Option<String>,
    pub created_date: IsoTime,
    pub updated_date: IsoTime,
    pub publish_instantly: bool,
    pub deployed: Option<bool>,
    pub is_public: Option<bool>,
    #[serde(flatten)]
    pub settings: FlowSettingTexts,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "DraftRow"))]
    pub draft: Option<DraftRow>,
    /// Questions that are kept for its checks; what people asked is there only with messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_questions: Vec<KeptQuestionView>,
    /// True when only the holders of an API key may ask it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "bool"))]
    pub key_bound: Option<bool>,
    #[serde(rename = "apikeyid", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "KeyId"))]
    pub api_key: Option<KeyId>,
}

/// The settings of a flow that are objects, as JSON text.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct FlowSettingTexts {
    pub chatbot_config: Option<String>,
    pub api_config: Option<String>,
    pub analytic: Option<String>,
    pub speech_to_text: Option<String>,
    pub text_to_speech: Option<String>,
    pub follow_up_prompts: Option<String>,
    pub mcp_server_config: Option<String>,
}

/// What is to be published of a flow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct DraftRow {
    pub flow_data: String,
}

/// A store without what its loaders brought: they are run again where it comes in.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DocumentStoreRow {
    id: DocumentStoreId,
    name: String,
    description: String,
    created_date: IsoTime,
    updated_date: IsoTime,
    /// JSON text of an empty list.
    loaders: &'static str,
    status: StoreStatus,
}

impl From<StoreOverview> for DocumentStoreRow {
    fn from(store: StoreOverview) -> Self {
        Self {
            id: store.id,
            name: store.name,
            description: store.description,
            created_date: store.created.into(),
            updated_date: store.updated.into(),
            loaders: "[]",
            status: StoreStatus::Empty,
        }
    }
}
