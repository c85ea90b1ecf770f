//! Where a person is signed in, and ending that (manual 8.2 r2).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::session::SessionEntry;
use crate::domain::accounts::token;
use crate::domain::accounts::user::User;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{SessionId, UserId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::store::tables::{SESSIONS, USERS, WORKSPACES};
use crate::store::{Tx, WriteTx};

/// The sessions of a person that are alive: the one behind `cookie` first, then those used last.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(app: &App, user: UserId, cookie: &str) -> Result<Vec<SessionEntry>> {
    let now = app.clock.now();
    app.store.read(|tx| {
        let current = find_by_cookie(tx, cookie)?;
        let mut sessions = SESSIONS.list(tx)?;
        sessions.retain(|session| session.user == user && session.is_alive(now));
        sessions.sort_by_key(|session| (Some(session.id) != current, std::cmp::Reverse(session.last_seen)));
        let entries = sessions.into_iter().map(|session| {
            let workspace = WORKSPACES.get(tx, &session.workspace)?.map(|workspace| workspace.name);
            Ok(SessionEntry { is_current: Some(session.id) == current, workspace, session })
        });
        entries.collect()
    })
}

/// Ends one session of the caller.
///
/// # Errors
/// 404 for one that is not theirs, as for an unknown one.
pub(crate) fn end(app: &App, caller: &Caller, id: SessionId) -> Result<()> {
    let me = caller.user().ok_or_else(Error::unauthorized)?;
    app.store.write(|tx| {
        let ended = SESSIONS.retain(tx, |session| session.user != me || session.id != id)?;
        if ended == 0 {
            return Err(id.not_found());
        }
        let entry = AuditEntry::by_caller(caller, AuditAction::SessionEnded, app.clock.now());
        audit::record(tx, &entry.with_target(AuditTargetKind::Session, id, ""))
    })?;
    tracing::info!(session = %id, by = %caller.principal, "a session was ended");
    Ok(())
}

/// Ends all sessions of a person but the one behind `cookie`; the number ended.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn end_others(app: &App, caller: &Caller, user: &User, cookie: &str) -> Result<usize> {
    let ended = app.store.write(|tx| {
        let ended = drop_others(tx, user.id, cookie)?;
        if ended > 0 {
            let entry = AuditEntry::by_caller(caller, AuditAction::SessionsEnded, app.clock.now());
            audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))?;
        }
        Ok(ended)
    })?;
    tracing::info!(user = %user.id, by = %caller.principal, ended, "sessions were ended");
    Ok(ended)
}

/// As [`end_others`], for the caller's own.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn end_own_others(app: &App, caller: &Caller, cookie: &str) -> Result<usize> {
    let me = caller.user().ok_or_else(Error::unauthorized)?;
    let me = app.store.read(|tx| USERS.get(tx, &me))?.ok_or_else(Error::unauthorized)?;
    end_others(app, caller, &me, cookie)
}

/// Ends all sessions of a person but the one behind `cookie`, within a change that asks for it; the number ended.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn drop_others(tx: &WriteTx, user: UserId, cookie: &str) -> Result<usize> {
    // By its key: sessions of earlier builds have no ids that tell them apart.
    let current = token::hash(cookie);
    SESSIONS.retain_keyed(tx, |key, session| session.user != user || key == current)
}

/// The id of the session behind a cookie.
fn find_by_cookie(tx: &impl Tx, cookie: &str) -> Result<Option<SessionId>> {
    Ok(SESSIONS.get(tx, &token::hash(cookie))?.map(|session| session.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::session::Session;
    use crate::ops::accounts::membership;
    use serde_json::json;

    #[test]
    fn sessions_of_an_earlier_format_end_with_the_others() {
        let (_folder, app, caller) = App::with_owner();
        let ada = app.store.read(membership::organization).unwrap().owner;
        let bob = UserId::random();
        let now = app.clock.now();
        // As they were stored before sessions had ids, addresses and names of programs.
        let old = |user: UserId| -> Session {
            let stored =
                json!({"user": user, "workspace": caller.workspace, "created": now, "lastSeen": now});
            serde_json::from_value(stored).unwrap()
        };
        let stored = [
            ("present", old(ada)),
            ("old", old(ada)),
            ("new", Session { id: SessionId::random(), ..old(ada) }),
            ("another's", old(bob)),
        ];
        app.store
            .write(|tx| {
                stored
                    .iter()
                    .try_for_each(|(cookie, session)| SESSIONS.put(tx, &token::hash(cookie), session))
            })
            .unwrap();
        let me = app.store.read(|tx| USERS.get(tx, &ada)).unwrap().unwrap();
        assert_eq!(end_others(&app, &caller, &me, "present").unwrap(), 2);
        let left = |cookie: &str| app.store.read(|tx| SESSIONS.get(tx, &token::hash(cookie))).unwrap();
        let there: Vec<&str> =
            stored.iter().map(|(cookie, _)| *cookie).filter(|cookie| left(cookie).is_some()).collect();
        assert_eq!(there, ["present", "another's"]);
    }
}
