//! People, the organization they are in, workspaces, and sign-in sessions (contract 3).

use super::caller::Grants;
use super::error::{Error, Result};
use super::ids::{OrganizationId, UserId, WorkspaceId};
use super::password::PasswordHash;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// A session ends when it was not used for this long.
const IDLE_HOURS_MAX: i64 = 24;
/// A session ends this long after the sign-in, however much it is used.
pub const SESSION_DAYS_MAX: i64 = 30;
/// Use of a session is noted at most this often: a write for each request would cost more than the request.
const SEEN_EVERY_MINUTES: i64 = 10;
/// Longest display name, in characters.
const NAME_CHARACTERS_MAX: usize = 120;

/// An e-mail address in its normal form: trimmed and in lower case, because people type it either way.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
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

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A display name: trimmed, not empty, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
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

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// User id.
    pub id: UserId,
    /// Display name.
    pub name: DisplayName,
    /// Address to sign in with; unique.
    pub email: Email,
    /// The password's hash.
    pub password: PasswordHash,
    /// The workspaces they are in. The organization owner needs none: every workspace is open to them.
    pub memberships: Vec<Membership>,
    /// When the account was made.
    pub created: Timestamp,
    /// Moved by changes of the account.
    pub updated: Timestamp,
}

/// A person's place in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The role's name.
    pub role: String,
    /// What the role allows.
    pub grants: Grants,
}

/// The organization. There is one, made together with its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// Organization id.
    pub id: OrganizationId,
    /// Display name.
    pub name: DisplayName,
    /// Its owner: the Super User of spec 4.4.
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
    /// Workspace id.
    pub id: WorkspaceId,
    /// The organization.
    pub organization: OrganizationId,
    /// Display name.
    pub name: String,
    /// When it was made.
    pub created: Timestamp,
}

/// A sign-in, found by the hash of its cookie value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Who signed in.
    pub user: UserId,
    /// The active workspace.
    pub workspace: WorkspaceId,
    /// When they signed in.
    pub created: Timestamp,
    /// When it was last used, to within ten minutes.
    pub last_seen: Timestamp,
}

impl Session {
    /// True while it may be used.
    #[must_use]
    pub fn is_alive(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.created);
        let idle = now.duration_since(self.last_seen);
        age < SignedDuration::from_hours(24 * SESSION_DAYS_MAX)
            && idle < SignedDuration::from_hours(IDLE_HOURS_MAX)
    }

    /// True when its use should be noted again.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        now.duration_since(self.last_seen) >= SignedDuration::from_mins(SEEN_EVERY_MINUTES)
    }
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
    fn a_session_ends_by_rest_and_by_age() {
        let start = Timestamp::from_second(1_000_000).unwrap();
        let session = Session {
            user: UserId::random(),
            workspace: WorkspaceId::random(),
            created: start,
            last_seen: start,
        };
        let after = |hours: i64| start + SignedDuration::from_hours(hours);
        assert!(session.is_alive(after(23)) && !session.is_alive(after(24)));
        let used = |hours| Session { last_seen: after(hours), ..session.clone() };
        assert!(used(719).is_alive(after(719)) && !used(719).is_alive(after(720)));
        assert!(!session.is_due(start + SignedDuration::from_mins(9)));
        assert!(session.is_due(start + SignedDuration::from_mins(10)));
    }

    #[test]
    fn a_name_is_a_line_of_text() {
        assert_eq!(DisplayName::parse("name", "  Ada ").unwrap().as_str(), "Ada");
        for bad in ["", " ", "a\tb", &"x".repeat(121)] {
            assert!(DisplayName::parse("name", bad).is_err(), "{bad:?}");
        }
    }
}
