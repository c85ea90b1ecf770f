//! The first owner: made exactly once, together with the organization and its first workspace (manual 8.1).

use crate::app::App;
use crate::domain::accounts::caller::{Caller, PermissionSet, Principal};
use crate::domain::accounts::password;
use crate::domain::accounts::registration::{NewAccount, NewOwner, OwnerRegistration};
use crate::domain::accounts::user::{DisplayName, Email, Organization, User, Workspace};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{OrganizationId, UserId, WorkspaceId};
use crate::domain::workspace::audit::{AuditAction, AuditActor, AuditEntry, AuditTargetKind};
use crate::ops::workspace::audit;
use crate::store::tables::{ORGANIZATION, ORGANIZATION_KEY, SESSIONS, USER_BY_EMAIL, USERS, WORKSPACES};

/// What the first workspace is called.
const FIRST_WORKSPACE: &str = "Default Workspace";
/// What the organization is called when nobody names it.
const ORGANIZATION_NAME: &str = "Default Organization";

/// How the service stands to its owner when it starts.
#[derive(Debug, PartialEq, Eq)]
pub enum OwnerStatus {
    HasOwner,
    /// One was just made from the settings.
    Created {
        email: String,
    },
    Unclaimed {
        /// What a registration must carry; `None` when only this machine can reach the service.
        setup_token: Option<String>,
    },
}

/// Registers the first owner over the network. Returns what was made.
///
/// # Errors
/// 409 when there is an owner, 403 without the setup token where one is asked for, 400 for a name, an e-mail or
/// a password that breaks a rule.
pub fn register(app: &App, registration: &OwnerRegistration) -> Result<NewAccount> {
    if exists(app)? {
        return Err(Conflict::OwnerExists.into());
    }
    if !app.state.setup_token.accepts(registration.setup_token.as_deref()) {
        tracing::warn!("a registration without the right setup token was refused");
        return Err(Error::Forbidden(
            "The first registration needs the setup token that the service printed when it started, as 'setupToken'."
                .to_owned(),
        ));
    }
    create(app, &registration.owner, registration.organization.as_deref())
}

/// Makes the owner, the organization and the first workspace.
///
/// # Errors
/// 409 when there is an owner, 400 for a name, an e-mail or a password that breaks a rule.
pub fn create(app: &App, owner: &NewOwner, organization: Option<&str>) -> Result<NewAccount> {
    let name = DisplayName::parse("name", &owner.name)?;
    let email = Email::parse_field("email", &owner.email)?;
    let organization_name =
        DisplayName::parse("organization.name", organization.unwrap_or(ORGANIZATION_NAME))?;
    password::check(&owner.password, name.as_str(), &email)?;
    let hash = password::hash(&owner.password);

    let now = app.clock.now();
    let (user_id, organization_id, workspace_id) =
        (UserId::random(), OrganizationId::random(), WorkspaceId::random());
    let user = User {
        id: user_id,
        name,
        email,
        password: hash,
        memberships: Vec::new(),
        disabled: false,
        last_login: None,
        reset_requested: None,
        created: now,
        updated: now,
    };
    let workspace = Workspace {
        id: workspace_id,
        organization: organization_id,
        name: FIRST_WORKSPACE.to_owned(),
        description: String::new(),
        created: now,
        updated: None,
        quota: None,
    };
    let organization = Organization {
        id: organization_id,
        name: organization_name,
        owner: user_id,
        default_workspace: workspace_id,
        created: now,
    };
    app.store.write(|tx| {
        if ORGANIZATION.get(tx, ORGANIZATION_KEY)?.is_some() {
            return Err(Conflict::OwnerExists.into());
        }
        ORGANIZATION.put(tx, ORGANIZATION_KEY, &organization)?;
        WORKSPACES.put(tx, &workspace_id, &workspace)?;
        USERS.put(tx, &user_id, &user)?;
        USER_BY_EMAIL.put(tx, user.email.as_str(), &user_id)?;
        let entry = AuditEntry::by_user(&user, None, AuditAction::OwnerRegistered, now);
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user_id, user.name.as_str()))
    })?;
    app.state.setup_token.forget();
    tracing::info!(user = %user_id, "the owner was registered");
    Ok(NewAccount { user, organization, workspace })
}

