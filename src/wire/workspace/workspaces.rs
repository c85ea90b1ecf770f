//! Workspaces, and the organization they belong to (manual 8.5).

use crate::domain::accounts::role;
use crate::domain::accounts::user::DisplayName;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{OrganizationId, WorkspaceId};
use crate::domain::workspace::workspace_overview::{WorkspaceChange, WorkspaceOverview};
use crate::wire::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A workspace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Workspace"))]
pub(crate) struct WorkspaceView {
    id: WorkspaceId,
    name: String,
    description: String,
    organization_id: OrganizationId,
    /// Everybody begins here, so it stays.
    is_default: bool,
    is_active: bool,
    /// People with a membership, as `/workspaceuser` lists them; the owner needs none.
    member_count: usize,
    /// What the caller is there.
    role: Option<String>,
    created_date: IsoTime,
    updated_date: IsoTime,
}

impl From<WorkspaceOverview> for WorkspaceView {
    fn from(overview: WorkspaceOverview) -> Self {
        let WorkspaceOverview { workspace, is_default, is_active, members, role } = overview;
        Self {
            id: workspace.id,
            name: workspace.name,
            description: workspace.description,
            organization_id: workspace.organization,
            is_default,
            is_active,
            member_count: members,
            role,
            created_date: workspace.created.into(),
            updated_date: workspace.updated.unwrap_or(workspace.created).into(),
        }
    }
}

/// A workspace to make.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct NewWorkspace {
    #[cfg_attr(test, schemars(required, length(min = 1, max = 120)))]
    name: Option<String>,
    description: Option<String>,
}

impl TryFrom<NewWorkspace> for WorkspaceChange {
    type Error = Error;

    fn try_from(NewWorkspace { name, description }: NewWorkspace) -> Result<Self> {
        let name = DisplayName::parse("name", &name.unwrap_or_default())?;
        let description = role::parse_description(&description.unwrap_or_default())?;
        Ok(Self { name: Some(name), description: Some(description) })
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct WorkspaceEdit {
    /// The active workspace when it is left out.
    #[cfg_attr(test, schemars(with = "Option<WorkspaceId>"))]
    pub id: Option<String>,
    #[cfg_attr(test, schemars(length(min = 1, max = 120)))]
    name: Option<String>,
    description: Option<String>,
}

impl TryFrom<&WorkspaceEdit> for WorkspaceChange {
    type Error = Error;

    fn try_from(WorkspaceEdit { name, description, .. }: &WorkspaceEdit) -> Result<Self> {
        let name = name.as_deref().map(|name| DisplayName::parse("name", name)).transpose()?;
        let description = description.as_deref().map(role::parse_description).transpose()?;
        Ok(Self { name, description })
    }
}
