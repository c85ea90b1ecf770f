//! Who asks, and what they may do.

use crate::domain::ids::{KeyId, OrganizationId, UserId, WorkspaceId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;

/// Every permission name an API key or a role can hold (manual 1.7 r2).
pub const PERMISSIONS: &[(&str, &[&str])] = &[
    (
        "chatflows",
        &["view", "create", "update", "duplicate", "delete", "export", "import", "config", "domains"],
    ),
    (
        "agentflows",
        &["view", "create", "update", "duplicate", "delete", "export", "import", "config", "domains"],
    ),
    ("assistants", &["view", "create", "update", "delete"]),
    ("tools", &["view", "create", "update", "delete", "export"]),
    ("credentials", &["view", "create", "update", "delete"]),
    ("variables", &["view", "create", "update", "delete"]),
    ("apikeys", &["view", "create", "update", "delete"]),
    (
        "documentStores",
        &[
            "view",
            "create",
            "update",
            "delete",
            "add-loader",
            "delete-loader",
            "preview-process",
            "upsert-config",
        ],
    ),
    ("executions", &["view", "update", "delete"]),
    ("templates", &["marketplace", "custom", "custom-delete", "custom-share", "toolexport", "flowexport"]),
    ("logs", &["view"]),
    ("loginActivity", &["view"]),
    ("users", &["manage"]),
    ("roles", &["manage"]),
    ("workspace", &["view", "create", "update", "add-user", "unlink-user", "delete", "export", "import"]),
];

/// Permission groups that only a person can hold: a key with one of them is refused (manual 1.7 r3).
const PERSON_ONLY: &[&str] = &["workspace", "users", "roles"];

/// One permission name, known to exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct Permission(String);

impl Permission {
    /// Reads a name; `None` when no such permission exists.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let (resource, action) = name.split_once(':')?;
        let (_, actions) = PERMISSIONS.iter().find(|(known, _)| *known == resource)?;
        actions.contains(&action).then(|| Self(name.to_owned()))
    }

    /// True when an API key may hold it.
    #[must_use]
    pub fn is_allowed_for_keys(&self) -> bool {
        self.0.split_once(':').is_some_and(|(resource, _)| !PERSON_ONLY.contains(&resource))
    }

    /// The name as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The names of every permission an API key can hold.
pub fn key_permission_names() -> impl Iterator<Item = String> {
    permission_names()
        .filter(|name| Permission::parse(name).is_some_and(|permission| permission.is_allowed_for_keys()))
}

/// The names of every permission.
pub fn permission_names() -> impl Iterator<Item = String> {
    PERMISSIONS
        .iter()
        .flat_map(|(resource, actions)| actions.iter().map(move |action| format!("{resource}:{action}")))
}

/// What a caller may do: everything (the organization owner), or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PermissionSet {
    /// The organization owner passes every check (manual 1.7 r4).
    All,
    Only(BTreeSet<Permission>),
}

impl PermissionSet {
    /// True when `name` is granted.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(list) => list.iter().any(|held| held.as_str() == name),
        }
    }

    /// True when everything in `list` is granted.
    #[must_use]
    pub fn has_all(&self, list: &BTreeSet<Permission>) -> bool {
        match self {
            Self::All => true,
            Self::Only(held) => held.is_superset(list),
        }
    }

    /// The names as a list, for the user object.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::All => permission_names().collect(),
            Self::Only(list) => list.iter().map(|held| held.as_str().to_owned()).collect(),
        }
    }
}

/// Who proved themselves how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    /// A signed-in person.
    User {
        id: UserId,
        name: String,
        /// True for the organization owner (manual 1.7 r4).
        owner: bool,
    },
    /// The holder of an API key.
    Key { id: KeyId },
    /// The operator, through the command line and the data folder.
    Operator,
}

/// As logs name them: by id, never by name.
impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User { id, .. } => write!(f, "user {id}"),
            Self::Key { id } => write!(f, "key {id}"),
            Self::Operator => f.write_str("operator"),
        }
    }
}

/// A caller of the management API, acting in one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub principal: Principal,
    pub organization: OrganizationId,
    /// The workspace everything this request names is looked up in.
    pub workspace: WorkspaceId,
    pub permissions: PermissionSet,
    /// Where the request came from.
    pub address: Option<IpAddr>,
}

impl Caller {
    /// True when any of `names` is granted; an empty list asks for nothing.
    #[must_use]
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.is_empty() || names.iter().any(|name| self.permissions.has(name))
    }

    /// True for the organization owner and for the operator, whom nothing stops.
    #[must_use]
    pub const fn is_owner(&self) -> bool {
        matches!(self.principal, Principal::User { owner: true, .. } | Principal::Operator)
    }

    /// The key that acts; `None` for a person and for the operator.
    #[must_use]
    pub const fn key(&self) -> Option<KeyId> {
        match &self.principal {
            Principal::Key { id } => Some(*id),
            Principal::User { .. } | Principal::Operator => None,
        }
    }

    /// The signed-in person's id; `None` for a key and for the operator.
    #[must_use]
    pub const fn user(&self) -> Option<UserId> {
        match &self.principal {
            Principal::User { id, .. } => Some(*id),
            Principal::Key { .. } | Principal::Operator => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_permissions() {
        assert!(Permission::parse("chatflows:view").is_some());
        for bad in ["chatflows:fly", "chatflows", "", ":", "chatflows:view ", "admin:all", "Chatflows:view"] {
            assert!(Permission::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_key_cannot_hold_what_only_people_hold() {
        assert!(!Permission::parse("workspace:export").unwrap().is_allowed_for_keys());
        assert!(Permission::parse("chatflows:view").unwrap().is_allowed_for_keys());
    }
}
