//! Signing in and out, and who a session cookie stands for (contract 2, security rules 3).

use crate::app::App;
use crate::boards::attempts::RetryAfter;
use crate::domain::caller::{Caller, Grants, Principal};
use crate::domain::error::{Error, Result, Unauthorized};
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::password;
use crate::domain::token::{self, Token};
use crate::domain::user::{Email, Organization, Session, User};
use crate::store::Tx;
use crate::store::tables::{ORGANIZATION, SESSIONS, THE_ORGANIZATION, USER_BY_EMAIL, USERS, WORKSPACES};
use serde_json::{Value, json};
use std::net::IpAddr;

/// What a sign-in gives.
pub struct SignedIn {
    /// The cookie's value. Only its hash is stored.
    pub cookie: String,
    /// The user object.
    pub user: Value,
}

/// Signs a person in. Every failure is the same answer after the same work.
///
/// # Errors
/// 401 for an unknown e-mail as for a wrong password, 429 after too many failures.
pub fn login(app: &App, email: &str, password: &str, address: IpAddr) -> Result<SignedIn> {
    let account = Email::parse(email);
    let subject = account.as_ref().map_or(email, Email::as_str);
    let now = app.clock.now();
    let admitted = app.boards.attempts.admit(subject, address, now.as_millisecond());
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
    let Some(user) = user.filter(|_| is_right) else {
        tracing::warn!(%address, "a sign-in failed");
        return Err(Error::Unauthorized(Unauthorized::WrongPassword));
    };

    let cookie = Token::random();
    let hash = token::hash(cookie.as_str());
    let object = app.store.write(|tx| {
        // The password may have been changed while it was checked.
        let current = USERS.get(tx, &user.id)?.filter(|current| current.password == user.password);
        let (Some(current), Some(organization)) = (current, ORGANIZATION.get(tx, THE_ORGANIZATION)?) else {
            return Err(Error::Unauthorized(Unauthorized::WrongPassword));
        };
        let Some(workspace) = first_workspace(&current, &organization) else {
            return Err(Error::Forbidden(
                "You are in no workspace. Ask the owner to add you to one.".to_owned(),
            ));
        };
        SESSIONS.retain(tx, |session| session.is_alive(now))?;
        SESSIONS.put(tx, &hash, &Session { user: current.id, workspace, created: now, last_seen: now })?;
        user_object(tx, &current, &organization, workspace)
    })?;
    app.boards.attempts.succeeded(subject, address);
    tracing::info!(user = %user.id, %address, "signed in");
    Ok(SignedIn { cookie: cookie.as_str().to_owned(), user: object })
}

/// Where a fresh session begins: the default workspace for those who are in it, else the first one they are in.
fn first_workspace(user: &User, organization: &Organization) -> Option<WorkspaceId> {
    if grants(user, organization, organization.default_workspace).is_some() {
        return Some(organization.default_workspace);
    }
    user.memberships.first().map(|membership| membership.workspace)
}

fn grants(user: &User, organization: &Organization, workspace: WorkspaceId) -> Option<Grants> {
    if organization.owner == user.id {
        return Some(Grants::All);
    }
    let membership = user.memberships.iter().find(|membership| membership.workspace == workspace)?;
    Some(membership.grants.clone())
}

/// Who a session cookie stands for, with what they may do now; `None` when it stands for nobody.
///
/// # Errors
/// 401 `Token Expired` when the session is known but over, so that a page can say so.
pub fn resolve(app: &App, cookie: &str, address: Option<IpAddr>) -> Result<Option<Caller>> {
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
        let caller = caller(tx, &session, address)?;
        Ok(caller.map(|caller| (session, caller)))
    })?;
    let Some((session, caller)) = found else { return Ok(None) };
    if session.is_due(now) {
        let noted = app.store.write(|tx| match SESSIONS.get(tx, &hash)? {
            Some(current) => SESSIONS.put(tx, &hash, &Session { last_seen: now, ..current }),
            None => Ok(()), // signed out meanwhile
        });
        // A full disk must not keep people from looking at what is stored.
        if let Err(error) = noted {
            tracing::error!(cause = ?error, "the use of a session could not be noted");
        }
    }
    Ok(Some(caller))
}

