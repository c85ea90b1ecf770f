//! The cookie that keeps somebody signed in (manual 8.2 r2).
//!
//! Where people reach the service by https the cookie is `Secure` and bound to the host by its name. Somebody on the
//! service's own machine may still open it by http, past the proxy: there a browser would drop such a cookie, so they get a
//! plain one, which is read from nobody else.

use super::Request;
use crate::app::App;
use crate::http::request;
use hyper::HeaderMap;

const HOST_COOKIE: &str = "__Host-flowkeep_session";
/// A browser takes the first name for a cookie of the whole host only, and below a path there may be other services.
const SECURE_COOKIE: &str = "__Secure-flowkeep_session";
const PLAIN_COOKIE: &str = "flowkeep_session";

/// The value that the request carries.
#[must_use]
pub(crate) fn from_request<'r>(app: &App, request: &'r Request) -> Option<&'r str> {
    from_headers(app, &request.headers)
}

/// The value among the headers of a request.
#[must_use]
pub(crate) fn from_headers<'h>(app: &App, headers: &'h HeaderMap) -> Option<&'h str> {
    let plain = || request::cookie_value(headers, PLAIN_COOKIE);
    if !app.settings.is_https() {
        return plain();
    }
    request::cookie_value(headers, secure_name(app))
        .or_else(|| plain().filter(|_| request::is_direct(headers)))
}

fn secure_name(app: &App) -> &'static str {
    if app.settings.base_path().is_empty() { HOST_COOKIE } else { SECURE_COOKIE }
}

/// True when cookies of the answer travel by https alone: always, but for a browser that shows the page of this very
/// machine.
#[must_use]
pub(crate) fn is_secure(app: &App, request: &Request) -> bool {
    app.settings.is_https() && !request.is_beside_base()
}

/// The path before those that cookies of the answer are for.
#[must_use]
pub(crate) fn path_prefix<'a>(app: &'a App, request: &Request) -> &'a str {
    if request.is_beside_base() { "" } else { app.settings.base_path() }
}

/// The `set-cookie` value that keeps a session in the browser for this long.
#[must_use]
pub(crate) fn build_header(app: &App, request: &Request, value: &str, age_seconds: i64) -> String {
    let (name, secure) =
        if is_secure(app, request) { (secure_name(app), "; Secure") } else { (PLAIN_COOKIE, "") };
    let path = match path_prefix(app, request) {
        "" => "/",
        prefix => prefix,
    };
    format!("{name}={value}; Path={path}; Max-Age={age_seconds}; HttpOnly; SameSite=Lax{secure}")
}

/// The `set-cookie` value that removes it.
#[must_use]
pub(crate) fn build_removal_header(app: &App, request: &Request) -> String {
    build_header(app, request, "", 0)
}
