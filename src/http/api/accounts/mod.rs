//! Registration, sign-in and sign-out, a person's own account and sessions, and what a caller may do (manual 8.1, 8.2).

pub mod keys;
pub mod people;
pub mod roles;

use crate::app::App;
use crate::domain::accounts::caller::{Caller, PERMISSIONS, Permission};
use crate::domain::accounts::session::SESSION_DAYS_MAX;
use crate::domain::error::{Error, Result};
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::request::session_cookie;
use crate::ops::accounts::{invitations, links, owner, password_resets, profile, sessions, sign_in};
use serde::Deserialize;
use serde_json::{Map, Value, json};

const SECONDS_PER_DAY: i64 = 86_400;

#[derive(Deserialize)]
struct LoginBody {
    email: String,
    password: String,
}

#[derive(Deserialize)]
struct VerifyBody {
    user: VerifyKey,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerifyKey {
    temp_token: String,
}

/// The value of the session cookie; empty without one, which no session has.
pub(super) fn session_cookie_value<'r>(app: &App, request: &'r Request) -> &'r str {
    session_cookie::from_request(app, request).unwrap_or_default()
}

/// `POST /auth/resolve`: where the page of somebody who is not signed in begins.
pub fn resolve(app: &App, (): (), _request: &Request) -> Result<Reply> {
    let page = if owner::exists(app)? { "/signin" } else { "/organization-setup" };
    Reply::json(&json!({ "redirectUrl": page }))
}

/// `POST /account/register`: the first owner, or with a token somebody who was invited.
pub fn register(app: &App, (): (), request: &Request) -> Result<Reply> {
    let body = request.value()?;
    match body.pointer("/user/tempToken") {
        None | Some(Value::Null) => Reply::json_created(&owner::register(app, &request.json()?)?),
        Some(_) => Reply::json_created(&invitations::accept(app, &request.json()?, request.address())?),
    }
}

/// `POST /account/verify`
pub fn verify(app: &App, (): (), request: &Request) -> Result<Reply> {
    let body: VerifyBody = request.json()?;
    Reply::json(&links::verify(app, &body.user.temp_token, request.address())?)
}

/// `POST /account/forgot-password`
pub fn forgot_password(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&password_resets::request(app, &request.json()?, request.address())?)
}

/// `POST /account/reset-password`
pub fn reset_password(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&password_resets::reset(app, &request.json()?, request.address())?)
}

/// `GET /user`
pub fn profile(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&profile::read(app, &caller, request.query("id"), request.query("email"))?)
}

/// `PUT /user`
pub fn update_profile(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (cookie, address) = (session_cookie_value(app, request), request.address());
    Reply::json(&profile::update(app, &caller, cookie, address, &request.json()?)?)
}

/// `GET /account/sessions`
pub fn sessions(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let me = caller.user().ok_or_else(Error::unauthorized)?;
    Reply::json(&sessions::list(app, me, session_cookie_value(app, request))?)
}

/// `DELETE /account/sessions/:id`
pub fn end_session(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&sessions::end(app, &caller, request.param("id"))?)
}

/// `DELETE /account/sessions`
pub fn end_other_sessions(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&sessions::end_own_others(app, &caller, session_cookie_value(app, request))?)
}

/// `POST /auth/login`
pub fn login(app: &App, (): (), request: &Request) -> Result<Reply> {
    let body: LoginBody = request.json()?;
    let agent = request.header("user-agent");
    let signed_in = sign_in::sign_in(app, &body.email, &body.password, request.address(), agent)?;
    let cookie =
        session_cookie::build_header(app, request, &signed_in.cookie, SESSION_DAYS_MAX * SECONDS_PER_DAY);
    Ok(Reply::json(&signed_in.user)?.with_header("set-cookie", &cookie))
}

/// `POST /account/logout`
pub fn logout(app: &App, (): (), request: &Request) -> Result<Reply> {
    if let Some(cookie) = session_cookie::from_request(app, request) {
        sign_in::sign_out(app, cookie, request.address())?;
    }
    let gone = session_cookie::build_removal_header(app, request);
    let reply = Reply::json(&json!({ "message": "logged_out", "redirectTo": "/login" }))?;
    Ok(reply.with_header("set-cookie", &gone))
}

/// `GET /auth/me`
pub fn me(app: &App, caller: Caller, _request: &Request) -> Result<Reply> {
    Reply::json(&sign_in::current_user(app, &caller)?)
}

/// `GET /auth/permissions/:type`: the catalogue. Except for a role's form it is cut to what the caller can give
/// to a key.
pub fn permissions(_app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let for_a_role = request.param("type") == "ROLE";
    let offered = |name: &str| {
        let fits = Permission::parse(name).is_some_and(|permission| permission.is_allowed_for_keys());
        for_a_role || fits && caller.permissions.has(name)
    };
    let mut catalogue = Map::new();
    for (category, actions) in PERMISSIONS {
        let rows: Vec<Value> = actions
            .iter()
            .map(|action| (format!("{category}:{action}"), title_case(action)))
            .filter(|(key, _)| offered(key))
            .map(|(key, value)| {
                json!({ "key": key, "value": value, "isOpenSource": true, "isEnterprise": true, "isCloud": true })
            })
            .collect();
        if !rows.is_empty() {
            catalogue.insert((*category).to_owned(), rows.into());
        }
    }
    Reply::json(&catalogue)
}

/// `add-loader` reads `Add Loader`.
fn title_case(action: &str) -> String {
    let words = action.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_words() {
        assert_eq!(
            (title_case("view"), title_case("add-loader")),
            ("View".to_owned(), "Add Loader".to_owned())
        );
    }
}
