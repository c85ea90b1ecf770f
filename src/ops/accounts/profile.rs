//! A person's own account: name, e-mail, password (manual 8.3).

use super::{membership, sessions};
use crate::app::App;
use crate::domain::accounts::account::{Account, AccountChange};
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::password;
use crate::domain::accounts::person::PersonSelector;
use crate::domain::accounts::user::User;
use crate::domain::error::{Conflict, Error, Result, Unauthorized};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::state::login_throttle::RetryAfter;
use crate::store::Tx;
use crate::store::tables::{PASSWORD_RESETS, USER_BY_EMAIL, USERS};
use std::net::IpAddr;

/// A person's account: the caller's own unless `whom` names another, which the owner may.
///
/// # Errors
/// 404 for another person, as for an unknown one.
pub(crate) fn read(app: &App, caller: &Caller, whom: Option<&PersonSelector>) -> Result<Account> {
    let me = caller.user().ok_or_else(Error::unauthorized)?;
    app.store.read(|tx| {
        let wanted = match whom {
            Some(PersonSelector::ById(id)) => Some(*id),
            Some(PersonSelector::ByEmail(email)) => USER_BY_EMAIL.get(tx, email.as_str())?,
            None => Some(me),
        };
        let seen = wanted.filter(|id| *id == me || caller.is_owner());
        let found = seen.map(|id| USERS.get(tx, &id)).transpose()?.flatten();
        let user = found.ok_or_else(|| match whom {
            Some(selector) => selector.not_found(),
            None => me.not_found(),
        })?;
        account(tx, user)
    })
}

/// Changes the caller's own account. Another e-mail or password needs the present password and ends all their sessions
/// but the one behind `cookie`.
///
/// # Errors
/// 400 for a bad value or a missing present password, 401 for a wrong one, 409 when the e-mail is taken, 429 after too
/// many wrong ones.
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    cookie: &str,
    address: IpAddr,
    change: &AccountChange,
) -> Result<Account> {
    let me = caller.user().ok_or_else(Error::unauthorized)?;
    let before = app.store.read(|tx| USERS.get(tx, &me))?.ok_or_else(Error::unauthorized)?;
    let AccountChange { name, email, current_password, new_password } = change;
    let wants_password = new_password.as_deref().filter(|new| !new.is_empty());
    let is_guarded = wants_password.is_some() || email.as_ref().is_some_and(|email| *email != before.email);
    if is_guarded {
        verify_password(app, &before, current_password.as_deref(), address)?;
    }
    let hash = match wants_password {
        Some(new) => {
            let (name, email) =
                (name.as_ref().unwrap_or(&before.name), email.as_ref().unwrap_or(&before.email));
            password::check(new, name.as_str(), email)?;
            Some(password::hash(new))
        }
        None => None,
    };
    let now = app.clock.now();
    let changed = app.store.write(|tx| {
        let current = USERS.get(tx, &me)?.ok_or_else(Error::unauthorized)?;
        // What was proven was the password of then.
        if is_guarded && current.password != before.password {
            return Err(Error::Unauthorized(Unauthorized::WrongCurrentPassword));
        }
        // What the change does not name stays what it is by now.
        let email = email.clone().unwrap_or_else(|| current.email.clone());
        if email != current.email {
            if !is_guarded {
                return Err(Error::Unauthorized(Unauthorized::WrongCurrentPassword));
            }
            if USER_BY_EMAIL.get(tx, email.as_str())?.is_some() {
                return Err(Conflict::EmailTaken.into());
            }
            USER_BY_EMAIL.remove(tx, current.email.as_str())?;
            USER_BY_EMAIL.put(tx, email.as_str(), &me)?;
        }
        let after = User {
            name: name.clone().unwrap_or_else(|| current.name.clone()),
            email,
            password: hash.clone().unwrap_or_else(|| current.password.clone()),
            reset_requested: current.reset_requested.filter(|_| hash.is_none()),
            updated: now,
            ..current.clone()
        };
        USERS.put(tx, &me, &after)?;
        let changes = [
            (after.name != current.name, AuditAction::ProfileChanged),
            (after.email != current.email, AuditAction::EmailChanged),
            (after.password != current.password, AuditAction::PasswordChanged),
        ];
        for (_, action) in changes.into_iter().filter(|(changed, _)| *changed) {
            let entry = AuditEntry::by_caller(caller, action, now).with_target(
                AuditTargetKind::User,
                me,
                after.name.as_str(),
            );
            audit::record(tx, &entry)?;
        }
        if is_guarded {
            sessions::drop_others(tx, me, cookie)?;
            PASSWORD_RESETS.retain(tx, |open| open.user != me)?;
        }
        account(tx, after)
    })?;
    tracing::info!(user = %me, by = %caller.principal, is_guarded, "an account was changed by its owner");
    Ok(changed)
}

/// Proves the present password, slowed down like a sign-in: who found an unlocked screen must not guess here.
fn verify_password(app: &App, user: &User, present: Option<&str>, address: IpAddr) -> Result<()> {
    let Some(present) = present else {
        return Err(Error::invalid("'currentPassword' is needed to change the e-mail or the password."));
    };
    let (account, now) = (user.email.as_str(), app.clock.now());
    let admitted = app.state.login_throttle.admit(account, address, now.as_millisecond());
    if let Err(RetryAfter(retry_after_seconds)) = admitted {
        return Err(Error::TooManyAttempts { retry_after_seconds });
    }
    if !password::verify(present, Some(&user.password)) {
        tracing::warn!(user = %user.id, %address, "a change of an account was refused: wrong password");
        return Err(Error::Unauthorized(Unauthorized::WrongCurrentPassword));
    }
    app.state.login_throttle.record_success(account, address);
    Ok(())
}

fn account(tx: &impl Tx, user: User) -> Result<Account> {
    Ok(Account { is_owner: membership::organization(tx)?.owner == user.id, user })
}
