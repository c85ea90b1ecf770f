//! Signing in and out, and who a session cookie stands for (manual 8.2).

use super::membership;
use crate::app::App;
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::accounts::current_user::CurrentUser;
use crate::domain::accounts::password;
use crate::domain::accounts::session::{Session, shorten_agent};
use crate::domain::accounts::token::{self, Token};
use crate::domain::accounts::user::{Email, User};
use crate::domain::error::{Error, Result, Unauthorized};
use crate::domain::ids::{SessionId, UserId};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::state::login_throttle::RetryAfter;
use crate::store::tables::{ORGANIZATION, ORGANIZATION_KEY, SESSIONS, USER_BY_EMAIL, USERS};
use crate::store::{Tx, WriteTx};
use jiff::Timestamp;
use std::net::IpAddr;

/// Sessions one person may have; the one that rested longest makes room (manual 14.15).
const SESSIONS_PER_USER_MAX: usize = 50;

/// What a sign-in gives.
pub(crate) struct SignInResult {
    /// The cookie's value. Only its hash is stored.
    pub cookie: String,
    pub user: CurrentUser,
}

/// Signs a person in. Every failure is the same answer after the same work.
///
/// # Errors
/// 401 for an unknown e-mail as for a wrong password and for a person who is kept out, 429 after too many failures, 403
/// for a person who is in no workspace.
pub(crate) fn sign_in(
    app: &App,
    email: &str,
    password: &str,
    address: IpAddr,
    agent: Option<&str>,
) -> Result<SignInResult> {
    let account = Email::parse(email);
    let subject = account.as_ref().map_or(email, Email::as_str);
    let now = app.clock.now();
    let admitted = app.state.login_throttle.admit(subject, address, now.as_millisecond());
    if let Err(RetryAfter(retry_after_seconds)) = admitted {
        tracing::warn!(%address, retry_after_seconds, "a sign-in was refused after too many failures");
        return Err(Error::TooManyAttempts { retry_after_seconds });
    }
    let user = match &account {
        Some(email) => app.store.read(|tx| match USER_BY_EMAIL.get(tx, email.as_str())? {
            Some(id) => USERS.get(tx, &id),
            None => Ok(None),
        })?,
        None => None,
    };
    let is_right = password::verify(password, user.as_ref().map(|user| &user.password));
    let why = match &user {
        None => Some("there is no such account"),
        Some(_) if !is_right => Some("the password is wrong"),
        Some(user) if user.disabled => Some("the account is disabled"),
        Some(_) => None,
    };
    let user = match (user, why) {
        (Some(user), None) => user,
        (user, why) => {
            record_refusal(app, user.as_ref(), address, why.unwrap_or_default(), now);
            return Err(Error::Unauthorized(Unauthorized::WrongPassword));
        }
    };

    let cookie = Token::random();
    let hash = token::hash(cookie.as_str());
    let id = SessionId::random();
    let signed_in = app.store.write(|tx| {
        // The password may have been changed, or the person been kept out, while it was checked.
        let current = USERS.get(tx, &user.id)?;
        let current = current.filter(|current| current.password == user.password && !current.disabled);
        let (Some(current), Some(organization)) = (current, ORGANIZATION.get(tx, ORGANIZATION_KEY)?) else {
            return Err(Error::Unauthorized(Unauthorized::WrongPassword));
        };
        let Some((workspace, _)) = membership::default_workspace(tx, &current, &organization)? else {
            return Err(Error::Forbidden(membership::NO_WORKSPACE.to_owned()));
        };
        delete_expired(tx, user.id, now)?;
        let session = Session {
            id,
            user: current.id,
            workspace,
            created: now,
            last_seen: now,
            address: Some(address),
            agent: agent.and_then(shorten_agent),
        };
        SESSIONS.put(tx, &hash, &session)?;
        let current = User { last_login: Some(now), ..current };
        USERS.put(tx, &current.id, &current)?;
        audit::record(tx, &audit_entry(&current, address, AuditAction::SignIn, now).in_workspace(workspace))?;
        membership::user_object(tx, &current, &organization, workspace)
    });
    if matches!(signed_in, Err(Error::Forbidden(_))) {
        record_refusal(app, Some(&user), address, "they are in no workspace", now);
    }
    let signed_in = signed_in?;
    app.state.login_throttle.record_success(subject, address);
    tracing::info!(user = %user.id, %address, "a person signed in");
    Ok(SignInResult { cookie: cookie.as_str().to_owned(), user: signed_in })
}

