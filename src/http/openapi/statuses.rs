//! Which statuses a route can answer with when it did not do what it was asked: the one place that says so. Every rule
//! here stands for a refusal in `http/reply/error.rs`; what only one route refuses, the route says itself.

use crate::http::openapi::spec::{ContentSpec, ResponseSpec};
use crate::http::routing::guard::RequiredAccess;
use crate::http::routing::router::{Accepts, Route};
use crate::wire::refusal::RefusalView;
use hyper::Method;

/// A kind of refusal, as the description names it once.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrorStatus {
    pub(super) status: u16,
    /// Its name in the description.
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// The content type in which a chat widget gets it, to show it to a person as it is (manual 1.4 r2).
    also_as: Option<&'static str>,
}

impl ErrorStatus {
    /// The content types it comes in.
    pub(super) fn contents(&self) -> impl Iterator<Item = ContentSpec> {
        std::iter::once(ResponseSpec::json::<RefusalView>(self.status).content)
            .chain(self.also_as.map(ContentSpec::Text))
    }
}

const fn error_status(status: u16, name: &'static str, about: &'static str) -> ErrorStatus {
    ErrorStatus { status, name, about, also_as: None }
}

/// Every kind of refusal there is.
pub(super) const ALL: &[ErrorStatus] = &[
    error_status(400, "BadRequest", "Something in the request is wrong; the message says what."),
    error_status(401, "Unauthorized", "There is no proof of who asks, or it is not valid."),
    error_status(403, "Forbidden", "Whoever asks may not do this, or not from there."),
    error_status(404, "NotFound", "There is no such thing, or not in this workspace."),
    error_status(405, "OtherMethod", "Another method is taken here; `allow` says which."),
    error_status(408, "TooSlow", "The request took too long to arrive."),
    error_status(409, "Conflict", "It does not fit what is stored now."),
    error_status(413, "TooLarge", "There is more of it than may be sent or kept."),
    error_status(414, "AddressTooLong", "The address is too long."),
    error_status(415, "WrongType", "The body is of a type that this address does not take."),
    error_status(422, "Contradiction", "It contradicts an earlier request that it says it repeats."),
    error_status(429, "TooMany", "Too many in too short a time; `retry-after` says when to come back."),
    error_status(431, "HeadTooLarge", "The head of the request is too large."),
    error_status(500, "Failed", "It was tried and failed: a card, a provider, or the service itself."),
    error_status(502, "OtherServerFailed", "Another server answered badly."),
    error_status(
        503,
        "Unavailable",
        "The service is stopping or full; `retry-after` says when to come back.",
    ),
    error_status(507, "NoSpace", "There is no space left."),
    ErrorStatus {
        also_as: Some("text/plain"),
        ..error_status(403, "RefusedByFlow", "The flow does not admit this, or not from this page.")
    },
    ErrorStatus {
        also_as: Some("text/html"),
        ..error_status(
            429,
            "LimitedByFlow",
            "The flow's rate limit, in the flow's own words; or too many streams.",
        )
    },
];

/// The refusals of a route, by status.
pub(super) fn errors_of(route: &Route) -> Vec<&'static ErrorStatus> {
    let mut statuses = vec![400, 408, 414, 431, 500, 503];
    let who = route.guard.access;
    match who {
        RequiredAccess::Public => {}
        // A flow's gate: its origin, its key, its rate limit.
        RequiredAccess::Ask => statuses.extend([401, 403, 404, 429]),
        RequiredAccess::Key => statuses.push(401),
        RequiredAccess::SignedIn
        | RequiredAccess::AnyOf(_)
        | RequiredAccess::Session
        | RequiredAccess::Owner => statuses.extend([401, 403]),
    }
    // A page of another site may not change anything.
    if who == RequiredAccess::Public && route.method != Method::GET {
        statuses.push(403);
    }
    if route.params().next().is_some() {
        statuses.push(404);
    }
    // Without a body to take, one that is sent is refused too.
    statuses.push(415);
    if route.accepts != Accepts::None {
        statuses.push(413);
    }
    // Files of a form lie on disk while they arrive.
    if matches!(route.accepts, Accepts::Multipart | Accepts::JsonOrMultipart) {
        statuses.push(507);
    }
    let is_slow = |gives: &ResponseSpec| matches!(gives.content, ContentSpec::Events | ContentSpec::File);
    if route.gives.iter().any(is_slow) {
        statuses.push(429);
    }
    statuses.extend(route.refuses.iter().copied());
    statuses.sort_unstable();
    statuses.dedup();
    statuses.into_iter().map(|status| error_of(who, status)).collect()
}

/// The kind of refusal that a status stands for.
///
/// # Panics
/// When [`ALL`] lacks a status: statuses are written in code, and a test describes every route.
fn error_of(who: RequiredAccess, status: u16) -> &'static ErrorStatus {
    let by_flow = |refusal: &&ErrorStatus| {
        who == RequiredAccess::Ask && refusal.status == status && refusal.also_as.is_some()
    };
    let found = ALL.iter().find(by_flow).or_else(|| ALL.iter().find(|refusal| refusal.status == status));
    found.expect("every status a route refuses with is among ALL")
}