/// Sees to the owner at start: makes one from the settings, or begins to ask for the setup token.
///
/// # Errors
/// 400 when the settings' e-mail or password breaks a rule; the text names the settings.
pub fn ensure_owner(app: &App) -> Result<OwnerStatus> {
    let first =
        app.settings.first_owner.as_ref().map(|first| (first.email.as_str(), first.password.as_str()));
    ensure_owner_with(app, first, app.settings.listens_beyond_loopback())
}

fn ensure_owner_with(app: &App, first: Option<(&str, &str)>, reachable: bool) -> Result<OwnerStatus> {
    if exists(app)? {
        return Ok(OwnerStatus::HasOwner);
    }
    let Some((email, password)) = first else {
        let setup_token = reachable.then(|| app.state.setup_token.mint());
        return Ok(OwnerStatus::Unclaimed { setup_token });
    };
    let owner = NewOwner { name: "Owner".to_owned(), email: email.to_owned(), password: password.to_owned() };
    create(app, &owner, None).map_err(|error| match error {
        Error::Invalid(why) => {
            Error::Invalid(format!("SERVICE_OWNER_EMAIL and SERVICE_OWNER_PASSWORD make no owner: {why}"))
        }
        other => other,
    })?;
    Ok(OwnerStatus::Created { email: email.trim().to_lowercase() })
}

/// True once somebody owns the service.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn exists(app: &App) -> Result<bool> {
    app.store.read(|tx| Ok(ORGANIZATION.get(tx, ORGANIZATION_KEY)?.is_some()))
}

/// The operator of this machine as a caller, in the default workspace; `None` before there is an owner.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn operator(app: &App) -> Result<Option<Caller>> {
    let organization = app.store.read(|tx| ORGANIZATION.get(tx, ORGANIZATION_KEY))?;
    Ok(organization.map(|organization| Caller {
        principal: Principal::Operator,
        organization: organization.id,
        workspace: organization.default_workspace,
        permissions: PermissionSet::All,
        address: None,
    }))
}

