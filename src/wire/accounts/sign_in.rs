//! Signing in and out, and the signed-in person (manual 8.2).

use crate::domain::accounts::current_user::{AssignedWorkspace, CurrentUser};
use crate::domain::accounts::user::{DisplayName, Email};
use crate::domain::ids::{OrganizationId, RoleId, UserId, WorkspaceId};
use serde::{Deserialize, Serialize};

/// Where a page begins.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Start"))]
pub struct StartView {
    redirect_url: &'static str,
}

impl StartView {
    /// At the sign-in once somebody owns the service, else at the setup.
    #[must_use]
    pub const fn new(has_owner: bool) -> Self {
        Self { redirect_url: if has_owner { "/signin" } else { "/organization-setup" } }
    }
}

/// Who signs in.
#[derive(Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct Login {
    pub email: String,
    #[cfg_attr(feature = "test-support", schemars(extend("format" = "password")))]
    pub password: String,
}

/// The session is over.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LoggedOut"))]
pub struct LogoutView {
    message: &'static str,
    redirect_to: &'static str,
}

impl LogoutView {
    pub const TO_LOGIN: Self = Self { message: "logged_out", redirect_to: "/login" };
}

/// A signed-in person, and what they may do here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "User"))]
pub struct CurrentUserView {
    id: UserId,
    email: Email,
    name: DisplayName,
    role_id: Option<RoleId>,
    active_organization_id: OrganizationId,
    // There are no subscriptions here, so their ids are null.
    active_organization_subscription_id: (),
    active_organization_customer_id: (),
    active_organization_product_id: (),
    is_organization_admin: bool,
    active_workspace_id: WorkspaceId,
    active_workspace: Option<String>,
    assigned_workspaces: Vec<AssignedWorkspaceView>,
    permissions: Vec<String>,
    features: FeaturesView,
    #[serde(rename = "isSSO")]
    is_sso: bool,
}

/// A workspace of a person.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AssignedWorkspace"))]
struct AssignedWorkspaceView {
    id: WorkspaceId,
    name: String,
    role: String,
    organization_id: OrganizationId,
}

/// Always empty.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline, extend("properties" = {})))]
struct FeaturesView {}

impl From<CurrentUser> for CurrentUserView {
    fn from(current: CurrentUser) -> Self {
        Self {
            id: current.user.id,
            email: current.user.email,
            name: current.user.name,
            role_id: current.role,
            active_organization_id: current.organization,
            active_organization_subscription_id: (),
            active_organization_customer_id: (),
            active_organization_product_id: (),
            is_organization_admin: current.is_owner,
            active_workspace_id: current.active_workspace,
            active_workspace: current.active_workspace_name,
            assigned_workspaces: current.workspaces.into_iter().map(Into::into).collect(),
            permissions: current.permissions,
            features: FeaturesView {},
            is_sso: false,
        }
    }
}

impl From<AssignedWorkspace> for AssignedWorkspaceView {
    fn from(AssignedWorkspace { id, name, organization, role }: AssignedWorkspace) -> Self {
        Self { id, name, role, organization_id: organization }
    }
}
