//! Workspaces, and the organization they belong to (manual 8.5).

use crate::domain::accounts::role;
use crate::domain::accounts::user::DisplayName;
use crate::domain::change::Change;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{OrganizationId, WorkspaceId};
use crate::domain::workspace::quota::WorkspaceQuota;
use crate::domain::workspace::workspace_overview::{WorkspaceChange, WorkspaceOverview};
use crate::time::IsoTime;
use crate::workspace::quota::{WorkspaceQuotaView, WorkspaceUseView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A workspace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Workspace"))]
pub struct WorkspaceView {
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
    /// What it may hold and use; null where nothing is bounded.
    quota: Option<WorkspaceQuotaView>,
    /// Null where it has no quota.
    quota_use: Option<WorkspaceUseView>,
    created_date: IsoTime,
    updated_date: IsoTime,
}

impl From<WorkspaceOverview> for WorkspaceView {
    fn from(overview: WorkspaceOverview) -> Self {
        let WorkspaceOverview { workspace, is_default, is_active, members, role, used } = overview;
        Self {
            id: workspace.id,
            name: workspace.name,
            description: workspace.description,
            organization_id: workspace.organization,
            is_default,
            is_active,
            member_count: members,
            role,
            quota: workspace.quota.map(Into::into),
            quota_use: used.map(Into::into),
            created_date: workspace.created.into(),
            updated_date: workspace.updated.unwrap_or(workspace.created).into(),
        }
    }
}

/// A workspace to make.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct NewWorkspace {
    #[cfg_attr(feature = "test-support", schemars(required, length(min = 1, max = 120)))]
    name: Option<String>,
    description: Option<String>,
}

impl TryFrom<NewWorkspace> for WorkspaceChange {
    type Error = Error;

    fn try_from(NewWorkspace { name, description }: NewWorkspace) -> Result<Self> {
        let name = DisplayName::parse("name", &name.unwrap_or_default())?;
        let description = role::parse_description(&description.unwrap_or_default())?;
        Ok(Self { name: Some(name), description: Some(description), quota: Change::Keep })
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct WorkspaceEdit {
    /// The active workspace when it is left out.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<WorkspaceId>"))]
    pub id: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 120)))]
    name: Option<String>,
    description: Option<String>,
    /// Null removes it.
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "Option<WorkspaceQuotaView>"))]
    quota: Change<Value>,
}

impl TryFrom<&WorkspaceEdit> for WorkspaceChange {
    type Error = Error;

    fn try_from(WorkspaceEdit { name, description, quota, .. }: &WorkspaceEdit) -> Result<Self> {
        let name = name.as_deref().map(|name| DisplayName::parse("name", name)).transpose()?;
        let description = description.as_deref().map(role::parse_description).transpose()?;
        let quota = match quota {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(sent) => {
                let quota = WorkspaceQuota::parse(sent);
                let quota = quota.map_err(|why| Error::Invalid(format!("Invalid quota: {why}.")))?;
                quota.map_or(Change::Clear, Change::Set)
            }
        };
        Ok(Self { name, description, quota })
    }
}
