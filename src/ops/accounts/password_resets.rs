//! New passwords for people who forgot theirs: they ask, the owner sees it and makes a link, the link takes one new
//! password (manual 8.4). No mail is sent.

use super::links::{self, LinkTarget};
use super::{membership, people};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::link::{self, NewLinkToken, NewResetLink, PasswordReset, RESET_MINUTES};
use crate::domain::accounts::password;
use crate::domain::accounts::user::{Email, User};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::UserId;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::state::login_throttle::RetryAfter;
use crate::store::Tx;
use crate::store::tables::{PASSWORD_RESETS, SESSIONS, USER_BY_EMAIL, USERS};
use jiff::Timestamp;
use std::net::IpAddr;

/// Notes that somebody forgot their password. The answer and the work are the same whether the account exists or not, and
/// whether `email` is an address or not.
///
/// # Errors
/// 429 after too many, by address and by account.
pub(crate) fn request(app: &App, email: &str, address: IpAddr) -> Result<()> {
    let account = Email::parse(email);
    let subject = account.as_ref().map_or(email, Email::as_str);
    let now = app.clock.now();
    let admitted = app.state.reset_requests.admit(subject, address, now.as_millisecond());
    if let Err(RetryAfter(retry_after_seconds)) = admitted {
        return Err(Error::TooManyAttempts { retry_after_seconds });
    }
    app.store.write(|tx| {
        let id = account.as_ref().map(|email| USER_BY_EMAIL.get(tx, email.as_str())).transpose()?.flatten();
        let entry = AuditEntry::by_nobody(Some(address), AuditAction::PasswordResetRequested, now);
        let Some(mut user) = id.map(|id| USERS.get(tx, &id)).transpose()?.flatten() else {
            return audit::record(tx, &entry.with_refusal("there is no such account"));
        };
        user.reset_requested = Some(now);
        USERS.put(tx, &user.id, &user)?;
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))
    })?;
    tracing::info!(%address, "a new password was asked for");
    Ok(())
}

/// Makes a link for a new password of this person, shown once; an earlier one is void. For the owner.
///
/// # Errors
/// 404; 409 for the owner, who knows theirs or uses the command line.
pub(crate) fn make_link(app: &App, owner: &Caller, id: UserId) -> Result<NewResetLink> {
    let now = app.clock.now();
    let fresh = NewLinkToken::for_minutes(RESET_MINUTES, now);
    let user = app.store.write(|tx| {
        let user = people::find(tx, id)?;
        if user.id == membership::organization(tx)?.owner {
            return Err(Conflict::OwnerStays.into());
        }
        PASSWORD_RESETS.retain(tx, |open| open.expires > now && open.user != user.id)?;
        let reset = PasswordReset { hash: fresh.hash, user: user.id, expires: fresh.expires };
        PASSWORD_RESETS.put(tx, &fresh.hash, &reset)?;
        let entry = AuditEntry::by_caller(owner, AuditAction::PasswordResetLinkMade, now);
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))?;
        Ok(user)
    })?;
    tracing::info!(user = %user.id, by = %owner.principal, "a link for a new password was made");
    Ok(NewResetLink { user, token: fresh })
}

/// Sets a new password, uses the link up and ends all sessions of the person.
///
/// # Errors
/// 400 for a dead link or a bad password, 429 after too many dead links.
pub(crate) fn reset(app: &App, token: &str, new_password: &str, address: IpAddr) -> Result<()> {
    links::redeem(app, token, address, || {
        let now = app.clock.now();
        let (_, user) = app.store.read(|tx| find_reset(tx, token, now))?;
        password::check(new_password, user.name.as_str(), &user.email)?;
        let hash = password::hash(new_password);
        app.store.write(|tx| {
            let (reset, mut user) = find_reset(tx, token, now)?;
            user.password = hash.clone();
            user.reset_requested = None;
            user.updated = now;
            USERS.put(tx, &user.id, &user)?;
            PASSWORD_RESETS.retain(tx, |open| open.user != reset.user)?;
            SESSIONS.retain(tx, |session| session.user != reset.user)?;
            let entry = AuditEntry::by_user(&user, Some(address), AuditAction::PasswordReset, now);
            audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))
        })?;
        tracing::info!(user = %user.id, %address, "a password was set by a link");
        Ok(())
    })
}

fn find_reset(tx: &impl Tx, token: &str, now: Timestamp) -> Result<(PasswordReset, User)> {
    let LinkTarget::Reset(reset) = links::resolve(tx, token, now)? else {
        return Err(link::dead_link_error());
    };
    let user = USERS.get(tx, &reset.user)?.ok_or_else(link::dead_link_error)?;
    Ok((reset, user))
}
