//! Roles (manual 8.6).

use crate::domain::accounts::caller::Permission;
use crate::domain::accounts::role::{self, NewRole, RoleChange, RoleEntry};
use crate::domain::accounts::user::DisplayName;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{OrganizationId, RoleId};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A named list of permissions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Role"))]
pub struct RoleView {
    id: RoleId,
    organization_id: OrganizationId,
    name: String,
    description: String,
    permissions: Vec<Permission>,
    built_in: bool,
    /// The caller may give it.
    assignable: bool,
    /// The caller may change it.
    editable: bool,
    user_count: usize,
    created_date: Option<IsoTime>,
    updated_date: Option<IsoTime>,
}

impl From<RoleEntry> for RoleView {
    fn from(RoleEntry { role, organization, is_assignable, is_editable, user_count }: RoleEntry) -> Self {
        Self {
            built_in: role.is_built_in(),
            id: role.id,
            organization_id: organization,
            name: role.name,
            description: role.description,
            permissions: role.permissions.into_iter().collect(),
            assignable: is_assignable,
            editable: is_editable,
            user_count,
            created_date: role.created.map(Into::into),
            updated_date: role.updated.map(Into::into),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum PermissionNames {
    List(Vec<String>),
    // Flowise sends the list like this.
    Text(String),
}

impl PermissionNames {
    fn parse(self) -> Result<BTreeSet<Permission>> {
        let names = match self {
            Self::List(names) => names,
            Self::Text(text) => serde_json::from_str(&text)
                .map_err(|_| Error::invalid("'permissions' must be a list of permission names."))?,
        };
        role::parse_permissions(&names)
    }
}

/// A role to make.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "NewRole"))]
pub struct RoleBody {
    #[cfg_attr(feature = "test-support", schemars(required, length(min = 1, max = 120)))]
    name: Option<String>,
    description: Option<String>,
    /// At least one; a list, or the list as JSON text.
    #[cfg_attr(feature = "test-support", schemars(required))]
    permissions: Option<PermissionNames>,
}

impl TryFrom<RoleBody> for NewRole {
    type Error = Error;

    fn try_from(RoleBody { name, description, permissions }: RoleBody) -> Result<Self> {
        let name = DisplayName::parse("name", &name.unwrap_or_default())?;
        let permissions = permissions.map(PermissionNames::parse).transpose()?;
        Ok(Self {
            name,
            description: role::parse_description(&description.unwrap_or_default())?,
            permissions: permissions.map_or_else(|| role::parse_permissions(&[]), Ok)?,
        })
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct RoleEdit {
    /// Which role, where the path does not say.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<RoleId>"))]
    pub id: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 120)))]
    name: Option<String>,
    description: Option<String>,
    permissions: Option<PermissionNames>,
}

impl TryFrom<RoleEdit> for RoleChange {
    type Error = Error;

    fn try_from(RoleEdit { id: _, name, description, permissions }: RoleEdit) -> Result<Self> {
        Ok(Self {
            name: name.map(|name| DisplayName::parse("name", &name)).transpose()?,
            description: description.map(|text| role::parse_description(&text)).transpose()?,
            permissions: permissions.map(PermissionNames::parse).transpose()?,
        })
    }
}
