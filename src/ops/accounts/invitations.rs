//! Invitations: a link that makes one account, in one workspace, with one role (manual 8.4). Whoever invites hands the link over; where
//! a mail server is set, the link is sent too.

use super::links::{self, LinkTarget};
use super::{membership, roles};
use crate::app::App;
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::accounts::link::{self, Invitation, InvitationEntry, NewInvitation, NewLinkToken};
use crate::domain::accounts::password;
use crate::domain::accounts::registration::{InvitedRegistration, NewAccount};
use crate::domain::accounts::user::{DisplayName, Email, Membership, User};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{InvitationId, UserId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::service::mail::MailTopic;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::service::mail::letters::{self, InvitationPlace};
use crate::ops::service::mail::outbox::{self, Posting};
use crate::ops::workspace::audit;
use crate::store::tables::{INVITATIONS, USER_BY_EMAIL, USERS, WORKSPACES};
use crate::store::{Tx, WriteTx};
use jiff::Timestamp;
use std::net::IpAddr;

/// People of the organization (manual 14.15).
const USERS_MAX: usize = 10_000;
/// Invitations that wait to be accepted (manual 14.15).
const INVITATIONS_MAX: usize = 500;

/// Invites somebody who has no account. Only this once there is the token for the link; an earlier one for the same place is
/// void.
///
/// # Errors
/// 403 for a role that allows more than the caller holds, 404 for an unknown role or workspace, 409
/// for somebody who has an account and for too many open invitations.
pub(crate) fn create(
    app: &App,
    caller: &Caller,
    new: &NewInvitation,
) -> Result<(InvitationEntry, NewLinkToken)> {
    let email = &new.email;
    let now = app.clock.now();
    let fresh = NewLinkToken::for_minutes(app.settings.invitation_minutes, now);
    let by = match &caller.principal {
        Principal::User { name, .. } => name.clone(),
        Principal::Key { .. } | Principal::Operator => String::new(),
    };
    let (made, posting) = app.store.write(|tx| {
        let workspace = membership::find_workspace(tx, caller, new.workspace)?;
        let role = roles::require(tx, new.role)?;
        membership::check_grantable(caller, &role)?;
        if USER_BY_EMAIL.get(tx, email.as_str())?.is_some() {
            return Err(Conflict::HasAccount.into());
        }
        INVITATIONS.retain(tx, |open| open.expires > now)?;
        // A new one takes the place of an open one, where the caller might take that back.
        for open in INVITATIONS.list(tx)?.into_iter().filter(|open| open.email == *email) {
            if open.workspace == workspace.id {
                revoke(tx, caller, &open, now)?;
            }
        }
        if INVITATIONS.list(tx)?.len() >= INVITATIONS_MAX {
            return Err(Conflict::TooMany { what: "open invitations" }.into());
        }
        let made = Invitation {
            id: InvitationId::random(),
            hash: fresh.hash,
            email: email.clone(),
            name: new.name.clone(),
            workspace: workspace.id,
            role: role.id,
            by: by.clone(),
            by_user: caller.user(),
            created: now,
            expires: fresh.expires,
        };
        INVITATIONS.put(tx, &made.hash, &made)?;
        let entry =
            AuditEntry::by_caller(caller, AuditAction::InvitationMade, now).in_workspace(workspace.id);
        audit::record(tx, &entry.with_target(AuditTargetKind::Invitation, made.id, email.as_str()))?;
        let posting = post(app, tx, &made, (&workspace.name, &role.name), &fresh)?;
        Ok((entry_of(tx, made, now)?, posting))
    })?;
    posting.settle(app);
    tracing::info!(invitation = %made.invitation.id, by = %caller.principal, "an invitation was made");
    Ok((made, fresh))
}

/// Writes the message with the link, where a mail server is set.
fn post(
    app: &App,
    tx: &WriteTx,
    made: &Invitation,
    (workspace, role): (&str, &str),
    fresh: &NewLinkToken,
) -> Result<Posting> {
    let Some(client) = &app.mail else { return Ok(Posting::Nothing) };
    let organization = membership::organization(tx)?.name;
    let place = InvitationPlace { organization: organization.as_str(), workspace, role };
    let letter = letters::invitation(client.settings(), made, &place, &fresh.token);
    let Some(letter) = letter else { return Ok(Posting::Nothing) };
    let topic = MailTopic::Invitation { hash: made.hash };
    outbox::post(tx, &outbox::seal(app, topic, &letter, made.created), made.created)
}

/// The open invitations, newest first: all of them for the owner, else those of the active workspace.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<InvitationEntry>> {
    let now = app.clock.now();
    app.store.read(|tx| {
        let mut open = INVITATIONS.list(tx)?;
        open.retain(|open| caller.is_owner() || open.workspace == caller.workspace);
        open.sort_by_key(|open| std::cmp::Reverse(open.created));
        open.into_iter().map(|open| entry_of(tx, open, now)).collect()
    })
}

