//! The people of the organization (manual 8.4).

use super::user_summary::UserSummaryView;
use crate::domain::accounts::person::{Person, PersonWorkspace};
use crate::domain::accounts::role;
use crate::domain::accounts::user::UserStatus;
use crate::domain::ids::{OrganizationId, RoleId, UserId, WorkspaceId};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A person of the organization.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Person"))]
pub struct PersonView {
    organization_id: OrganizationId,
    user_id: UserId,
    is_owner: bool,
    status: UserStatus,
    last_login: Option<IsoTime>,
    created_date: IsoTime,
    /// They asked for a new password; for the owner.
    reset_requested_date: Option<IsoTime>,
    /// The owner's role.
    role_id: Option<RoleId>,
    user: UserSummaryView,
    workspaces: Vec<PersonWorkspaceView>,
    /// For the owner.
    sessions: Option<usize>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct PersonWorkspaceView {
    id: WorkspaceId,
    name: String,
    role_id: RoleId,
    role: String,
}

impl From<Person> for PersonView {
    fn from(person: Person) -> Self {
        let Person { user, organization, is_owner, workspaces, reset_requested, session_count } = person;
        Self {
            organization_id: organization,
            user_id: user.id,
            is_owner,
            status: user.status(),
            last_login: user.last_login.map(Into::into),
            created_date: user.created.into(),
            reset_requested_date: reset_requested.map(Into::into),
            role_id: is_owner.then_some(role::OWNER),
            user: (&user).into(),
            workspaces: workspaces.into_iter().map(Into::into).collect(),
            sessions: session_count,
        }
    }
}

impl From<PersonWorkspace> for PersonWorkspaceView {
    fn from(PersonWorkspace { id, name, role, role_name }: PersonWorkspace) -> Self {
        Self { id, name, role_id: role, role: role_name }
    }
}

/// Whether a person may sign in.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct PersonStatus {
    #[cfg_attr(feature = "test-support", schemars(with = "UserId"))]
    pub user_id: String,
    pub status: UserStatus,
}
