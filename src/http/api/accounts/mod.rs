//! Registration, sign-in and sign-out, a person's own account and sessions, and what a caller may do (manual 8.1, 8.2).

pub(crate) mod keys;
pub(crate) mod people;
pub(crate) mod roles;

use crate::app::App;
use crate::domain::accounts::caller::{Caller, PERMISSIONS, Permission};
use crate::domain::accounts::person::PersonSelector;
use crate::domain::accounts::registration::Registration;
use crate::domain::accounts::session::SESSION_DAYS_MAX;
use crate::domain::accounts::user::Email;
use crate::domain::error::{Error, Result};
use crate::domain::ids::UserId;
use crate::domain::resource::ResourceId as _;
use crate::domain::service::mail::language::MailLanguage;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::request::session_cookie;
use crate::http::routing::handler::{CreatedJson, Json};
use crate::ops::accounts::{invitations, links, owner, password_resets, profile, sessions, sign_in};
use crate::wire::accounts::links::{ForgottenPassword, LinkCheck, LinkPurposeView, NewPassword};
use crate::wire::accounts::messages::SentenceView;
use crate::wire::accounts::permissions::PermissionCatalogueView;
use crate::wire::accounts::profile::{AccountEdit, AccountView};
use crate::wire::accounts::registration::{NewAccountView, RegistrationBody};
use crate::wire::accounts::sessions::SessionView;
use crate::wire::accounts::sign_in::{CurrentUserView, Login, LogoutView, StartView};
use crate::wire::deleted::DeletedCount;

const SECONDS_PER_DAY: i64 = 86_400;

/// The value of the session cookie; empty without one, which no session has.
pub(super) fn session_cookie_value<'r>(app: &App, request: &'r Request) -> &'r str {
    session_cookie::from_request(app, request).unwrap_or_default()
}

/// `POST /auth/resolve`: where the page of somebody who is not signed in begins.
pub(crate) fn resolve(app: &App, (): (), _request: &Request) -> Result<Json<StartView>> {
    Ok(Json(StartView::new(owner::exists(app)?)))
}

/// `POST /account/register`: the first owner, or with a token somebody who was invited.
pub(crate) fn register(
    app: &App,
    (): (),
    request: &Request,
    Json(body): Json<RegistrationBody>,
) -> Result<CreatedJson<NewAccountView>> {
    let account = match body.into() {
        Registration::Owner(registration) => owner::register(app, &registration)?,
        Registration::Invited(registration) => invitations::accept(app, &registration, request.address())?,
    };
    Ok(CreatedJson(account.into()))
}

/// `POST /account/verify`
pub(crate) fn verify(
    app: &App,
    (): (),
    request: &Request,
    Json(body): Json<LinkCheck>,
) -> Result<Json<LinkPurposeView>> {
    Ok(Json(links::verify(app, body.token(), request.address())?.into()))
}

/// `POST /account/forgot-password`
pub(crate) fn forgot_password(
    app: &App,
    (): (),
    request: &Request,
    Json(body): Json<ForgottenPassword>,
) -> Result<Json<SentenceView>> {
    let language = MailLanguage::from_header(request.header("accept-language"));
    password_resets::request(app, body.email(), language, request.address())?;
    Ok(Json(SentenceView::new(if app.settings.mail.is_some() {
        "If this account exists, a link to set a new password is on its way to its e-mail address."
    } else {
        "If this account exists, the owner of this service has been told. They can give you a link to set a new password."
    })))
}

/// `POST /account/reset-password`
pub(crate) fn reset_password(
    app: &App,
    (): (),
    request: &Request,
    Json(body): Json<NewPassword>,
) -> Result<Json<SentenceView>> {
    password_resets::reset(app, body.token(), body.password(), request.address())?;
    Ok(Json(SentenceView::new("success")))
}

/// `GET /user`
pub(crate) fn profile(app: &App, caller: Caller, request: &Request) -> Result<Json<AccountView>> {
    let whom = match (request.query("id"), request.query("email")) {
        (Some(id), _) => Some(PersonSelector::ById(UserId::from_caller(id)?)),
        (None, Some(text)) => {
            let email = Email::parse(text).ok_or_else(|| Error::no_such("Person", text))?;
            Some(PersonSelector::ByEmail(email))
        }
        (None, None) => None,
    };
    Ok(Json(profile::read(app, &caller, whom.as_ref())?.into()))
}

/// `PUT /user`
pub(crate) fn update_profile(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<AccountEdit>,
) -> Result<Json<AccountView>> {
    let (cookie, address) = (session_cookie_value(app, request), request.address());
    Ok(Json(profile::update(app, &caller, cookie, address, &body.try_into()?)?.into()))
}

/// `GET /account/sessions`
pub(crate) fn sessions(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<SessionView>>> {
    let me = caller.user().ok_or_else(Error::unauthorized)?;
    let found = sessions::list(app, me, session_cookie_value(app, request))?;
    Ok(Json(found.into_iter().map(Into::into).collect()))
}

/// `DELETE /account/sessions/:id`
pub(crate) fn end_session(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    sessions::end(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `DELETE /account/sessions`
pub(crate) fn end_other_sessions(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    let ended = sessions::end_own_others(app, &caller, session_cookie_value(app, request))?;
    Ok(Json(DeletedCount::new(ended)))
}

/// `POST /auth/login`
pub(crate) fn login(app: &App, (): (), request: &Request, Json(body): Json<Login>) -> Result<Reply> {
    let agent = request.header("user-agent");
    let signed_in = sign_in::sign_in(app, &body.email, &body.password, request.address(), agent)?;
    let cookie =
        session_cookie::build_header(app, request, &signed_in.cookie, SESSION_DAYS_MAX * SECONDS_PER_DAY);
    Ok(Reply::json(&CurrentUserView::from(signed_in.user))?.with_header("set-cookie", &cookie))
}

/// `POST /account/logout`
pub(crate) fn logout(app: &App, (): (), request: &Request) -> Result<Reply> {
    if let Some(cookie) = session_cookie::from_request(app, request) {
        sign_in::sign_out(app, cookie, request.address())?;
    }
    let gone = session_cookie::build_removal_header(app, request);
    Ok(Reply::json(&LogoutView::TO_LOGIN)?.with_header("set-cookie", &gone))
}

/// `GET /auth/me`
pub(crate) fn me(app: &App, caller: Caller, _request: &Request) -> Result<Json<CurrentUserView>> {
    Ok(Json(sign_in::current_user(app, &caller)?.into()))
}

/// `GET /auth/permissions/:type`: the catalogue. Except for a role's form it is cut to what the caller can give
/// to a key.
pub(crate) fn permissions(
    _app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<PermissionCatalogueView>> {
    let for_a_role = request.param("type") == "ROLE";
    let offered = |name: &str| {
        let fits = Permission::parse(name).is_some_and(|permission| permission.is_allowed_for_keys());
        for_a_role || fits && caller.permissions.has(name)
    };
    Ok(Json(PermissionCatalogueView::new(PERMISSIONS, offered)))
}
