//! Invitations (manual 8.4).

use super::links::LinkView;
use crate::domain::accounts::link::{InvitationEntry, NewInvitation, NewLinkToken};
use crate::domain::accounts::user::{DisplayName, Email};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{InvitationId, RoleId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A place that waits for a person.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Invitation"))]
pub struct InvitationView {
    id: InvitationId,
    email: Email,
    name: Option<DisplayName>,
    workspace_id: WorkspaceId,
    workspace: Option<String>,
    role_id: RoleId,
    role: Option<String>,
    invited_by: String,
    created_date: IsoTime,
    expires: IsoTime,
    expired: bool,
    /// Shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "LinkView"))]
    link: Option<LinkView>,
}

impl From<InvitationEntry> for InvitationView {
    fn from(InvitationEntry { invitation, workspace, role, is_expired }: InvitationEntry) -> Self {
        Self {
            id: invitation.id,
            email: invitation.email,
            name: invitation.name,
            workspace_id: invitation.workspace,
            workspace,
            role_id: invitation.role,
            role,
            invited_by: invitation.by,
            created_date: invitation.created.into(),
            expires: invitation.expires.into(),
            expired: is_expired,
            link: None,
        }
    }
}

impl InvitationView {
    /// An invitation that was just made, with its link.
    #[must_use]
    pub fn of_new(invitation: InvitationEntry, token: &NewLinkToken) -> Self {
        Self { link: Some(LinkView::to_invitation(token)), ..invitation.into() }
    }
}

/// Whom to invite, where, and as what.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "NewInvitation"))]
pub struct InvitationBody {
    user: Invitee,
    /// The active workspace when it is left out.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<WorkspaceId>"))]
    workspace_id: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "RoleId"))]
    role_id: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct Invitee {
    #[cfg_attr(feature = "test-support", schemars(email))]
    email: String,
    name: Option<String>,
}

impl TryFrom<InvitationBody> for NewInvitation {
    type Error = Error;

    fn try_from(InvitationBody { user, workspace_id, role_id }: InvitationBody) -> Result<Self> {
        let name = user.name.filter(|name| !name.trim().is_empty());
        Ok(Self {
            email: Email::parse_field("email", &user.email)?,
            name: name.map(|name| DisplayName::parse("name", &name)).transpose()?,
            workspace: WorkspaceId::from_caller_if_any(workspace_id.as_deref())?,
            role: RoleId::from_caller(&role_id)?,
        })
    }
}
