//! Flows and tools to start from (manual 5.12).

use super::tools::ToolEdit;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, TemplateId, WorkspaceId};
use crate::domain::workspace::template::{
    Starter, Template, TemplateChange, TemplateKind, TemplateLabel, TemplateSource,
};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A flow to start from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Starter"))]
pub struct StarterView {
    id: &'static str,
    template_name: &'static str,
    description: &'static str,
    r#type: TemplateKind,
    badge: &'static str,
    usecases: &'static [String],
    framework: Vec<String>,
    categories: &'static [String],
    /// JSON text of a canvas.
    flow_data: &'static str,
}

impl From<&'static Starter> for StarterView {
    fn from(starter: &'static Starter) -> Self {
        Self {
            id: &starter.id,
            template_name: &starter.name,
            description: &starter.description,
            r#type: starter.kind,
            badge: &starter.badge,
            usecases: &starter.usecases,
            framework: Vec::new(),
            categories: &starter.categories,
            flow_data: &starter.canvas,
        }
    }
}

/// A flow or a tool to start from, kept in a workspace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Template"))]
pub struct TemplateView {
    id: TemplateId,
    name: String,
    template_name: String,
    description: String,
    badge: String,
    usecases: Vec<String>,
    r#type: TemplateKind,
    /// JSON text of a canvas or a tool.
    flow_data: String,
    framework: Vec<String>,
    categories: Vec<String>,
    created_date: IsoTime,
    workspace_id: WorkspaceId,
    /// Every workspace of the service may use it.
    shared: bool,
    #[serde(flatten)]
    tool: Option<ToolParts>,
}

/// What people read of a template, and who may use it. What it makes is for those who may list templates.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "TemplateLabel"))]
pub struct TemplateLabelView {
    id: TemplateId,
    name: String,
    description: String,
    badge: String,
    usecases: Vec<String>,
    /// Every workspace of the service may use it.
    shared: bool,
}

impl From<Template> for TemplateLabelView {
    fn from(template: Template) -> Self {
        let Template { id, name, description, badge, usecases, shared, .. } = template;
        Self { id, name, description, badge, usecases, shared }
    }
}

/// The parts of a tool, which a page reads beside those of its template.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
struct ToolParts {
    schema: Value,
    func: Value,
    color: Value,
    icon_src: Value,
}

impl From<Template> for TemplateView {
    fn from(template: Template) -> Self {
        let (categories, tool) = (template.categories(), template.tool().map(ToolParts::from));
        let Template { id, workspace, name, description, badge, usecases, kind, content, created, shared } =
            template;
        Self {
            id,
            template_name: name.clone(),
            name,
            description,
            badge,
            usecases,
            r#type: kind,
            flow_data: content,
            framework: Vec::new(),
            categories,
            created_date: created.into(),
            workspace_id: workspace,
            shared,
            tool,
        }
    }
}

impl From<Map<String, Value>> for ToolParts {
    fn from(mut tool: Map<String, Value>) -> Self {
        let mut take = |name: &str| tool.get_mut(name).map(Value::take).unwrap_or_default();
        Self { schema: take("schema"), func: take("func"), color: take("color"), icon_src: take("iconSrc") }
    }
}

/// Makes a template of a flow or of a tool.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct NewTemplate {
    name: String,
    description: Option<String>,
    badge: Option<String>,
    usecases: Option<Vec<String>>,
    chatflow_id: Option<String>,
    tool: Option<Map<String, Value>>,
    /// Every workspace of the service may use it; no, unless it is said.
    shared: Option<bool>,
}

/// Changes a template; what is absent stays as it is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct TemplateEdit {
    name: Option<String>,
    description: Option<String>,
    badge: Option<String>,
    usecases: Option<Vec<String>>,
    /// Every workspace of the service may use it.
    shared: Option<bool>,
}

impl From<TemplateEdit> for TemplateChange {
    fn from(edit: TemplateEdit) -> Self {
        let TemplateEdit { name, description, badge, usecases, shared } = edit;
        Self { name, description, badge, usecases, shared }
    }
}

/// What a template shall be made of, as it was sent.
#[derive(Debug)]
pub enum SentSource {
    Flow(String),
    Tool(Map<String, Value>),
}

impl NewTemplate {
    /// What people shall read of it, and what it is made of.
    ///
    /// # Errors
    /// 400 unless it is made of one thing.
    pub fn into_parts(self) -> Result<(TemplateLabel, SentSource)> {
        let source = match (self.chatflow_id, self.tool) {
            (Some(id), None) => SentSource::Flow(id),
            (None, Some(fields)) => SentSource::Tool(fields),
            _ => return Err(Error::invalid("Send either 'chatflowId' or 'tool'.")),
        };
        let label = TemplateLabel {
            name: self.name,
            description: self.description.unwrap_or_default(),
            badge: self.badge.unwrap_or_default(),
            usecases: self.usecases.unwrap_or_default(),
            shared: self.shared.unwrap_or_default(),
        };
        Ok((label, source))
    }
}

impl TryFrom<SentSource> for TemplateSource {
    type Error = Error;

    fn try_from(sent: SentSource) -> Result<Self> {
        match sent {
            SentSource::Flow(id) => {
                FlowId::parse(&id).map(Self::Flow).ok_or_else(|| Error::no_flow_text(&id))
            }
            SentSource::Tool(fields) => {
                let tool: ToolEdit = serde_json::from_value(Value::from(fields.clone()))
                    .map_err(|_| Error::invalid("'tool' must be a tool as GET /tools shows it."))?;
                Ok(Self::Tool { fields, change: Box::new(tool.into()) })
            }
        }
    }
}