/// Takes an invitation back.
///
/// # Errors
/// 404; 403 when it promises more than the caller holds.
pub(crate) fn remove(app: &App, caller: &Caller, id: InvitationId) -> Result<()> {
    let now = app.clock.now();
    app.store.write(|tx| {
        let seen = |open: &Invitation| caller.is_owner() || open.workspace == caller.workspace;
        let found = INVITATIONS.list(tx)?.into_iter().find(|open| open.id == id && seen(open));
        let found = found.ok_or_else(|| id.not_found())?;
        revoke(tx, caller, &found, now)
    })?;
    tracing::info!(invitation = %id, by = %caller.principal, "an invitation was taken back");
    Ok(())
}

fn revoke(tx: &WriteTx, caller: &Caller, open: &Invitation, now: Timestamp) -> Result<()> {
    if let Some(role) = roles::find(tx, &open.role)? {
        membership::check_grantable(caller, &role)?;
    }
    INVITATIONS.remove(tx, &open.hash)?;
    let entry =
        AuditEntry::by_caller(caller, AuditAction::InvitationRemoved, now).in_workspace(open.workspace);
    audit::record(tx, &entry.with_target(AuditTargetKind::Invitation, open.id, open.email.as_str()))
}

/// Ends the open invitations of somebody whose place in a workspace changed, or everywhere: what they promised was theirs
/// to promise only while they held it.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn revoke_all(tx: &WriteTx, user: UserId, workspace: Option<WorkspaceId>) -> Result<()> {
    let ends = |open: &Invitation| {
        open.by_user == Some(user) && workspace.is_none_or(|workspace| open.workspace == workspace)
    };
    INVITATIONS.retain(tx, |open| !ends(open)).map(drop)
}

/// Makes the account an invitation is for, and uses the invitation up.
///
/// # Errors
/// 400 for a dead link, a bad name or password, or another e-mail than the invited one; 409 when the e-mail has an
/// account by now; 429 after too many dead links.
pub(crate) fn accept(app: &App, registration: &InvitedRegistration, address: IpAddr) -> Result<NewAccount> {
    let token = registration.token.as_str();
    links::redeem(app, token, address, || {
        let now = app.clock.now();
        let invited = app.store.read(|tx| find_invitation(tx, token, now))?;
        let name = DisplayName::parse("name", &registration.name)?;
        let other = |text: &str| Email::parse(text).as_ref() != Some(&invited.email);
        if registration.email.as_deref().is_some_and(other) {
            return Err(Error::invalid("This invitation is for another e-mail address."));
        }
        password::check(&registration.password, name.as_str(), &invited.email)?;
        let hash = password::hash(&registration.password);
        let user = User {
            id: UserId::random(),
            name,
            email: invited.email.clone(),
            password: hash,
            memberships: vec![Membership {
                workspace: invited.workspace,
                role: invited.role,
                since: Some(now),
            }],
            disabled: false,
            last_login: None,
            reset_requested: None,
            created: now,
            updated: now,
        };
        let made = app.store.write(|tx| {
            // Asked again: of two who accept at the same time one is second.
            let invited = find_invitation(tx, token, now)?;
            let workspace = WORKSPACES.get(tx, &invited.workspace)?.ok_or_else(link::dead_link_error)?;
            if USER_BY_EMAIL.get(tx, user.email.as_str())?.is_some() {
                return Err(Conflict::HasAccount.into());
            }
            if USERS.list(tx)?.len() >= USERS_MAX {
                return Err(Conflict::TooMany { what: "people" }.into());
            }
            // Other invitations of this address could make no account any more.
            INVITATIONS.retain(tx, |open| open.email != user.email)?;
            USERS.put(tx, &user.id, &user)?;
            USER_BY_EMAIL.put(tx, user.email.as_str(), &user.id)?;
            let entry = AuditEntry::by_user(&user, Some(address), AuditAction::InvitationAccepted, now);
            audit::record(
                tx,
                &entry.in_workspace(workspace.id).with_target(
                    AuditTargetKind::Invitation,
                    invited.id,
                    user.email.as_str(),
                ),
            )?;
            Ok(NewAccount { user: user.clone(), organization: membership::organization(tx)?, workspace })
        })?;
        tracing::info!(user = %user.id, %address, "an invitation was accepted");
        Ok(made)
    })
}

fn find_invitation(tx: &impl Tx, token: &str, now: Timestamp) -> Result<Invitation> {
    match links::resolve(tx, token, now)? {
        LinkTarget::Invitation(found) => Ok(found),
        LinkTarget::Reset(_) => Err(link::dead_link_error()),
    }
}

fn entry_of(tx: &impl Tx, invitation: Invitation, now: Timestamp) -> Result<InvitationEntry> {
    Ok(InvitationEntry {
        workspace: WORKSPACES.get(tx, &invitation.workspace)?.map(|workspace| workspace.name),
        role: roles::find(tx, &invitation.role)?.map(|role| role.name),
        is_expired: invitation.expires <= now,
        invitation,
    })
}