fn caller(tx: &impl Tx, session: &Session, address: Option<IpAddr>) -> Result<Option<Caller>> {
    let Some(user) = USERS.get(tx, &session.user)? else { return Ok(None) };
    let Some(organization) = ORGANIZATION.get(tx, THE_ORGANIZATION)? else { return Ok(None) };
    let Some(grants) = grants(&user, &organization, session.workspace) else { return Ok(None) };
    let owner = organization.owner == user.id;
    let principal = Principal::User { id: user.id, name: user.name.as_str().to_owned(), owner };
    Ok(Some(Caller {
        principal,
        organization: organization.id,
        workspace: session.workspace,
        grants,
        address,
    }))
}

/// Ends a session. A cookie that stands for nobody is fine: the wish is fulfilled.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn logout(app: &App, cookie: &str) -> Result<()> {
    let hash = token::hash(cookie);
    if token::is_well_formed(cookie) && app.store.read(|tx| Ok(SESSIONS.get(tx, &hash)?.is_some()))? {
        app.store.write(|tx| SESSIONS.remove(tx, &hash))?;
    }
    Ok(())
}

/// The user object of the person who calls.
///
/// # Errors
/// 401 when no person calls.
pub fn me(app: &App, caller: &Caller) -> Result<Value> {
    let id: UserId = caller.user().ok_or_else(Error::unauthorized)?;
    app.store.read(|tx| {
        let (Some(user), Some(organization)) = (USERS.get(tx, &id)?, ORGANIZATION.get(tx, THE_ORGANIZATION)?)
        else {
            return Err(Error::unauthorized());
        };
        user_object(tx, &user, &organization, caller.workspace)
    })
}

