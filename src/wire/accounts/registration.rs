//! The registration of the first owner and of people who were invited (manual 8.1, 8.4).

use super::user_summary::UserSummaryView;
use crate::domain::accounts::registration::{
    InvitedRegistration, NewAccount, NewOwner, OwnerRegistration, Registration,
};
use crate::domain::accounts::user::DisplayName;
use crate::domain::ids::{OrganizationId, WorkspaceId};
use serde::{Deserialize, Serialize};

/// The first owner, or somebody who was invited.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Registration"))]
pub struct RegistrationBody {
    user: NewUser,
    organization: Option<NewOrganization>,
    /// What the service printed when it started.
    setup_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct NewUser {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 100)))]
    name: String,
    /// Needed for the first owner.
    #[cfg_attr(feature = "test-support", schemars(email))]
    email: Option<String>,
    /// The password.
    #[cfg_attr(feature = "test-support", schemars(extend("format" = "password")))]
    credential: String,
    /// The token of an invitation.
    temp_token: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct NewOrganization {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 100)))]
    name: String,
}

impl From<RegistrationBody> for Registration {
    fn from(RegistrationBody { user, organization, setup_token }: RegistrationBody) -> Self {
        let NewUser { name, email, credential, temp_token } = user;
        match temp_token {
            Some(token) => Self::Invited(InvitedRegistration { token, name, email, password: credential }),
            None => Self::Owner(OwnerRegistration {
                owner: NewOwner { name, email: email.unwrap_or_default(), password: credential },
                organization: organization.map(|organization| organization.name),
                setup_token,
            }),
        }
    }
}

/// What was made.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Registered"))]
pub struct NewAccountView {
    user: UserSummaryView,
    organization: OrganizationSummaryView,
    workspace: WorkspaceSummaryView,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct OrganizationSummaryView {
    id: OrganizationId,
    name: DisplayName,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct WorkspaceSummaryView {
    id: WorkspaceId,
    name: String,
}

impl From<NewAccount> for NewAccountView {
    fn from(NewAccount { user, organization, workspace }: NewAccount) -> Self {
        Self {
            user: (&user).into(),
            organization: OrganizationSummaryView { id: organization.id, name: organization.name },
            workspace: WorkspaceSummaryView { id: workspace.id, name: workspace.name },
        }
    }
}