fn audit_entry(user: &User, address: IpAddr, action: AuditAction, now: Timestamp) -> AuditEntry {
    AuditEntry::by_user(user, Some(address), action, now).with_target(
        AuditTargetKind::User,
        user.id,
        user.name.as_str(),
    )
}

/// Writes a refused sign-in down. An account that does not exist is not named: what was typed may be a password.
fn record_refusal(app: &App, user: Option<&User>, address: IpAddr, why: &str, now: Timestamp) {
    tracing::warn!(%address, why, "a sign-in failed");
    let entry = AuditEntry::by_nobody(Some(address), AuditAction::SignInRefused, now).with_refusal(why);
    let entry = match user {
        Some(user) => entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()),
        None => entry,
    };
    // The answer is the same whether it could be written or not.
    if let Err(error) = app.store.write(|tx| audit::record(tx, &entry)) {
        tracing::error!(cause = error.for_log(), "a refused sign-in could not be written down");
    }
}

/// Removes sessions that are over, and the person's oldest ones above the number one person may have.
fn delete_expired(tx: &WriteTx, user: UserId, now: Timestamp) -> Result<()> {
    let mut own: Vec<_> = SESSIONS.list(tx)?.into_iter().filter(|session| session.user == user).collect();
    own.sort_by_key(|session| session.last_seen);
    let surplus = (own.len() + 1).saturating_sub(SESSIONS_PER_USER_MAX);
    let outdated: Vec<SessionId> = own.iter().take(surplus).map(|session| session.id).collect();
    let keep = |session: &Session| {
        session.is_alive(now) && !(session.user == user && outdated.contains(&session.id))
    };
    SESSIONS.retain(tx, keep).map(drop)
}

/// Who a session cookie stands for, with what they may do now; `None` when it stands for nobody. A session whose
/// workspace was left goes on in another one of theirs.
///
/// # Errors
/// 401 `Token Expired` when the session is known but over, so that a page can say so; 403 for a person who is in no
/// workspace any more.
pub(crate) fn caller_of_session(app: &App, cookie: &str, address: Option<IpAddr>) -> Result<Option<Caller>> {
    if !token::is_well_formed(cookie) {
        return Ok(None);
    }
    let hash = token::hash(cookie);
    let now = app.clock.now();
    let found = app.store.read(|tx| {
        let Some(session) = SESSIONS.get(tx, &hash)? else { return Ok(None) };
        if !session.is_alive(now) {
            return Err(Error::Unauthorized(Unauthorized::SessionExpired));
        }
        let caller = load_caller(tx, &session, address)?;
        Ok(caller.map(|caller| (session, caller)))
    })?;
    let Some((session, caller)) = found else { return Ok(None) };
    let has_moved = session.workspace != caller.workspace;
    if session.is_due(now) || has_moved {
        let noted = app.store.write(|tx| match SESSIONS.get(tx, &hash)? {
            Some(current) => {
                // Whoever switched meanwhile chose better than we did.
                let stands = current.workspace == session.workspace;
                let workspace = if stands { caller.workspace } else { current.workspace };
                SESSIONS.put(tx, &hash, &Session { last_seen: now, workspace, ..current })
            }
            None => Ok(()), // signed out meanwhile
        });
        // A full disk must not keep people from looking at what is stored.
        if let Err(error) = noted {
            tracing::error!(cause = error.for_log(), "the use of a session could not be noted");
        }
    }
    Ok(Some(caller))
}

fn load_caller(tx: &impl Tx, session: &Session, address: Option<IpAddr>) -> Result<Option<Caller>> {
    let user = USERS.get(tx, &session.user)?.filter(|user| !user.disabled);
    let Some(user) = user else { return Ok(None) };
    let Some(organization) = ORGANIZATION.get(tx, ORGANIZATION_KEY)? else { return Ok(None) };
    let here = membership::permissions_in(tx, &user, &organization, session.workspace)?;
    let place = match here {
        Some(grants) => Some((session.workspace, grants)),
        None => membership::default_workspace(tx, &user, &organization)?,
    };
    let (workspace, grants) = place.ok_or_else(|| Error::Forbidden(membership::NO_WORKSPACE.to_owned()))?;
    let owner = organization.owner == user.id;
    let principal = Principal::User { id: user.id, name: user.name.as_str().to_owned(), owner };
    Ok(Some(Caller { principal, organization: organization.id, workspace, permissions: grants, address }))
}

