//! Registration, sign-in and sign-out, and what a caller may do (contract 2, reference 1.11).

use crate::app::App;
use crate::domain::caller::{Caller, PERMISSIONS, Permission};
use crate::domain::error::Result;
use crate::domain::user::SESSION_DAYS_MAX;
use crate::http::guard;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::{logins, owner};
use serde::Deserialize;
use serde_json::{Map, Value, json};

const SECONDS_PER_DAY: i64 = 86_400;

#[derive(Deserialize)]
struct LoginBody {
    email: String,
    password: String,
}

/// `POST /account/register`
pub fn register(app: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::created(&owner::register(app, &request.json()?)?)
}

/// `POST /auth/login`
pub fn login(app: &App, (): (), request: &Request) -> Result<Reply> {
    let body: LoginBody = request.json()?;
    let signed_in = logins::login(app, &body.email, &body.password, request.address())?;
    let cookie = guard::session_cookie(&app.settings, &signed_in.cookie, SESSION_DAYS_MAX * SECONDS_PER_DAY);
    Ok(Reply::json(&signed_in.user)?.with_header("set-cookie", &cookie))
}

/// `POST /account/logout`
pub fn logout(app: &App, (): (), request: &Request) -> Result<Reply> {
    if let Some(cookie) = request.cookie(guard::session_cookie_name(&app.settings)) {
        logins::logout(app, cookie)?;
    }
    let gone = guard::session_cookie_removed(&app.settings);
    let reply = Reply::json(&json!({ "message": "logged_out", "redirectTo": "/login" }))?;
    Ok(reply.with_header("set-cookie", &gone))
}

/// `GET /auth/me`
pub fn me(app: &App, caller: Caller, _request: &Request) -> Result<Reply> {
    Reply::json(&logins::me(app, &caller)?)
}

/// `GET /auth/permissions/:type`: the catalogue. Except for a role's form it is cut to what the caller can give
/// to a key.
pub fn permissions(_app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let for_a_role = request.param("type") == "ROLE";
    let offered = |name: &str| {
        let fits = Permission::parse(name).is_some_and(|permission| permission.fits_a_key());
        for_a_role || fits && caller.grants.allow(name)
    };
    let mut catalogue = Map::new();
    for (category, actions) in PERMISSIONS {
        let rows: Vec<Value> = actions
            .iter()
            .map(|action| (format!("{category}:{action}"), label(action)))
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
fn label(action: &str) -> String {
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
        assert_eq!((label("view"), label("add-loader")), ("View".to_owned(), "Add Loader".to_owned()));
    }
}
