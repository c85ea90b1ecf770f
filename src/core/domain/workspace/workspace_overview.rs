//! Workspaces as people see them (manual 8.5).

use super::quota::{WorkspaceQuota, WorkspaceUse};
use crate::domain::accounts::user::{DisplayName, Workspace};
use crate::domain::change::Change;

/// A workspace, and what it is to whoever looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceOverview {
    pub workspace: Workspace,
    /// Everybody begins there.
    pub is_default: bool,
    /// The caller acts in it.
    pub is_active: bool,
    /// People with a membership; the owner needs none.
    pub members: usize,
    /// What the caller is there, by name.
    pub role: Option<String>,
    /// What is used of its quota; `None` where it has none.
    pub used: Option<WorkspaceUse>,
}

/// What of a workspace a caller sets; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceChange {
    pub name: Option<DisplayName>,
    pub description: Option<String>,
    pub quota: Change<WorkspaceQuota>,
}