/// Ends a session. A cookie that stands for nobody is fine: the wish is fulfilled.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn sign_out(app: &App, cookie: &str, address: IpAddr) -> Result<()> {
    let hash = token::hash(cookie);
    if !token::is_well_formed(cookie) || app.store.read(|tx| SESSIONS.get(tx, &hash))?.is_none() {
        return Ok(());
    }
    app.store.write(|tx| {
        let Some(session) = SESSIONS.get(tx, &hash)? else { return Ok(()) };
        SESSIONS.remove(tx, &hash)?;
        match USERS.get(tx, &session.user)? {
            Some(user) => {
                audit::record(tx, &audit_entry(&user, address, AuditAction::SignOut, app.clock.now()))
            }
            None => Ok(()),
        }
    })?;
    tracing::info!(%address, "a person signed out");
    Ok(())
}

/// The user object of the person who calls.
///
/// # Errors
/// 401 when no person calls.
pub(crate) fn current_user(app: &App, caller: &Caller) -> Result<CurrentUser> {
    let id: UserId = caller.user().ok_or_else(Error::unauthorized)?;
    app.store.read(|tx| {
        let user = USERS.get(tx, &id)?.ok_or_else(Error::unauthorized)?;
        membership::user_object(tx, &user, &membership::organization(tx)?, caller.workspace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::registration::NewOwner;
    use crate::domain::accounts::role;
    use crate::domain::accounts::user::Membership;
    use crate::ops::accounts::owner;
    use std::net::Ipv4Addr;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const PASSWORD: &str = "correct horse";

    fn house() -> (tempfile::TempDir, App) {
        let (folder, app) = App::temporary();
        let (name, email) = ("Ada".to_owned(), "ada@example.org".to_owned());
        owner::create(&app, &NewOwner { name, email, password: PASSWORD.to_owned() }, None).unwrap();
        (folder, app)
    }

    fn expired<T: std::fmt::Debug>(result: Result<T>) -> bool {
        matches!(result, Err(Error::Unauthorized(Unauthorized::SessionExpired)))
    }

    #[test]
    fn the_owner_signs_in_and_out() {
        let (_folder, app) = house();
        let signed_in = sign_in(&app, " ADA@example.org", PASSWORD, HERE, None).unwrap();
        let user = &signed_in.user;
        assert_eq!((user.user.email.as_str(), user.is_owner), ("ada@example.org", true));
        assert_eq!(user.workspaces[0].id, user.active_workspace);
        let caller = caller_of_session(&app, &signed_in.cookie, Some(HERE)).unwrap().unwrap();
        assert!(caller.has_any(&["chatflows:delete"]));
        assert!(matches!(&caller.principal, Principal::User { owner: true, .. }));
        assert_eq!(current_user(&app, &caller).unwrap(), *user);
        let stored = app.store.read(|tx| SESSIONS.get(tx, &token::hash(&signed_in.cookie)));
        assert!(stored.unwrap().is_some());
        sign_out(&app, &signed_in.cookie, HERE).unwrap();
        sign_out(&app, &signed_in.cookie, HERE).unwrap();
        assert_eq!(caller_of_session(&app, &signed_in.cookie, None).unwrap(), None);
        assert_eq!(caller_of_session(&app, "nonsense", None).unwrap(), None);
    }

    #[test]
    fn every_failure_looks_the_same_and_many_must_wait() {
        let (_folder, app) = house();
        let tries =
            [("ada@example.org", "wrong"), ("bob@example.org", PASSWORD), ("", ""), ("ada", PASSWORD)];
        let texts = tries
            .map(|(email, password)| sign_in(&app, email, password, HERE, None).err().unwrap().to_string());
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        for _ in 0..6 {
            assert!(sign_in(&app, "ada@example.org", "wrong", HERE, None).is_err());
        }
        let refused = sign_in(&app, "ada@example.org", PASSWORD, HERE, None).err().unwrap();
        assert!(matches!(refused, Error::TooManyAttempts { retry_after_seconds: 1..=30 }), "{refused}");
        app.clock.advance_seconds(31);
        assert!(sign_in(&app, "ada@example.org", PASSWORD, HERE, None).is_ok());
    }

    #[test]
    fn a_session_ends_after_a_day_of_rest_and_after_a_month() {
        let (_folder, app) = house();
        let cookie = sign_in(&app, "ada@example.org", PASSWORD, HERE, None).unwrap().cookie;
        for _ in 0..30 {
            app.clock.advance_seconds(86_400 - 60);
            assert!(caller_of_session(&app, &cookie, None).unwrap().is_some());
        }
        app.clock.advance_seconds(1860);
        assert!(expired(caller_of_session(&app, &cookie, None)));
        let rested = sign_in(&app, "ada@example.org", PASSWORD, HERE, None).unwrap().cookie;
        assert_eq!(caller_of_session(&app, &cookie, None).unwrap(), None, "a sign-in sweeps what is over");
        app.clock.advance_seconds(86_400);
        assert!(expired(caller_of_session(&app, &rested, None)));
    }

    #[test]
    fn use_is_noted_now_and_then() {
        let (_folder, app) = house();
        let cookie = sign_in(&app, "ada@example.org", PASSWORD, HERE, None).unwrap().cookie;
        let seen =
            || app.store.read(|tx| SESSIONS.get(tx, &token::hash(&cookie))).unwrap().unwrap().last_seen;
        let first = seen();
        app.clock.advance_seconds(9 * 60);
        caller_of_session(&app, &cookie, None).unwrap();
        assert_eq!(seen(), first);
        app.clock.advance_seconds(61);
        caller_of_session(&app, &cookie, None).unwrap();
        assert!(seen() > first);
    }

    #[test]
    fn a_member_may_what_their_role_says_until_it_is_taken() {
        let (_folder, app) = house();
        let operator = owner::operator(&app).unwrap().unwrap();
        let place = |workspace, role| Membership { workspace, role, since: None };
        let mut bob = app.store.read(|tx| USERS.list(tx)).unwrap().remove(0);
        bob = User {
            id: UserId::random(),
            email: Email::parse("bob@x").unwrap(),
            memberships: vec![place(operator.workspace, role::VIEWER)],
            ..bob
        };
        let save = |bob: &User| {
            app.store.write(|tx| {
                USERS.put(tx, &bob.id, bob)?;
                USER_BY_EMAIL.put(tx, bob.email.as_str(), &bob.id)
            })
        };
        save(&bob).unwrap();
        let signed_in = sign_in(&app, "bob@x", PASSWORD, HERE, None).unwrap();
        assert_eq!(signed_in.user.role, Some(role::VIEWER));
        let caller = || caller_of_session(&app, &signed_in.cookie, None).unwrap();
        let first = caller().unwrap();
        assert!(first.has_any(&["chatflows:view"]) && !first.has_any(&["chatflows:update"]));
        bob.memberships = vec![place(operator.workspace, role::EDITOR)];
        save(&bob).unwrap();
        assert!(caller().unwrap().has_any(&["chatflows:update"]));
        bob.memberships.clear();
        save(&bob).unwrap();
        assert!(matches!(caller_of_session(&app, &signed_in.cookie, None), Err(Error::Forbidden(_))));
        assert!(matches!(sign_in(&app, "bob@x", PASSWORD, HERE, None), Err(Error::Forbidden(_))));
        bob.memberships = vec![place(operator.workspace, role::VIEWER)];
        bob.disabled = true;
        save(&bob).unwrap();
        assert_eq!(caller(), None);
        assert!(matches!(sign_in(&app, "bob@x", PASSWORD, HERE, None), Err(Error::Unauthorized(_))));
    }

    #[test]
    fn a_person_has_a_bounded_number_of_sessions() {
        let (_folder, app) = house();
        let first = sign_in(&app, "ada@example.org", PASSWORD, HERE, None).unwrap().cookie;
        let session = app.store.read(|tx| SESSIONS.get(tx, &token::hash(&first))).unwrap().unwrap();
        app.clock.advance_seconds(60);
        for number in 1..SESSIONS_PER_USER_MAX {
            let id = SessionId::random();
            let other = Session { id, last_seen: app.clock.now(), ..session.clone() };
            app.store.write(|tx| SESSIONS.put(tx, &[u8::try_from(number).unwrap(); 32], &other)).unwrap();
        }
        let last = sign_in(&app, "ada@example.org", PASSWORD, HERE, None).unwrap().cookie;
        assert_eq!(app.store.read(|tx| SESSIONS.list(tx)).unwrap().len(), SESSIONS_PER_USER_MAX);
        assert_eq!(
            caller_of_session(&app, &first, None).unwrap(),
            None,
            "the one that rested longest made room"
        );
        assert!(caller_of_session(&app, &last, None).unwrap().is_some());
    }
}
