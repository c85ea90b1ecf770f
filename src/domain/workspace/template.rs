//! Templates: flows and tools to begin with (manual 5.12).

use crate::domain::error::{Error, Result};
use crate::domain::ids::{TemplateId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest name, description and badge, in characters.
const NAME_CHARS_MAX: usize = 255;
const DESCRIPTION_CHARS_MAX: usize = 4_096;
const BADGE_CHARS_MAX: usize = 64;
/// Uses a template may name.
const USECASES_MAX: usize = 20;

/// A template that a workspace made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    pub id: TemplateId,
    pub workspace: WorkspaceId,
    pub name: String,
    pub description: String,
    pub badge: String,
    pub usecases: Vec<String>,
    /// `Chatflow`, `Agentflow`, `AgentflowV2` or `Tool`.
    pub kind: TemplateKind,
    /// A canvas, or a tool as JSON text; without secrets and credentials.
    pub content: String,
    /// When it was made.
    pub created: Timestamp,
}

/// What a template makes, in Flowise's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateKind {
    Chatflow,
    /// A legacy multi-agent or sequential canvas.
    Agentflow,
    AgentflowV2,
    Tool,
}

impl Template {
    /// Checks what people wrote.
    ///
    /// # Errors
    /// 400 naming the field.
    pub fn check(&self) -> Result<()> {
        let short = |text: &str, most: usize| text.chars().count() <= most;
        if self.name.trim().is_empty() || !short(&self.name, NAME_CHARS_MAX) {
            return Err(Error::Invalid(format!(
                "Invalid name: it must have 1 to {NAME_CHARS_MAX} characters."
            )));
        }
        let usecases = self.usecases.len() <= USECASES_MAX
            && self.usecases.iter().all(|usecase| short(usecase, BADGE_CHARS_MAX));
        if !short(&self.description, DESCRIPTION_CHARS_MAX)
            || !short(&self.badge, BADGE_CHARS_MAX)
            || !usecases
        {
            return Err(Error::invalid("The description, the badge or a use of the template is too long."));
        }
        Ok(())
    }
}
