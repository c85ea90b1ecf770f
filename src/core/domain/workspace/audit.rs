//! What people and keys did that others must be able to see later: sign-ins and changes of who may do what (manual 8.11). No
//! value of a secret is ever part of it.

use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::accounts::user::User;
use crate::domain::ids::{KeyId, UserId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::net::IpAddr;

/// How many entries of each [`AuditRing`] are kept, the newest.
pub const ENTRIES_MAX: u64 = 10_000;
/// Longest name that is copied into an entry, in characters.
const NAME_CHARACTERS_MAX: usize = 200;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum AuditAction {
    SignIn,
    SignInRefused,
    SignOut,
    SessionEnded,
    SessionsEnded,
    PasswordChanged,
    PasswordResetRequested,
    PasswordResetLinkMade,
    PasswordReset,
    EmailChanged,
    ProfileChanged,
    InvitationMade,
    InvitationRemoved,
    InvitationAccepted,
    OwnerRegistered,
    UserDisabled,
    UserEnabled,
    UserDeleted,
    RoleCreated,
    RoleChanged,
    RoleDeleted,
    WorkspaceCreated,
    WorkspaceChanged,
    WorkspaceDeleted,
    OrganizationChanged,
    MemberAdded,
    MemberChanged,
    MemberRemoved,
    ApikeyCreated,
    ApikeyChanged,
    ApikeyDeleted,
    CredentialCreated,
    CredentialChanged,
    CredentialDeleted,
    FlowCreated,
    FlowImported,
    FlowDeleted,
    FlowPublished,
    FlowRolledBack,
    FlowRestored,
    FlowPromoted,
    WebhookSecretMade,
    WebhookSecretDeleted,
    McpTokenMade,
    McpTokenDeleted,
    ScheduleSwitchedOn,
    ScheduleSwitchedOff,
    RepositoryConnected,
    RepositoryDisconnected,
    VersionsCopied,
    EnvironmentChanged,
}

/// Which entries push out which: those of one ring, and no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditRing {
    /// What only somebody who was let in can do. Nobody else decides how long such an entry is kept.
    Actions,
    /// Sign-ins, and what else a stranger can cause as often as they like.
    SignIns,
}

impl AuditRing {
    pub const ALL: [Self; 2] = [Self::Actions, Self::SignIns];
}

impl AuditAction {
    /// The ring its entries are kept in.
    #[must_use]
    pub const fn ring(self) -> AuditRing {
        if self.is_login() || matches!(self, Self::PasswordResetRequested) {
            AuditRing::SignIns
        } else {
            AuditRing::Actions
        }
    }

    /// The action of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        serde_json::from_value(Value::from(name)).ok()
    }

    /// True for what belongs to signing in and out, which `loginActivity:view` shows.
    #[must_use]
    pub const fn is_login(self) -> bool {
        matches!(
            self,
            Self::SignIn | Self::SignInRefused | Self::SignOut | Self::SessionEnded | Self::SessionsEnded
        )
    }
}

impl fmt::Display for AuditAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = serde_json::to_value(self).map_err(|_| fmt::Error)?;
        f.write_str(name.as_str().unwrap_or_default())
    }
}

/// Who did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum AuditActor {
    User {
        id: UserId,
        name: String,
    },
    /// The holder of an API key.
    Key {
        id: KeyId,
        name: Option<String>,
    },
    Operator,
    Nobody,
}

/// The kind of thing it was done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names say it")]
pub enum AuditTargetKind {
    User,
    Role,
    Workspace,
    Invitation,
    ApiKey,
    Credential,
    Flow,
    Organization,
    Session,
    Repository,
    Server,
}

/// What it was done to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditTarget {
    pub kind: AuditTargetKind,
    pub id: Option<String>,
    pub name: Option<String>,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// When it was done.
    pub date: Timestamp,
    pub action: AuditAction,
    /// Why it was refused; `None` for what was done.
    #[serde(default)]
    pub refused: Option<String>,
    pub actor: AuditActor,
    /// The address it was done from.
    pub address: Option<IpAddr>,
    /// The workspace it was done in; `None` for what belongs to none.
    pub workspace: Option<WorkspaceId>,
    pub target: Option<AuditTarget>,
}

/// An entry and its number in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    pub number: u64,
    pub entry: AuditEntry,
}

/// Some rows of the list, and how many there are in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    pub rows: Vec<AuditRow>,
    pub total: usize,
}

impl AuditEntry {
    /// What a caller does, in their workspace.
    #[must_use]
    pub fn by_caller(caller: &Caller, action: AuditAction, date: Timestamp) -> Self {
        let actor = match &caller.principal {
            Principal::User { id, name, .. } => AuditActor::User { id: *id, name: shorten_name(name) },
            Principal::Key { id } => AuditActor::Key { id: *id, name: None },
            Principal::Operator => AuditActor::Operator,
        };
        let workspace = Some(caller.workspace);
        Self { date, action, refused: None, actor, address: caller.address, workspace, target: None }
    }

    /// What a person does who is no caller yet, or not any more.
    #[must_use]
    pub fn by_user(user: &User, address: Option<IpAddr>, action: AuditAction, date: Timestamp) -> Self {
        let actor = AuditActor::User { id: user.id, name: shorten_name(user.name.as_str()) };
        Self { date, action, refused: None, actor, address, workspace: None, target: None }
    }

    /// What somebody does who proved nothing.
    #[must_use]
    pub const fn by_nobody(address: Option<IpAddr>, action: AuditAction, date: Timestamp) -> Self {
        Self {
            date,
            action,
            refused: None,
            actor: AuditActor::Nobody,
            address,
            workspace: None,
            target: None,
        }
    }

    /// With what it was done to.
    #[must_use]
    pub fn with_target(self, kind: AuditTargetKind, id: impl ToString, name: &str) -> Self {
        Self {
            target: Some(AuditTarget { kind, id: Some(id.to_string()), name: Some(shorten_name(name)) }),
            ..self
        }
    }

    /// In this workspace.
    #[must_use]
    pub fn in_workspace(self, workspace: WorkspaceId) -> Self {
        Self { workspace: Some(workspace), ..self }
    }

    /// Refused, for this reason.
    #[must_use]
    pub fn with_refusal(self, why: &str) -> Self {
        Self { refused: Some(why.to_owned()), ..self }
    }

    /// The person it is about: who signed in, or was refused.
    #[must_use]
    pub fn person(&self) -> Option<UserId> {
        match (&self.actor, &self.target) {
            (AuditActor::User { id, .. }, _) => Some(*id),
            (_, Some(AuditTarget { kind: AuditTargetKind::User, id: Some(id), .. })) => UserId::parse(id),
            _ => None,
        }
    }
}

fn shorten_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(NAME_CHARACTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_have_names_that_can_be_asked_for() {
        assert_eq!(AuditAction::parse("sign-in-refused"), Some(AuditAction::SignInRefused));
        assert_eq!(AuditAction::parse("apikey-created"), Some(AuditAction::ApikeyCreated));
        assert_eq!(AuditAction::parse("flow-rolled-back"), Some(AuditAction::FlowRolledBack));
        assert_eq!(AuditAction::parse("dance"), None);
        assert!(AuditAction::SessionEnded.is_login() && !AuditAction::RoleChanged.is_login());
        assert_eq!(serde_json::to_value(AuditTargetKind::ApiKey).unwrap(), "apikey");
    }
}
