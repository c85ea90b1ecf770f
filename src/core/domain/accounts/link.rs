//! Links that work once: an invitation, and a new password (manual 8.4). Only the hash of a token is kept.

use super::token::{self, Token};
use super::user::{DisplayName, Email, User};
use crate::domain::error::Error;
use crate::domain::ids::{InvitationId, RoleId, UserId, WorkspaceId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How long a link for a new password works.
pub const RESET_MINUTES: u64 = 15;

/// A membership that waits for somebody who has no account yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    /// Names it in lists.
    pub id: InvitationId,
    /// SHA-256 of the token, under which it is kept.
    pub hash: [u8; 32],
    /// Whom it invites. The account gets this address, whatever its holder types.
    pub email: Email,
    /// What to call them until they say.
    pub name: Option<DisplayName>,
    pub workspace: WorkspaceId,
    pub role: RoleId,
    pub by: String,
    /// Their account: the invitation ends with their membership. `None` for a key or the operator.
    #[serde(default)]
    pub by_user: Option<UserId>,
    /// When it was made.
    pub created: Timestamp,
    /// Until when the link works.
    pub expires: Timestamp,
}

/// Whom to invite, where, and as what.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    pub email: Email,
    /// What to call them until they say.
    pub name: Option<DisplayName>,
    /// The active workspace, unless one is named.
    pub workspace: Option<WorkspaceId>,
    pub role: RoleId,
}

/// An invitation as a list shows it.
#[derive(Debug, Clone)]
pub struct InvitationEntry {
    pub invitation: Invitation,
    /// The name of its workspace, while there is one.
    pub workspace: Option<String>,
    /// The name of the role it promises, while there is one.
    pub role: Option<String>,
    /// True when its link does not work any more.
    pub is_expired: bool,
}

/// A link for a new password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PasswordReset {
    /// SHA-256 of the token, under which it is kept.
    pub hash: [u8; 32],
    pub user: UserId,
    /// Until when the link works.
    pub expires: Timestamp,
}

/// What kind of thing a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum LinkKind {
    Invitation,
    Reset,
}

impl LinkKind {
    /// The page that a link of this kind leads to, behind the address of the service.
    #[must_use]
    pub fn path(self, token: &str) -> String {
        let page = match self {
            Self::Invitation => "invite",
            Self::Reset => "reset",
        };
        format!("/{page}?token={token}")
    }
}

/// What a link is for, as its holder may know it.
#[derive(Debug, Clone)]
pub struct LinkPurpose {
    pub kind: LinkKind,
    pub email: Email,
    /// What its holder is called, if somebody said it.
    pub name: Option<DisplayName>,
    pub organization: DisplayName,
    /// Where an invitation leads.
    pub workspace: Option<String>,
    /// Until when the link works.
    pub expires: Timestamp,
}

/// A link for a new password that was just made.
pub struct NewResetLink {
    pub user: User,
    pub token: NewLinkToken,
}

/// A token with its hash and its end, freshly made.
pub struct NewLinkToken {
    /// To be shown once.
    pub token: Token,
    pub hash: [u8; 32],
    /// Until when it works.
    pub expires: Timestamp,
}

impl NewLinkToken {
    /// Makes a token that works for this long.
    #[must_use]
    pub fn for_minutes(minutes: u64, now: Timestamp) -> Self {
        let token = Token::random();
        let hash = token::hash(token.as_str());
        let length = SignedDuration::from_mins(i64::try_from(minutes).unwrap_or(i64::MAX / 60));
        Self { token, hash, expires: now + length }
    }
}

/// The one answer to a token that is unknown, used up or too old: which of them would say whether it ever was one.
#[must_use]
pub fn dead_link_error() -> Error {
    Error::invalid("This link is not valid any more. Ask for a new one.")
}
