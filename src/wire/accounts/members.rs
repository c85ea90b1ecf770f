//! Who is in a workspace, and as what (manual 8.5).

use super::user_summary::UserSummaryView;
use crate::domain::accounts::member::{Member, MemberChange, NewMember};
use crate::domain::accounts::person::PersonSelector;
use crate::domain::accounts::role::Role;
use crate::domain::accounts::user::{Email, UserStatus};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{RoleId, UserId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// A person's place in a workspace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Member"))]
pub struct MemberView {
    workspace_id: WorkspaceId,
    user_id: UserId,
    role_id: RoleId,
    status: UserStatus,
    last_login: Option<IsoTime>,
    is_owner: bool,
    created_date: IsoTime,
    user: UserSummaryView,
    role: Option<RoleSummaryView>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct RoleSummaryView {
    id: RoleId,
    name: String,
    description: String,
    built_in: bool,
}

impl From<Member> for MemberView {
    fn from(Member { user, place, role }: Member) -> Self {
        Self {
            workspace_id: place.workspace,
            user_id: user.id,
            role_id: place.role,
            status: user.status(),
            last_login: user.last_login.map(Into::into),
            // The owner needs no membership, so no member is the owner.
            is_owner: false,
            created_date: place.since.unwrap_or(user.created).into(),
            user: (&user).into(),
            role: role.map(Into::into),
        }
    }
}

impl From<Role> for RoleSummaryView {
    fn from(role: Role) -> Self {
        Self { built_in: role.is_built_in(), id: role.id, name: role.name, description: role.description }
    }
}

/// Who is to be what, and where.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(extend("required" = ["roleId"])))]
pub struct MemberEdit {
    /// The active workspace when it is left out.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<WorkspaceId>"))]
    workspace_id: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<UserId>"))]
    user_id: Option<String>,
    /// In the place of `userId`, to add somebody.
    #[cfg_attr(feature = "test-support", schemars(email))]
    email: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "RoleId"))]
    role_id: String,
}

/// A membership to make.
impl TryFrom<MemberEdit> for NewMember {
    type Error = Error;

    fn try_from(MemberEdit { workspace_id, user_id, email, role_id }: MemberEdit) -> Result<Self> {
        let workspace = WorkspaceId::from_caller_if_any(workspace_id.as_deref())?;
        let nobody = |named: &str| Error::no_such("Person", named);
        let person = match (user_id, email) {
            (Some(id), _) => PersonSelector::ById(UserId::from_caller(&id)?),
            (None, Some(email)) => {
                PersonSelector::ByEmail(Email::parse(&email).ok_or_else(|| nobody(&email))?)
            }
            (None, None) => return Err(nobody("")),
        };
        Ok(Self { workspace, person, role: RoleId::from_caller(&role_id)? })
    }
}

/// A membership to change, for which only the id names the person.
impl TryFrom<MemberEdit> for MemberChange {
    type Error = Error;

    fn try_from(MemberEdit { workspace_id, user_id, email: _, role_id }: MemberEdit) -> Result<Self> {
        Ok(Self {
            workspace: WorkspaceId::from_caller_if_any(workspace_id.as_deref())?,
            user: parse_member(&user_id.unwrap_or_default())?,
            role: RoleId::from_caller(&role_id)?,
        })
    }
}

/// Reads the id of a member.
///
/// # Errors
/// 404 for a text that is no id.
pub fn parse_member(text: &str) -> Result<UserId> {
    UserId::parse(text).ok_or_else(|| Error::no_such("Member", text))
}
