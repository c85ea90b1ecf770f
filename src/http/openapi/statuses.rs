//! Which statuses a route can answer with when it did not do what it was asked: the one place that says so. Every rule
//! here stands for a refusal in `http/error.rs`; what only one route refuses, the route says itself.

use crate::http::guard::Who;
use crate::http::openapi::shape::{Kind, Shape, TEXT};
use crate::http::router::{Accepts, Route};
use crate::http::shapes::ERROR;
use hyper::Method;

/// A kind of refusal, as the description names it once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// Its name in the description.
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// The content type in which a chat widget gets it, to show it to a person as it is (manual 1.4 r2).
    shown_as: Option<Kind>,
}

impl Refusal {
    /// The content types it comes in.
    pub(super) fn contents(&self) -> impl Iterator<Item = (Kind, Shape)> {
        std::iter::once((Kind::Json, Shape::Named(&ERROR))).chain(self.shown_as.map(|kind| (kind, TEXT)))
    }
}

const fn refusal(status: u16, name: &'static str, about: &'static str) -> Refusal {
    Refusal { status, name, about, shown_as: None }
}

/// Every kind of refusal there is.
pub(super) const ALL: &[Refusal] = &[
    refusal(400, "BadRequest", "Something in the request is wrong; the message says what."),
    refusal(401, "Unauthorized", "There is no proof of who asks, or it is not valid."),
    refusal(403, "Forbidden", "Whoever asks may not do this, or not from there."),
    refusal(404, "NotFound", "There is no such thing, or not in this workspace."),
    refusal(408, "TooSlow", "The request took too long to arrive."),
    refusal(409, "Conflict", "It does not fit what is stored now."),
    refusal(413, "TooLarge", "There is more of it than may be sent or kept."),
    refusal(414, "AddressTooLong", "The address is too long."),
    refusal(415, "WrongType", "The body is of a type that this address does not take."),
    refusal(429, "TooMany", "Too many in too short a time; `retry-after` says when to come back."),
    refusal(431, "HeadTooLarge", "The head of the request is too large."),
    refusal(500, "Failed", "It was tried and failed: a card, a provider, or the service itself."),
    refusal(502, "OtherServerFailed", "Another server answered badly."),
    refusal(503, "Unavailable", "The service is stopping or full; `retry-after` says when to come back."),
    refusal(507, "NoSpace", "There is no space left."),
    Refusal {
        shown_as: Some(Kind::Text),
        ..refusal(403, "RefusedByFlow", "The flow does not admit this, or not from this page.")
    },
    Refusal {
        shown_as: Some(Kind::Other("text/html")),
        ..refusal(
            429,
            "LimitedByFlow",
            "The flow's rate limit, in the flow's own words; or too many streams.",
        )
    },
];

/// The refusals of a route, by status.
pub(super) fn of(route: &Route) -> Vec<&'static Refusal> {
    let mut statuses = vec![400, 408, 414, 431, 500, 503];
    let who = route.guard.who;
    match who {
        Who::Public => {}
        // A flow's gate: its origin, its key, its rate limit.
        Who::Ask => statuses.extend([401, 403, 404, 429]),
        Who::SignedIn | Who::AnyOf(_) | Who::Session | Who::Owner => statuses.extend([401, 403]),
    }
    // A page of another site may not change anything.
    if who == Who::Public && route.method != Method::GET {
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
    if route.streams() {
        statuses.push(429);
    }
    statuses.extend(route.refuses.iter().copied());
    statuses.sort_unstable();
    statuses.dedup();
    statuses.into_iter().map(|status| of_status(who, status)).collect()
}

/// The kind of refusal that a status stands for.
///
/// # Panics
/// When [`ALL`] lacks a status: statuses are written in code, and a test describes every route.
fn of_status(who: Who, status: u16) -> &'static Refusal {
    let by_flow =
        |refusal: &&Refusal| who == Who::Ask && refusal.status == status && refusal.shown_as.is_some();
    let found = ALL.iter().find(by_flow).or_else(|| ALL.iter().find(|refusal| refusal.status == status));
    found.expect("every status a route refuses with is among ALL")
}
