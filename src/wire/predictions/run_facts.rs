//! What is said of a run beside its text: in answers, in events, and in stored messages.

use crate::domain::flows::harness_name::HarnessName;
use crate::domain::predictions::prediction::{Artifact, Document, FileAnnotation, Usage, UsedTool};
use crate::domain::predictions::reasoning::AgentReasoning;
use crate::domain::predictions::team::SpecialistArtifact;
use serde::Serialize;
use serde_json::{Map, Value};

/// A chunk of a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "SourceDocument"))]
pub struct DocumentView {
    page_content: String,
    metadata: Map<String, Value>,
}

impl From<Document> for DocumentView {
    fn from(Document { page_content, metadata }: Document) -> Self {
        Self { page_content, metadata }
    }
}

/// A tool that an answer used.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "UsedTool"))]
pub struct UsedToolView {
    tool: String,
    tool_input: Value,
    tool_output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    error: Option<String>,
}

impl From<UsedTool> for UsedToolView {
    fn from(UsedTool { tool, tool_input, tool_output, error }: UsedTool) -> Self {
        Self { tool, tool_input, tool_output, error }
    }
}

/// A picture that a model made.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Artifact"))]
pub struct ArtifactView {
    /// The specialist that made it, where a team answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    agent: Option<HarnessName>,
    /// What it is, as in `png`.
    r#type: String,
    /// Where it is read.
    data: String,
}

impl From<Artifact> for ArtifactView {
    fn from(Artifact { kind, data }: Artifact) -> Self {
        Self { agent: None, r#type: kind, data }
    }
}

impl From<SpecialistArtifact> for ArtifactView {
    fn from(SpecialistArtifact { agent, kind, data }: SpecialistArtifact) -> Self {
        Self { agent: Some(agent), r#type: kind, data }
    }
}

/// Another file that a model made.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FileAnnotation"))]
pub(crate) struct FileAnnotationView {
    /// Where it is read.
    file_path: String,
    file_name: String,
}

impl From<FileAnnotation> for FileAnnotationView {
    fn from(FileAnnotation { file_path, file_name }: FileAnnotation) -> Self {
        Self { file_path, file_name }
    }
}

/// A turn of a member of a Multi-Agent or Sequential Agent flow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AgentReasoning"))]
pub struct AgentReasoningView {
    agent_name: String,
    /// What it said.
    messages: Vec<String>,
    /// Whom a supervisor chose, or which output a decision took.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    next: Option<String>,
    /// What a supervisor wants done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    instructions: Option<String>,
    used_tools: Vec<UsedToolView>,
    source_documents: Vec<DocumentView>,
    artifacts: Vec<ArtifactView>,
    /// The keys of the state after the turn.
    state: Map<String, Value>,
    /// The name of its card.
    node_name: String,
    node_id: String,
}

impl From<AgentReasoning> for AgentReasoningView {
    fn from(turn: AgentReasoning) -> Self {
        Self {
            agent_name: turn.agent_name,
            messages: turn.messages,
            next: turn.next,
            instructions: turn.instructions,
            used_tools: turn.used_tools.into_iter().map(UsedToolView::from).collect(),
            source_documents: turn.source_documents.into_iter().map(DocumentView::from).collect(),
            artifacts: turn.artifacts.into_iter().map(ArtifactView::from).collect(),
            state: turn.state,
            node_name: turn.node_name,
            node_id: turn.node_id,
        }
    }
}

#[must_use]
pub fn reasoning_views(turns: &[AgentReasoning]) -> Vec<AgentReasoningView> {
    turns.iter().cloned().map(AgentReasoningView::from).collect()
}

/// Tokens that models read and wrote.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Usage"))]
pub(crate) struct UsageView {
    input_tokens: u64,
    output_tokens: u64,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "InputDetails"))]
    input_token_details: Option<InputDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "OutputDetails"))]
    output_token_details: Option<OutputDetails>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct InputDetails {
    cache_read: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct OutputDetails {
    reasoning: u64,
}

impl From<Usage> for UsageView {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = usage;
        Self {
            input_tokens,
            output_tokens,
            total_tokens: usage.total(),
            input_token_details: (cached_tokens > 0).then_some(InputDetails { cache_read: cached_tokens }),
            output_token_details: (reasoning_tokens > 0)
                .then_some(OutputDetails { reasoning: reasoning_tokens }),
        }
    }
}