/// The user object of reference 1.11. There are no subscriptions here, so their ids are null.
fn user_object(tx: &impl Tx, user: &User, organization: &Organization, active: WorkspaceId) -> Result<Value> {
    let is_owner = organization.owner == user.id;
    let role_in = |workspace: WorkspaceId| match is_owner {
        true => Some("owner"),
        false => user
            .memberships
            .iter()
            .find(|place| place.workspace == workspace)
            .map(|place| place.role.as_str()),
    };
    let workspaces = WORKSPACES.list(tx)?;
    let assigned: Vec<Value> = workspaces
        .iter()
        .filter_map(|workspace| {
            let role = role_in(workspace.id)?;
            let organization = workspace.organization;
            Some(json!({ "id": workspace.id, "name": workspace.name, "role": role, "organizationId": organization }))
        })
        .collect();
    let active_name =
        workspaces.iter().find(|workspace| workspace.id == active).map(|workspace| &workspace.name);
    let permissions = grants(user, organization, active).map(|grants| grants.names()).unwrap_or_default();
    Ok(json!({
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "roleId": role_in(active),
        "activeOrganizationId": organization.id,
        "activeOrganizationSubscriptionId": null,
        "activeOrganizationCustomerId": null,
        "activeOrganizationProductId": null,
        "isOrganizationAdmin": is_owner,
        "activeWorkspaceId": active,
        "activeWorkspace": active_name,
        "assignedWorkspaces": assigned,
        "permissions": permissions,
        "features": {},
        "isSSO": false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::caller::Permission;
    use crate::domain::user::Membership;
    use crate::ops::owner::{self, NewOwner};
    use std::net::Ipv4Addr;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const PASSWORD: &str = "correct horse";

    fn house() -> (tempfile::TempDir, App) {
        let (folder, app) = App::temporary();
        let (name, email) = ("Ada".to_owned(), "ada@example.org".to_owned());
        owner::create(&app, &NewOwner { name, email, credential: PASSWORD.to_owned() }, None).unwrap();
        (folder, app)
    }

    fn expired<T: std::fmt::Debug>(result: Result<T>) -> bool {
        matches!(result, Err(Error::Unauthorized(Unauthorized::SessionExpired)))
    }

    #[test]
    fn the_owner_signs_in_and_out() {
        let (_folder, app) = house();
        let signed_in = login(&app, " ADA@example.org", PASSWORD, HERE).unwrap();
        let user = &signed_in.user;
        assert_eq!((&user["email"], &user["isOrganizationAdmin"]), (&json!("ada@example.org"), &json!(true)));
        assert_eq!(user["assignedWorkspaces"][0]["id"], user["activeWorkspaceId"]);
        let caller = resolve(&app, &signed_in.cookie, Some(HERE)).unwrap().unwrap();
        assert!(caller.may_any(&["chatflows:delete"]));
        assert!(matches!(&caller.principal, Principal::User { owner: true, .. }));
        assert_eq!(me(&app, &caller).unwrap(), *user);
        let stored = app.store.read(|tx| SESSIONS.get(tx, &token::hash(&signed_in.cookie)));
        assert!(stored.unwrap().is_some());
        logout(&app, &signed_in.cookie).unwrap();
        logout(&app, &signed_in.cookie).unwrap();
        assert_eq!(resolve(&app, &signed_in.cookie, None).unwrap(), None);
        assert_eq!(resolve(&app, "nonsense", None).unwrap(), None);
    }

    #[test]
    fn every_failure_looks_the_same_and_many_must_wait() {
        let (_folder, app) = house();
        let tries =
            [("ada@example.org", "wrong"), ("bob@example.org", PASSWORD), ("", ""), ("ada", PASSWORD)];
        let texts =
            tries.map(|(email, password)| login(&app, email, password, HERE).err().unwrap().to_string());
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        for _ in 0..6 {
            assert!(login(&app, "ada@example.org", "wrong", HERE).is_err());
        }
        let refused = login(&app, "ada@example.org", PASSWORD, HERE).err().unwrap();
        assert!(matches!(refused, Error::TooManyAttempts { retry_after_seconds: 1..=30 }), "{refused}");
        app.clock.advance_seconds(31);
        assert!(login(&app, "ada@example.org", PASSWORD, HERE).is_ok());
    }

    #[test]
    fn a_session_ends_after_a_day_of_rest_and_after_a_month() {
        let (_folder, app) = house();
        let cookie = login(&app, "ada@example.org", PASSWORD, HERE).unwrap().cookie;
        for _ in 0..30 {
            app.clock.advance_seconds(86_400 - 60);
            assert!(resolve(&app, &cookie, None).unwrap().is_some());
        }
        app.clock.advance_seconds(1860);
        assert!(expired(resolve(&app, &cookie, None)));
        let rested = login(&app, "ada@example.org", PASSWORD, HERE).unwrap().cookie;
        assert_eq!(resolve(&app, &cookie, None).unwrap(), None, "a sign-in sweeps what is over");
        app.clock.advance_seconds(86_400);
        assert!(expired(resolve(&app, &rested, None)));
    }

    #[test]
    fn use_is_noted_now_and_then() {
        let (_folder, app) = house();
        let cookie = login(&app, "ada@example.org", PASSWORD, HERE).unwrap().cookie;
        let seen =
            || app.store.read(|tx| SESSIONS.get(tx, &token::hash(&cookie))).unwrap().unwrap().last_seen;
        let first = seen();
        app.clock.advance_seconds(9 * 60);
        resolve(&app, &cookie, None).unwrap();
        assert_eq!(seen(), first);
        app.clock.advance_seconds(61);
        resolve(&app, &cookie, None).unwrap();
        assert!(seen() > first);
    }

    #[test]
    fn a_member_may_what_their_role_says_until_it_is_taken() {
        let (_folder, app) = house();
        let operator = owner::operator(&app).unwrap().unwrap();
        let now = app.clock.now();
        let grants = Grants::Only([Permission::parse("chatflows:view").unwrap()].into());
        let place = Membership { workspace: operator.workspace, role: "viewer".to_owned(), grants };
        let mut bob = app.store.read(|tx| USERS.list(tx)).unwrap().remove(0);
        bob = User {
            id: UserId::random(),
            email: Email::parse("bob@x").unwrap(),
            memberships: vec![place],
            ..bob
        };
        let save = |bob: &User| {
            app.store.write(|tx| {
                USERS.put(tx, &bob.id, bob)?;
                USER_BY_EMAIL.put(tx, bob.email.as_str(), &bob.id)
            })
        };
        save(&bob).unwrap();
        let signed_in = login(&app, "bob@x", PASSWORD, HERE).unwrap();
        assert_eq!(signed_in.user["permissions"], json!(["chatflows:view"]));
        assert_eq!(signed_in.user["roleId"], "viewer");
        let caller = resolve(&app, &signed_in.cookie, None).unwrap().unwrap();
        assert!(caller.may_any(&["chatflows:view"]) && !caller.may_any(&["chatflows:update"]));
        bob = User { memberships: Vec::new(), updated: now, ..bob };
        save(&bob).unwrap();
        assert_eq!(resolve(&app, &signed_in.cookie, None).unwrap(), None);
        assert!(matches!(login(&app, "bob@x", PASSWORD, HERE), Err(Error::Forbidden(_))));
    }
}
