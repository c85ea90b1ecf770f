//! Roles: named lists of permissions that belong to the organization (manual 8.6).

use super::caller::{Permission, PermissionSet, permission_names};
use super::user::DisplayName;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{OrganizationId, RoleId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Longest description of a role or a workspace, in characters.
pub(crate) const DESCRIPTION_CHARACTERS_MAX: usize = 500;

/// The organization owner's, which nobody can be given.
pub const OWNER: RoleId = built_in_id(1);
/// Everything a role can hold; only the owner gives it.
pub const ADMINISTRATOR: RoleId = built_in_id(2);
/// Builds flows and all they need.
pub const EDITOR: RoleId = built_in_id(3);
pub const VIEWER: RoleId = built_in_id(4);

/// Every permission that reaches beyond one workspace: who holds one is close to the owner, so only the owner gives it.
const OWNER_LEVEL: &[&str] = &["users:manage", "roles:manage"];

const fn built_in_id(number: u8) -> RoleId {
    // The form of a random UUID, which all ids have: version 4, variant 1.
    RoleId::from_bytes([0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number])
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Role {
    /// Role id, which memberships and invitations name.
    pub id: RoleId,
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub permissions: BTreeSet<Permission>,
    /// When it was made; `None` for those that come with the service.
    pub created: Option<Timestamp>,
    /// When it was last changed.
    pub updated: Option<Timestamp>,
}

/// A role as a caller sees it.
#[derive(Debug, Clone)]
pub struct RoleEntry {
    pub role: Role,
    pub organization: OrganizationId,
    /// True when the caller may give it.
    pub is_assignable: bool,
    /// True when the caller may change it.
    pub is_editable: bool,
    /// How many people have it somewhere.
    pub user_count: usize,
}

/// A role to make.
#[derive(Debug, Clone)]
pub struct NewRole {
    pub name: DisplayName,
    pub description: String,
    pub permissions: BTreeSet<Permission>,
}

/// What of a role a caller changes; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct RoleChange {
    pub name: Option<DisplayName>,
    pub description: Option<String>,
    pub permissions: Option<BTreeSet<Permission>>,
}

impl Role {
    /// True when it comes with the service and cannot be changed.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        [OWNER, ADMINISTRATOR, EDITOR, VIEWER].contains(&self.id)
    }

    /// True when only the owner gives it, takes it and changes it.
    #[must_use]
    pub fn is_owner_level(&self) -> bool {
        is_owner_level(&self.permissions)
    }

    /// What it allows, as a caller holds it.
    #[must_use]
    pub fn permission_set(&self) -> PermissionSet {
        PermissionSet::Only(self.permissions.clone())
    }
}

/// True when the list holds what only the owner gives.
#[must_use]
pub fn is_owner_level(permissions: &BTreeSet<Permission>) -> bool {
    permissions.iter().any(|held| OWNER_LEVEL.contains(&held.as_str()))
}

/// The roles that come with the service, the most powerful first.
#[must_use]
pub fn built_in() -> [Role; 4] {
    [
        (
            OWNER,
            "Owner",
            "Owns the service: every workspace and every permission.",
            is_for_all as fn(&str) -> bool,
        ),
        (
            ADMINISTRATOR,
            "Administrator",
            "Runs a workspace, its people and the roles. Given by the owner.",
            is_for_all,
        ),
        (EDITOR, "Editor", "Builds and runs flows, and keeps what they need.", is_for_editors),
        (VIEWER, "Viewer", "Sees flows and their results, and tries them out.", is_for_viewers),
    ]
    .map(|(id, name, description, holds)| Role {
        id,
        name: name.to_owned(),
        description: description.to_owned(),
        permissions: permission_names()
            .filter(|name| holds(name))
            .filter_map(|name| Permission::parse(&name))
            .collect(),
        created: None,
        updated: None,
    })
}

/// The role that comes with the service under this id.
#[must_use]
pub fn find_built_in(id: &RoleId) -> Option<Role> {
    built_in().into_iter().find(|role| role.id == *id)
}

const fn is_for_all(_: &str) -> bool {
    true
}

fn is_for_editors(name: &str) -> bool {
    let (resource, _) = name.split_once(':').unwrap_or_default();
    let of_people = ["workspace", "users", "roles", "logs", "loginActivity"];
    !of_people.contains(&resource) || ["workspace:view", "workspace:export"].contains(&name)
}

fn is_for_viewers(name: &str) -> bool {
    let hidden = ["apikeys:view", "logs:view", "loginActivity:view"];
    name == "templates:marketplace" || name.ends_with(":view") && !hidden.contains(&name)
}

/// Reads the permissions of a role.
///
/// # Errors
/// 400 when none is listed or one does not exist.
pub fn parse_permissions(names: &[String]) -> Result<BTreeSet<Permission>> {
    if names.is_empty() {
        return Err(Error::invalid("'permissions' must list at least one permission."));
    }
    let known = |name: &String| {
        let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
        Permission::parse(name).ok_or_else(|| Error::invalid(format!("There is no permission '{shown}'.")))
    };
    names.iter().map(known).collect()
}

/// Reads what a role or a workspace is for.
///
/// # Errors
/// 400 when it is too long or holds control characters.
pub fn parse_description(text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(String::new());
    }
    if text.chars().count() > DESCRIPTION_CHARACTERS_MAX || text.chars().any(|c| c.is_control() && c != '\n')
    {
        return Err(Error::invalid(format!(
            "'description' must be a text of at most {DESCRIPTION_CHARACTERS_MAX} characters."
        )));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_roles_grow_from_looking_to_owning() {
        let [owner, administrator, editor, viewer] = built_in();
        assert_eq!(owner.permissions, administrator.permissions);
        assert!(administrator.permissions.is_superset(&editor.permissions));
        assert!(editor.permissions.is_superset(&viewer.permissions));
        assert!(administrator.is_owner_level() && !editor.is_owner_level() && !viewer.is_owner_level());
        assert!(
            viewer.permission_set().has("chatflows:view") && !viewer.permission_set().has("chatflows:update")
        );
        assert!(
            editor.permission_set().has("credentials:create")
                && !editor.permission_set().has("workspace:add-user")
        );
        assert_eq!(find_built_in(&VIEWER), Some(viewer));
        assert_eq!(RoleId::parse("00000000-0000-4000-8000-000000000002"), Some(ADMINISTRATOR));
    }

    #[test]
    fn a_role_lists_known_names() {
        assert!(parse_permissions(&[]).is_err());
        assert!(parse_permissions(&["chatflows:fly".to_owned()]).is_err());
        assert_eq!(parse_permissions(&["users:manage".to_owned()]).unwrap().len(), 1);
    }

    #[test]
    fn a_description_is_bounded() {
        assert_eq!(parse_description("  For us.\nAll of us. ").unwrap(), "For us.\nAll of us.");
        assert!(parse_description(&"x".repeat(501)).is_err() && parse_description("a\u{7}").is_err());
    }
}