/// Gives the owner a new password and ends all their sessions. Returns their e-mail. For the command line: who
/// may use the data folder may do this.
///
/// # Errors
/// 404 when there is no owner, 400 for a password that breaks a rule.
pub fn reset_password(app: &App, new_password: &str) -> Result<String> {
    let nobody = || Error::NotFound("There is no owner yet. Register one first.".to_owned());
    let owner = app.store.read(|tx| match ORGANIZATION.get(tx, ORGANIZATION_KEY)? {
        Some(organization) => USERS.get(tx, &organization.owner),
        None => Ok(None),
    });
    let owner = owner?.ok_or_else(nobody)?;
    password::check(new_password, owner.name.as_str(), &owner.email)?;
    let hash = password::hash(new_password);
    app.store.write(|tx| {
        let mut user = USERS.get(tx, &owner.id)?.ok_or_else(nobody)?;
        user.password = hash.clone();
        user.reset_requested = None;
        user.updated = app.clock.now();
        USERS.put(tx, &user.id, &user)?;
        SESSIONS.retain(tx, |session| session.user != user.id)?;
        let entry = AuditEntry {
            actor: AuditActor::Operator,
            ..AuditEntry::by_nobody(None, AuditAction::PasswordReset, user.updated)
        };
        audit::record(tx, &entry.with_target(AuditTargetKind::User, user.id, user.name.as_str()))
    })?;
    tracing::info!(user = %owner.id, "the owner's password was reset");
    Ok(owner.email.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::accounts::sign_in;
    use std::net::{IpAddr, Ipv4Addr};

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn ada() -> OwnerRegistration {
        let owner = NewOwner {
            name: "Ada".to_owned(),
            email: "Ada@Example.org".to_owned(),
            password: "correct horse".to_owned(),
        };
        OwnerRegistration { owner, organization: None, setup_token: None }
    }

    #[test]
    fn of_many_registrations_one_succeeds() {
        let (_folder, app) = App::temporary();
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|number| {
                    let app = &app;
                    let mut registration = ada();
                    registration.owner.email = format!("{number}@example.org");
                    scope.spawn(move || register(app, &registration))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        for refused in results.into_iter().filter_map(Result::err) {
            assert!(matches!(refused, Error::Conflict(Conflict::OwnerExists)), "{refused}");
        }
        assert_eq!(app.store.read(|tx| USERS.list(tx)).unwrap().len(), 1);
    }

    #[test]
    fn the_setup_token_is_asked_for_when_others_can_reach_the_service() {
        let (_folder, app) = App::temporary();
        assert_eq!(
            ensure_owner_with(&app, None, false).unwrap(),
            OwnerStatus::Unclaimed { setup_token: None }
        );
        let OwnerStatus::Unclaimed { setup_token: Some(token) } =
            ensure_owner_with(&app, None, true).unwrap()
        else {
            panic!()
        };
        let with = |token: Option<&str>| {
            register(&app, &OwnerRegistration { setup_token: token.map(str::to_owned), ..ada() })
        };
        assert!(matches!(with(None), Err(Error::Forbidden(_))));
        assert!(matches!(with(Some("wrong")), Err(Error::Forbidden(_))));
        assert_eq!(with(Some(&token)).unwrap().user.email.as_str(), "ada@example.org");
        assert!(matches!(with(Some(&token)), Err(Error::Conflict(Conflict::OwnerExists))));
        assert_eq!(ensure_owner_with(&app, None, true).unwrap(), OwnerStatus::HasOwner);
    }

    #[test]
    fn bad_registrations_are_refused_and_leave_nothing() {
        let (_folder, app) = App::temporary();
        type Field = fn(&mut NewOwner) -> &mut String;
        let (name, email, password): (Field, Field, Field) =
            (|owner| &mut owner.name, |owner| &mut owner.email, |owner| &mut owner.password);
        for (field, value) in
            [(name, " "), (email, "nonsense"), (email, ""), (password, "12345678"), (password, "short")]
        {
            let mut registration = ada();
            value.clone_into(field(&mut registration.owner));
            assert!(matches!(register(&app, &registration), Err(Error::Invalid(_))), "{value}");
        }
        assert!(!exists(&app).unwrap());
        assert_eq!(operator(&app).unwrap(), None);
    }

    #[test]
    fn the_settings_make_the_owner_once() {
        let (_folder, app) = App::temporary();
        let weak = ensure_owner_with(&app, Some(("ada@example.org", "password")), true).unwrap_err();
        assert!(weak.to_string().contains("SERVICE_OWNER_PASSWORD"), "{weak}");
        let made = ensure_owner_with(&app, Some(("ada@example.org", "correct horse")), true).unwrap();
        assert_eq!(made, OwnerStatus::Created { email: "ada@example.org".to_owned() });
        assert_eq!(
            ensure_owner_with(&app, Some(("bob@example.org", "battery staple")), true).unwrap(),
            OwnerStatus::HasOwner
        );
        assert!(operator(&app).unwrap().unwrap().has_any(&["apikeys:create"]));
    }

    #[test]
    fn a_reset_password_ends_all_sessions() {
        let (_folder, app) = App::temporary();
        assert!(matches!(reset_password(&app, "battery staple"), Err(Error::NotFound(_))));
        register(&app, &ada()).unwrap();
        let signed_in = sign_in::sign_in(&app, "ada@example.org", "correct horse", HERE, None).unwrap();
        assert!(matches!(reset_password(&app, "short"), Err(Error::Invalid(_))));
        assert_eq!(reset_password(&app, "battery staple").unwrap(), "ada@example.org");
        assert_eq!(sign_in::caller_of_session(&app, &signed_in.cookie, None).unwrap(), None);
        assert!(sign_in::sign_in(&app, "ada@example.org", "correct horse", HERE, None).is_err());
        assert!(sign_in::sign_in(&app, "ada@example.org", "battery staple", HERE, None).is_ok());
    }
}
