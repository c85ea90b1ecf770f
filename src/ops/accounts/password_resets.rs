//! New passwords for people who forgot theirs: they ask, the owner sees it and makes a link, the link takes one new
//! password (manual 8.4). Where a mail server is set, who asks is sent a link at once.

use super::links::{self, LinkTarget};
use super::{membership, people};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::link::{self, NewLinkToken, NewResetLink, PasswordReset, RESET_MINUTES};
use crate::domain::accounts::password;
use crate::domain::accounts::user::{Email, User};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::UserId;
use crate::domain::service::mail::MailTopic;
use crate::domain::service::mail::language::MailLanguage;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::service::mail::letters;
use crate::ops::service::mail::outbox::{self, Posting};
use crate::ops::workspace::audit;
use crate::state::login_throttle::RetryAfter;
use crate::store::tables::{PASSWORD_RESETS, SESSIONS, USER_BY_EMAIL, USERS};
use crate::store::{Tx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::net::IpAddr;

/// Least time between two links for a new password that the same person is sent because somebody asked (manual 14.15).
const RESET_MAIL_GAP_SECONDS: i64 = 120;

/// Notes that somebody forgot their password. The answer and the work are the same whether the account exists or not, and
/// whether `email` is an address or not.
///
/// # Errors
/// 429 after too many, by address and by account.
pub(crate) fn request(app: &App, email: &str, language: MailLanguage, address: IpAddr) -> Result<()> {
    let account = Email::parse(email);
    let subject = account.as_ref().map_or(email, Email::as_str);
    let now = app.clock.now();
    let admitted = app.state.reset_requests.admit(subject, address, now.as_millisecond());
    if let Err(RetryAfter(retry_after_seconds)) = admitted {
        return Err(Error::TooManyAttempts { retry_after_seconds });
    }
    let fresh = NewLinkToken::for_minutes(RESET_MINUTES, now);
    let nobody = || {
        // Thrown away: that it was made is all that a clock could show.
        let client = app.mail.as_ref()?;
        let letter = letters::reset_for_nobody(client.settings(), &fresh.token, language);
        Some(outbox::seal(app, MailTopic::Alert, &letter, now))
    };
    let posting = app.store.write(|tx| {
        let id = account.as_ref().map(|email| USER_BY_EMAIL.get(tx, email.as_str())).transpose()?.flatten();
        let entry = AuditEntry::by_nobody(Some(address), AuditAction::PasswordResetRequested, now);
        let Some(mut user) = id.map(|id| USERS.get(tx, &id)).transpose()?.flatten() else {
            drop(nobody());
            audit::record(tx, &entry.with_refusal("there is no such account"))?;
            return Ok(Posting::Nothing);
        };
        user.reset_requested = Some(now);
        USERS.put(tx, &user.id, &user)?;
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))?;
        let may_have_another = !user.disabled && !was_sent_just_now(tx, user.id, now)?;
        if may_have_another { post(app, tx, &user, &fresh, language) } else { Ok(Posting::Nothing) }
    })?;
    posting.settle(app);
    tracing::info!(%address, "a new password was asked for");
    Ok(())
}

/// True when the person was sent a link so recently that another one would only fill their mailbox. An earlier link stays as it is,
/// because whoever asks need not be the person.
fn was_sent_just_now(tx: &impl Tx, user: UserId, now: Timestamp) -> Result<bool> {
    let rests = SignedDuration::from_mins(RESET_MINUTES.cast_signed())
        - SignedDuration::from_secs(RESET_MAIL_GAP_SECONDS);
    Ok(PASSWORD_RESETS.list(tx)?.iter().any(|open| open.user == user && open.expires > now + rests))
}

/// Writes the message with a link, and the link, where a mail server is set.
fn post(
    app: &App,
    tx: &WriteTx,
    user: &User,
    fresh: &NewLinkToken,
    language: MailLanguage,
) -> Result<Posting> {
    let Some(client) = &app.mail else { return Ok(Posting::Nothing) };
    let organization = membership::organization(tx)?.name;
    let letter = letters::reset(client.settings(), user, organization.as_str(), &fresh.token, language);
    let Some(letter) = letter else { return Ok(Posting::Nothing) };
    let now = app.clock.now();
    PASSWORD_RESETS.retain(tx, |open| open.expires > now)?;
    let reset = PasswordReset { hash: fresh.hash, user: user.id, expires: fresh.expires };
    PASSWORD_RESETS.put(tx, &fresh.hash, &reset)?;
    let topic = MailTopic::Reset { hash: fresh.hash, user: user.id };
    outbox::post(tx, &outbox::seal(app, topic, &letter, now), now)
}

/// Makes a link for a new password of this person, shown once; an earlier one is void. Where a mail server is set, the person is sent it
/// too. For the owner.
///
/// # Errors
/// 404; 409 for the owner, who knows theirs or uses the command line.
pub(crate) fn make_link(app: &App, owner: &Caller, id: UserId) -> Result<NewResetLink> {
    let now = app.clock.now();
    let fresh = NewLinkToken::for_minutes(RESET_MINUTES, now);
    let (user, posting) = app.store.write(|tx| {
        let user = people::find(tx, id)?;
        if user.id == membership::organization(tx)?.owner {
            return Err(Conflict::OwnerStays.into());
        }
        PASSWORD_RESETS.retain(tx, |open| open.expires > now && open.user != user.id)?;
        let reset = PasswordReset { hash: fresh.hash, user: user.id, expires: fresh.expires };
        PASSWORD_RESETS.put(tx, &fresh.hash, &reset)?;
        let entry = AuditEntry::by_caller(owner, AuditAction::PasswordResetLinkMade, now);
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))?;
        let posting = if user.disabled {
            Posting::Nothing
        } else {
            post(app, tx, &user, &fresh, MailLanguage::English)?
        };
        Ok((user, posting))
    })?;
    posting.settle(app);
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
