//! Links that work once: what is common to invitations and new passwords (manual 8.4).

use super::membership;
use crate::app::App;
use crate::domain::accounts::link::{self, Invitation, LinkKind, LinkPurpose, PasswordReset};
use crate::domain::accounts::token;
use crate::domain::error::{Error, Result};
use crate::state::login_throttle::RetryAfter;
use crate::store::Tx;
use crate::store::tables::{INVITATIONS, PASSWORD_RESETS, USERS, WORKSPACES};
use jiff::Timestamp;
use std::net::IpAddr;

/// What a link opens.
pub(crate) enum LinkTarget {
    /// A place for a new account.
    Invitation(Invitation),
    /// A new password for an account.
    Reset(PasswordReset),
}

/// What is behind a token that is alive.
///
/// # Errors
/// 400 for any other text.
pub(crate) fn resolve(tx: &impl Tx, token: &str, now: Timestamp) -> Result<LinkTarget> {
    if !token::is_well_formed(token) {
        return Err(link::dead_link_error());
    }
    // Found by its hash: comparing tells nothing about a token one does not have.
    let hash = token::hash(token);
    if let Some(found) = INVITATIONS.get(tx, &hash)?.filter(|found| found.expires > now) {
        return Ok(LinkTarget::Invitation(found));
    }
    if let Some(found) = PASSWORD_RESETS.get(tx, &hash)?.filter(|found| found.expires > now) {
        return Ok(LinkTarget::Reset(found));
    }
    Err(link::dead_link_error())
}

/// Does what a token is presented for, slowed down for an address that presents too many wrong ones. Only a dead token
/// counts as a failure: who mistypes a new password has proven theirs.
///
/// # Errors
/// 429 after too many; what `work` refuses.
pub(crate) fn redeem<R>(
    app: &App,
    token: &str,
    address: IpAddr,
    work: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let now = app.clock.now();
    let admitted = app.state.login_throttle.admit(token, address, now.as_millisecond());
    if let Err(RetryAfter(retry_after_seconds)) = admitted {
        tracing::warn!(%address, retry_after_seconds, "a link was refused after too many failures");
        return Err(Error::TooManyAttempts { retry_after_seconds });
    }
    if app.store.read(|tx| resolve(tx, token, now).map(drop)).is_ok() {
        app.state.login_throttle.record_success(token, address);
    } else {
        tracing::warn!(%address, "a link that is not valid was used");
    }
    work()
}

/// Says what a link is for; it can still be used afterwards.
///
/// # Errors
/// 400 for a dead one, 429 after too many.
pub(crate) fn verify(app: &App, token: &str, address: IpAddr) -> Result<LinkPurpose> {
    let now = app.clock.now();
    redeem(app, token, address, || {
        app.store.read(|tx| {
            let organization = membership::organization(tx)?.name;
            match resolve(tx, token, now)? {
                LinkTarget::Invitation(invitation) => {
                    let workspace =
                        WORKSPACES.get(tx, &invitation.workspace)?.ok_or_else(link::dead_link_error)?;
                    Ok(LinkPurpose {
                        kind: LinkKind::Invitation,
                        email: invitation.email,
                        name: invitation.name,
                        organization,
                        workspace: Some(workspace.name),
                        expires: invitation.expires,
                    })
                }
                LinkTarget::Reset(reset) => {
                    let user = USERS.get(tx, &reset.user)?.ok_or_else(link::dead_link_error)?;
                    Ok(LinkPurpose {
                        kind: LinkKind::Reset,
                        email: user.email,
                        name: Some(user.name),
                        organization,
                        workspace: None,
                        expires: reset.expires,
                    })
                }
            }
        })
    })
}
