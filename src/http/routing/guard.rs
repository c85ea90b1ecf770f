//! Who may pass, as types: a handler that needs a `Caller` does not compile behind a guard that proves none.

use super::router::Cors;
use crate::app::App;
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::error::{Error, Result, Unauthorized};
use crate::http::request::Request;
use crate::http::request::session_cookie;
use crate::ops;
use hyper::{HeaderMap, Method};

/// Who may call a route: read by the guards, the access grid and the API description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredAccess {
    Public,
    /// Anyone the flow admits: origin, key and rate limit (manual 2.3, 2.4).
    Ask,
    /// Any API key of this service; a session is none.
    Key,
    /// A session or an API key.
    SignedIn,
    /// A session; an API key gets 403.
    Session,
    /// A session or a key that holds one of these permissions.
    AnyOf(&'static [&'static str]),
    /// The organization owner's session; an API key gets 403 (manual 1.7 r3).
    Owner,
}

/// A guard: proves an `A` or refuses. The caller guards obey the [`RequiredAccess`] of the request's route.
pub struct Guard<A> {
    /// Name in the access grid.
    pub name: &'static str,
    pub access: RequiredAccess,
    pub authorize: fn(&App, &Request) -> Result<A>,
    /// See [`Self::on`].
    pub object: Option<ObjectCheck<A>>,
}

/// Finds what the path names, and refuses whoever may not do this to it.
pub type ObjectCheck<A> = fn(&App, &A, &Request) -> Result<()>;

impl<A> Clone for Guard<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A> Copy for Guard<A> {}

impl<A> Guard<A> {
    /// The same guard under another name in the access grid.
    #[must_use]
    pub const fn with_name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The same guard for a route that changes an object which its path names: who names none, or one that is not theirs to
    /// change, is told so whatever the body holds (manual 1.3).
    #[must_use]
    pub const fn on(self, object: ObjectCheck<A>) -> Self {
        Self { object: Some(object), ..self }
    }
}

/// The organization owner, proven.
pub struct Owner(Caller);

impl Owner {
    /// The owner as a caller.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.0
    }
}

pub const PUBLIC: Guard<()> = Guard {
    name: "PUBLIC",
    access: RequiredAccess::Public,
    authorize: check_site_unless_shared,
    object: None,
};
/// A session or an API key.
pub const SIGNED_IN: Guard<Caller> =
    Guard { name: "SIGNED_IN", access: RequiredAccess::SignedIn, authorize: caller, object: None };
pub const SESSION: Guard<Caller> =
    Guard { name: "SESSION", access: RequiredAccess::Session, authorize: caller, object: None };
pub const OWNER: Guard<Owner> =
    Guard { name: "OWNER", access: RequiredAccess::Owner, authorize: owner, object: None };

/// A session or a key that holds one of `permissions` (manual 1.7 r2).
#[must_use]
pub const fn any_of(permissions: &'static [&'static str]) -> Guard<Caller> {
    Guard { name: "ANY_OF", access: RequiredAccess::AnyOf(permissions), authorize: caller, object: None }
}

/// Proves the caller and obeys the route's [`RequiredAccess`].
///
/// # Errors
/// 401 without proof, 403 when the proof does not reach, and for a session asked to act by another site.
pub fn caller(app: &App, request: &Request) -> Result<Caller> {
    let caller = authenticate(app, request)?;
    let by_key = matches!(caller.principal, Principal::Key { .. });
    match request.route().guard.access {
        RequiredAccess::Session if by_key => {
            Err(Error::Forbidden("This needs a signed-in person; an API key cannot do it.".to_owned()))
        }
        RequiredAccess::Owner if by_key => Err(Error::Forbidden(
            "Only the organization owner, signed in, can do this; an API key cannot.".to_owned(),
        )),
        RequiredAccess::AnyOf(permissions) if !caller.has_any(permissions) => {
            Err(Error::Forbidden(missing_permission_text(permissions)))
        }
        _ if !caller.has_any(request.route().shows) => {
            let seen = missing_permission_text(request.route().shows);
            Err(Error::Forbidden(format!("{seen} The answer shows what is stored.")))
        }
        RequiredAccess::Public
        | RequiredAccess::Ask
        | RequiredAccess::Key
        | RequiredAccess::SignedIn
        | RequiredAccess::Session
        | RequiredAccess::AnyOf(_)
        | RequiredAccess::Owner => Ok(caller),
    }
}

