//! Tools that people write (manual 8.10).

use crate::domain::ids::{ToolId, WorkspaceId};
use crate::domain::workspace::tool::{ToolArgument, ToolChange, WorkspaceTool};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// A tool that people wrote.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Tool"))]
pub struct ToolView {
    id: ToolId,
    name: String,
    description: String,
    color: String,
    icon_src: Option<String>,
    /// JSON text of a list of arguments.
    #[serde(serialize_with = "write_as_text")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    schema: Vec<ToolArgument>,
    /// Its code.
    func: String,
    created_date: IsoTime,
    updated_date: IsoTime,
    workspace_id: WorkspaceId,
}

fn write_as_text<S: Serializer>(rows: &[ToolArgument], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&serde_json::to_string(rows).map_err(serde::ser::Error::custom)?)
}

impl From<WorkspaceTool> for ToolView {
    fn from(tool: WorkspaceTool) -> Self {
        let WorkspaceTool {
            id,
            workspace,
            name,
            description,
            color,
            icon,
            arguments,
            code,
            created,
            updated,
        } = tool;
        Self {
            id,
            name,
            description,
            color,
            icon_src: icon,
            schema: arguments,
            func: code,
            created_date: created.into(),
            updated_date: updated.into(),
            workspace_id: workspace,
        }
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ToolEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 128)))]
    name: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(length(min = 0, max = 4_096)))]
    description: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(length(min = 0, max = 128)))]
    color: Option<String>,
    icon_src: Option<String>,
    /// A list of arguments, or its JSON text.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<Arguments>"))]
    schema: Option<Value>,
    func: Option<String>,
}

impl From<ToolEdit> for ToolChange {
    fn from(ToolEdit { name, description, color, icon_src, schema, func }: ToolEdit) -> Self {
        Self { name, description, color, icon: icon_src, schema, code: func }
    }
}

#[cfg(feature = "test-support")]
impl crate::new::NewRecord for ToolEdit {
    const NAME: &'static str = "NewTool";
    const ABOUT: &'static str = "A tool to store.";
    const REQUIRED: &'static [&'static str] = &["name"];
}

#[cfg(feature = "test-support")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, untagged)]
#[allow(dead_code)]
enum Arguments {
    Text(String),
    Rows(Vec<ToolArgument>),
}
