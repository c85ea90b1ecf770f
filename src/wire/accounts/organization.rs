//! The organization (manual 8.5).

use crate::domain::accounts::user::{DisplayName, Organization};
use crate::domain::ids::{OrganizationId, UserId};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// The organization.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Organization"))]
pub struct OrganizationView {
    id: OrganizationId,
    name: DisplayName,
    owner_id: UserId,
    created_date: IsoTime,
}

impl From<Organization> for OrganizationView {
    fn from(organization: Organization) -> Self {
        Self {
            id: organization.id,
            name: organization.name,
            owner_id: organization.owner,
            created_date: organization.created.into(),
        }
    }
}

/// The new name.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct OrganizationEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 120)))]
    pub name: String,
}
