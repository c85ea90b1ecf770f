//! Templates: flows and tools to begin with (manual 5.12).

use super::tool::ToolChange;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, TemplateId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

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
    /// Every workspace of the service may use it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

/// Where a template is that every workspace may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedTemplate {
    pub workspace: WorkspaceId,
    pub template: TemplateId,
}

impl SharedTemplate {
    /// What it is kept by: the bytes of the workspace and of the template.
    #[must_use]
    pub fn key(&self) -> [u8; 32] {
        let mut key = [0; 32];
        key[..16].copy_from_slice(self.workspace.bytes());
        key[16..].copy_from_slice(self.template.bytes());
        key
    }
}

/// A flow that every service brings to start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    pub id: String,
    pub name: String,
    pub description: String,
    pub badge: String,
    pub usecases: Vec<String>,
    pub kind: TemplateKind,
    pub canvas: String,
    /// The categories of its cards.
    pub categories: Vec<String>,
}

/// What people read of a template, and who may use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateLabel {
    pub name: String,
    pub description: String,
    pub badge: String,
    pub usecases: Vec<String>,
    /// Every workspace of the service may use it.
    pub shared: bool,
}

/// What is changed of a template; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateChange {
    pub name: Option<String>,
    pub description: Option<String>,
    pub badge: Option<String>,
    pub usecases: Option<Vec<String>>,
    pub shared: Option<bool>,
}

impl TemplateChange {
    /// True when it changes what people read.
    pub const fn has_label(&self) -> bool {
        self.name.is_some() || self.description.is_some() || self.badge.is_some() || self.usecases.is_some()
    }

    /// The template as it is afterwards.
    pub fn apply(self, template: Template) -> Template {
        Template {
            name: self.name.map_or(template.name, |name| name.trim().to_owned()),
            description: self.description.unwrap_or(template.description),
            badge: self.badge.unwrap_or(template.badge),
            usecases: self.usecases.unwrap_or(template.usecases),
            shared: self.shared.unwrap_or(template.shared),
            ..template
        }
    }
}

/// What a template is made of.
#[derive(Debug, Clone)]
pub enum TemplateSource {
    /// A flow of the workspace.
    Flow(FlowId),
    Tool {
        /// The tool as the caller has it: the template holds its fields in the form they were sent in.
        fields: Map<String, Value>,
        /// What these fields say.
        change: Box<ToolChange>,
    },
}

/// What a template makes, in Flowise's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum TemplateKind {
    Chatflow,
    /// A legacy multi-agent or sequential canvas.
    Agentflow,
    AgentflowV2,
    Tool,
}

/// The categories of the cards of a canvas.
#[must_use]
pub fn categories(canvas: &str) -> Vec<String> {
    let canvas: Value = serde_json::from_str(canvas).unwrap_or_default();
    let nodes = canvas["nodes"].as_array().into_iter().flatten();
    let found: BTreeSet<&str> = nodes.filter_map(|node| node["data"]["category"].as_str()).collect();
    found.into_iter().map(str::to_owned).collect()
}

impl Template {
    /// The categories of its cards; a tool has none.
    #[must_use]
    pub fn categories(&self) -> Vec<String> {
        if self.kind == TemplateKind::Tool { Vec::new() } else { categories(&self.content) }
    }

    /// The fields of the tool that it makes.
    #[must_use]
    pub fn tool(&self) -> Option<Map<String, Value>> {
        let content = (self.kind == TemplateKind::Tool).then_some(&self.content)?;
        serde_json::from_str(content).ok()
    }

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
