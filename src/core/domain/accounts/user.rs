//! People, the organization they are in, and workspaces (manual 8.5).

use super::password::PasswordHash;
use super::role;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{OrganizationId, RoleId, UserId, WorkspaceId};
use crate::domain::workspace::quota::WorkspaceQuota;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

/// Longest display name, in characters.
const NAME_CHARACTERS_MAX: usize = 120;

/// An e-mail address in its normal form: trimmed and in lower case, because people type it either way.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline, extend("format" = "email")))]
pub struct Email(String);

impl Email {
    /// Reads an address. Only what certainly is none is refused: a mail server knows better than any pattern.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let normal = text.trim().to_lowercase();
        let (local, host) = normal.rsplit_once('@')?;
        let plain = !normal.chars().any(|c| c.is_whitespace() || c.is_control());
        (plain && !local.is_empty() && !host.is_empty() && normal.len() <= 254).then_some(Self(normal))
    }

    /// Reads the value of the field called `field`.
    ///
    /// # Errors
    /// 400 naming the field.
    pub fn parse_field(field: &str, text: &str) -> Result<Self> {
        Self::parse(text).ok_or_else(|| Error::invalid(format!("'{field}' must be an e-mail address.")))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A display name: trimmed, not empty, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct DisplayName(String);

impl DisplayName {
    /// Reads the value of the field called `field`.
    ///
    /// # Errors
    /// 400 naming the field.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        let name = text.trim();
        let fits = !name.is_empty() && name.chars().count() <= NAME_CHARACTERS_MAX;
        if !fits || name.chars().any(char::is_control) {
            return Err(Error::invalid(format!(
                "'{field}' must be a text of 1 to {NAME_CHARACTERS_MAX} characters."
            )));
        }
        Ok(Self(name.to_owned()))
    }

    /// A name that the service makes, cut to what a name may hold.
    #[must_use]
    pub fn shortened(text: &str) -> Self {
        Self(text.chars().filter(|c| !c.is_control()).take(NAME_CHARACTERS_MAX).collect())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub id: UserId,
    pub name: DisplayName,
    /// Address to sign in with; unique.
    pub email: Email,
    pub password: PasswordHash,
    /// The workspaces they are in. The organization owner needs none: every workspace is open to them.
    pub memberships: Vec<Membership>,
    /// True while the owner keeps them out.
    #[serde(default)]
    pub disabled: bool,
    /// When they last signed in.
    #[serde(default)]
    pub last_login: Option<Timestamp>,
    /// When they asked for a new password, until they have one: the owner sees it in the list of people.
    #[serde(default)]
    pub reset_requested: Option<Timestamp>,
    pub created: Timestamp,
    /// Moved by changes of the account.
    pub updated: Timestamp,
}

/// Whether a person may sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum UserStatus {
    Active,
    Disabled,
}

/// A person's membership of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    pub workspace: WorkspaceId,
    /// What they are there. What the role allows is read anew for each request.
    #[serde(deserialize_with = "role_or_viewer")]
    pub role: RoleId,
    /// Since when.
    #[serde(default)]
    pub since: Option<Timestamp>,
}

/// Records of the first builds, which had no way to make members, hold the role's name: whoever they are, they may look.
fn role_or_viewer<'de, D: Deserializer<'de>>(from: D) -> Result<RoleId, D::Error> {
    let text = String::deserialize(from)?;
    Ok(RoleId::parse(&text).unwrap_or(role::VIEWER))
}

impl User {
    #[must_use]
    pub const fn status(&self) -> UserStatus {
        if self.disabled { UserStatus::Disabled } else { UserStatus::Active }
    }

    /// Their membership of `workspace`.
    #[must_use]
    pub fn membership_in(&self, workspace: &WorkspaceId) -> Option<&Membership> {
        self.memberships.iter().find(|place| place.workspace == *workspace)
    }
}

/// The organization. There is one, made together with its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: OrganizationId,
    pub name: DisplayName,
    /// Its owner, who passes every check (manual 1.7 r4).
    pub owner: UserId,
    /// The workspace in which a fresh session, the command line and the demo begin.
    pub default_workspace: WorkspaceId,
    /// When it was made.
    pub created: Timestamp,
}

/// A workspace: the wall between what different teams can see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Workspace {
    pub id: WorkspaceId,
    pub organization: OrganizationId,
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// When it was made.
    pub created: Timestamp,
    /// When its name or description was changed.
    #[serde(default)]
    pub updated: Option<Timestamp>,
    /// What it may hold and use; `None` where nothing of that is bounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<WorkspaceQuota>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_has_one_form() {
        assert_eq!(Email::parse(" Ada@Example.ORG ").unwrap().as_str(), "ada@example.org");
        for bad in ["", "ada", "@example.org", "ada@", "a b@c", "a\n@c", &format!("{}@c", "x".repeat(300))] {
            assert_eq!(Email::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_name_is_a_line_of_text() {
        assert_eq!(DisplayName::parse("name", "  Ada ").unwrap().as_str(), "Ada");
        for bad in ["", " ", "a\tb", &"x".repeat(121)] {
            assert!(DisplayName::parse("name", bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_membership_of_the_first_builds_is_read_as_the_least_there_is() {
        let workspace = WorkspaceId::random();
        let old = serde_json::json!({"workspace": workspace, "role": "sweeper", "grants": "all"});
        let read: Membership = serde_json::from_value(old).unwrap();
        assert_eq!(read, Membership { workspace, role: role::VIEWER, since: None });
    }
}
