//! Signing in to credentials with OAuth 2 (manual 8.8): where a sign-in begins, where it comes back to, and renewing it.

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::guard;
use crate::http::routing::handler::Json;
use crate::http::routing::host_names::is_loopback_host;
use crate::http::routing::origin::Origin;
use crate::ops::workspace::oauth2::{self, CallbackQuery, SignInError};
use crate::wire::workspace::oauth2::{SignInOfferView, TokenRenewalView};

/// Where providers send people back to, below the address that people use.
const CALLBACK: &str = "/api/v1/oauth2-credential/callback";

/// `POST /oauth2-credential/authorize/:id`
pub(crate) fn authorize(app: &App, caller: Caller, request: &Request) -> Result<Json<SignInOfferView>> {
    let redirect = redirect_address(app, request)?;
    Ok(Json(oauth2::authorize(app, &caller, request.id("id")?, redirect)?.into()))
}

/// The address that a provider sends people back to: below the one people use, or on this machine where nobody set one.
fn redirect_address(app: &App, request: &Request) -> Result<String> {
    if let Some(base) = &app.settings.base_url {
        return Ok(format!("{base}{CALLBACK}"));
    }
    let here = request
        .host()
        .filter(|host| Origin::parse_host(host).is_some_and(|name| is_loopback_host(&name.host)));
    let host = here.ok_or_else(|| {
        Error::invalid(
            "A provider has to know the address that people use here: set SERVICE_BASE_URL to it and start the service again.",
        )
    })?;
    Ok(format!("http://{host}{CALLBACK}"))
}

/// `GET /oauth2-credential/callback`: a page that says how it went. It holds nothing of what came with the request.
pub(crate) fn callback(app: &App, _: (), request: &Request) -> Result<Reply> {
    let visitor = guard::visitor(app, &request.headers).ok().flatten();
    let returned = CallbackQuery {
        state: request.query("state"),
        code: request.query("code"),
        error: request.query("error"),
        visitor: visitor.and_then(|visitor| visitor.user()),
    };
    let (status, title, message) = match oauth2::finish(app, &returned) {
        Ok(()) => (200, "Signed in", "The credential is connected. You can close this window."),
        Err(why) => failure_text(why),
    };
    Ok(Reply::notice(status, title, message))
}

/// What a person is told, and under which status.
const fn failure_text(why: SignInError) -> (u16, &'static str, &'static str) {
    let (status, message) = match why {
        SignInError::Unknown => (
            400,
            "This sign-in is not known here: it was used already, took longer than ten minutes, or the service was started \
             again meanwhile. Close this window and sign in once more from the credential.",
        ),
        SignInError::NotYours => (
            400,
            "This sign-in was begun by another person, or in another browser. Close this window, and begin it from the credential \
             yourself.",
        ),
        SignInError::Denied => {
            (400, "The provider was told not to allow it, so nothing has changed. You can close this window.")
        }
        SignInError::Refused => (
            400,
            "The provider refused the sign-in. Check Client ID, scope and redirect address of the application at the provider, \
             and sign in once more.",
        ),
        SignInError::Changed => (
            400,
            "The credential was changed or deleted during the sign-in. Close this window and sign in once more.",
        ),
        SignInError::Application => (
            400,
            "The provider does not know the application. Check Client ID and Client Secret of the credential.",
        ),
        SignInError::Code => (
            400,
            "The provider did not take back what it gave. Check that the redirect address is registered there exactly as the \
             credential shows it, and sign in once more.",
        ),
        SignInError::Provider => (
            502,
            "The provider did not answer as expected. Try again in a while; the log of the service says more.",
        ),
        SignInError::Here => {
            (500, "The sign-in could not be stored. Try again; the log of the service says more.")
        }
    };
    (status, "Not signed in", message)
}

/// `POST /oauth2-credential/refresh/:id`
pub(crate) fn refresh(app: &App, caller: Caller, request: &Request) -> Result<Json<TokenRenewalView>> {
    Ok(Json(oauth2::refresh(app, &caller, request.id("id")?, request.cancel())?.into()))
}
