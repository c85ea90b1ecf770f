//! What the members of a Multi-Agent or Sequential Agent flow did on the way to an answer.

use super::prediction::{Artifact, Document, UsedTool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One turn of a member.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentReasoning {
    pub agent_name: String,
    /// What it said.
    pub messages: Vec<String>,
    /// Whom a supervisor chose, or which output a decision took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What a supervisor wants done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    pub used_tools: Vec<UsedTool>,
    pub source_documents: Vec<Document>,
    pub artifacts: Vec<Artifact>,
    /// The keys of the state after the turn, without the messages.
    pub state: Map<String, Value>,
    /// The name of its card.
    pub node_name: String,
    pub node_id: String,
}

/// What such a run came to beside its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnsOutput {
    /// The turns of this request, in the order of the record.
    pub reasoning: Vec<AgentReasoning>,
    /// What a person is asked to decide, where the run waits.
    pub action: Option<Map<String, Value>>,
    /// What the conversation keeps of the run.
    pub kept: Value,
}
