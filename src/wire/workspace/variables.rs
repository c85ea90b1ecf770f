//! Saved variables (manual 7.5).

use crate::domain::ids::{VariableId, WorkspaceId};
use crate::domain::workspace::variable::{Variable, VariableChange, VariableKind};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A saved variable.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Variable"))]
pub struct VariableView {
    id: VariableId,
    name: String,
    value: String,
    r#type: VariableKind,
    created_date: IsoTime,
    updated_date: IsoTime,
    workspace_id: WorkspaceId,
}

impl From<Variable> for VariableView {
    fn from(variable: Variable) -> Self {
        let Variable { id, workspace, name, value, kind, created, updated } = variable;
        Self {
            id,
            name,
            value,
            r#type: kind,
            created_date: created.into(),
            updated_date: updated.into(),
            workspace_id: workspace,
        }
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct VariableEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 128)))]
    name: Option<String>,
    value: Option<String>,
    r#type: Option<VariableKind>,
}

impl From<VariableEdit> for VariableChange {
    fn from(VariableEdit { name, value, r#type }: VariableEdit) -> Self {
        Self { name, value, kind: r#type }
    }
}

#[cfg(feature = "test-support")]
impl crate::new::NewRecord for VariableEdit {
    const NAME: &'static str = "NewVariable";
    const ABOUT: &'static str = "A variable to store.";
    const REQUIRED: &'static [&'static str] = &["name"];
}