fn owner(app: &App, request: &Request) -> Result<Owner> {
    let caller = caller(app, request)?;
    if matches!(caller.principal, Principal::User { owner: true, .. }) {
        return Ok(Owner(caller));
    }
    Err(Error::Forbidden("Only the organization owner can do this.".to_owned()))
}

fn missing_permission_text(permissions: &[&str]) -> String {
    match permissions {
        [one] => format!("This needs the permission {one}."),
        several => format!("This needs one of the permissions {}.", several.join(", ")),
    }
}

/// Session or key. A request with a key is judged by the key alone, unless it is the canvas with its session.
fn authenticate(app: &App, request: &Request) -> Result<Caller> {
    let address = Some(request.address());
    let cookie = session_cookie::from_request(app, request);
    let session_first = request.is_internal() && cookie.is_some();
    if let (Some(key), false) = (request.bearer(), session_first) {
        return ops::accounts::keys::authenticate(app, key, address)?.ok_or_else(Error::unauthorized);
    }
    let cookie = cookie.ok_or_else(Error::unauthorized)?;
    let Some(caller) = ops::accounts::sign_in::caller_of_session(app, cookie, address)? else {
        let why = if request.is_internal() { Unauthorized::SessionExpired } else { Unauthorized::NoProof };
        return Err(Error::Unauthorized(why));
    };
    check_same_site(request)?;
    Ok(caller)
}

/// The signed-in person behind a request, for routes that also let others in. A page of another site never brings its
/// visitor's session along (manual 12.4).
///
/// # Errors
/// 401 `Token Expired` for a session that is over.
pub fn signed_in_person(app: &App, request: &Request) -> Result<Option<Caller>> {
    match session_cookie::from_request(app, request) {
        Some(cookie) if is_own_page(request) => {
            ops::accounts::sign_in::caller_of_session(app, cookie, Some(request.address()))
        }
        _ => Ok(None),
    }
}

/// The signed-in person who opens a page. A link of another site may lead there: unlike an answer of the API, a page that
/// is opened tells the site it was opened from nothing.
///
/// # Errors
/// 401 `Token Expired` for a session that is over.
pub fn visitor(app: &App, headers: &HeaderMap) -> Result<Option<Caller>> {
    match session_cookie::from_headers(app, headers) {
        Some(cookie) => ops::accounts::sign_in::caller_of_session(app, cookie, None),
        None => Ok(None),
    }
}

/// True when no other site's page asks.
fn is_own_page(request: &Request) -> bool {
    let fetched_here = match request.headers.get("sec-fetch-site") {
        None => true,
        Some(site) => matches!(site.to_str(), Ok("same-origin" | "none")),
    };
    request.has_own_origin() && fetched_here
}

/// True when the request carries anything that could prove a caller. Without it the body need not be read.
pub(in crate::http) fn has_credentials(headers: &HeaderMap) -> bool {
    headers.contains_key(hyper::header::AUTHORIZATION) || headers.contains_key(hyper::header::COOKIE)
}

/// Sign-in and account routes serve no other site; public routes that pages of other sites may call say so in
/// their [`Cors`] (manual 12.4).
fn check_site_unless_shared(_: &App, request: &Request) -> Result<()> {
    if request.route().cors == Cors::None { check_same_site(request) } else { Ok(()) }
}

/// Refuses a change that a page of another site asks for (manual 12.4 r3).
fn check_same_site(request: &Request) -> Result<()> {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    if is_own_page(request) {
        return Ok(());
    }
    Err(Error::Forbidden(request.other_site_message()))
}
