//! Assistants (manual 8.14).

use crate::domain::ids::{AssistantId, WorkspaceId};
use crate::domain::knowledge::vector_config::VectorCardConfig;
use crate::domain::workspace::assistant::{Assistant, AssistantChange, AssistantKind};
use crate::knowledge::stores::ChatModelChoice;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// An assistant.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Assistant"))]
pub struct AssistantView {
    /// Of a CUSTOM one also the id of the flow that answers for it.
    id: AssistantId,
    /// JSON text of an object. Of a CUSTOM one: `name`, `chatModel`, `instruction`, `documentStores`, `tools`.
    details: String,
    credential: Option<String>,
    icon_src: Option<String>,
    r#type: AssistantKind,
    created_date: IsoTime,
    updated_date: IsoTime,
    workspace_id: WorkspaceId,
}

impl From<Assistant> for AssistantView {
    fn from(assistant: Assistant) -> Self {
        let Assistant { id, workspace, kind, details, marks, created, updated } = assistant;
        Self {
            id,
            details,
            credential: marks.credential,
            icon_src: marks.icon,
            r#type: kind,
            created_date: created.into(),
            updated_date: updated.into(),
            workspace_id: workspace,
        }
    }
}

/// What to change of an assistant; what is left out stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct AssistantEdit {
    /// JSON text of an object.
    details: Option<String>,
    /// Of a CUSTOM one any text of the client's own: its cards name their credentials in `details`.
    credential: Option<String>,
    icon_src: Option<String>,
    /// CUSTOM where it is left out; it never changes.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<AssistantKind>"))]
    r#type: Option<String>,
}

impl From<AssistantEdit> for AssistantChange {
    fn from(AssistantEdit { details, credential, icon_src, r#type }: AssistantEdit) -> Self {
        Self { kind: r#type, details, credential, icon: icon_src }
    }
}

#[cfg(feature = "test-support")]
impl crate::new::NewRecord for AssistantEdit {
    const NAME: &'static str = "NewAssistant";
    const ABOUT: &'static str = "An assistant to make.";
    const REQUIRED: &'static [&'static str] = &["details"];
}

/// What an assistant is for, and which model writes its instructions.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct GenerateInstruction {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 8_000)))]
    pub task: String,
    selected_chat_model: ChatModelChoice,
}

impl GenerateInstruction {
    /// The task, and the card of the model; `None` for a name that no card has.
    #[must_use]
    pub fn into_parts(self) -> (String, Option<VectorCardConfig>) {
        (self.task, self.selected_chat_model.into_card())
    }
}

/// Instructions for an assistant.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Instruction"))]
pub struct InstructionView {
    pub content: String,
}
