//! Cross-origin headers: which answers other sites' pages may read (manual 2.4 r3, 12.4).

use super::origin::{Admission, Origin, judge_origin};
use super::router::Cors;
use crate::app::App;
use crate::domain::flows::settings::AllowedOrigins;
use crate::domain::ids::{FeedbackId, FlowId};
use crate::http::request::Request;
use crate::http::request::json::peek_text;
use crate::ops;
use hyper::HeaderMap;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue, ORIGIN, VARY,
};

/// What pages may read of an answer beside its body.
const EXPOSED_HEADERS: &str = "x-service-session-token, x-service-chat-id, x-flow-version, x-flowkeep-action, x-should-retry, mcp-session-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after";
/// What a preflight allows when the browser does not name headers.
const ALLOWED_HEADERS: &str = "content-type, authorization, x-service-session-token";

/// Adds the headers an actual answer carries for the page that asked, if it is admitted.
pub(in crate::http) fn add_response_headers(app: &App, request: &Request, headers: &mut HeaderMap) {
    if request.route().cors == Cors::None {
        return;
    }
    headers.append(VARY, HeaderValue::from_static("Origin"));
    let Some(origin) = request.origin() else { return };
    add_origin_headers(origin_admission(app, request, origin), request, headers);
    if headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
    }
}

/// Adds the headers of the answer to a preflight for this route.
pub(in crate::http) fn add_preflight_headers(app: &App, request: &Request, headers: &mut HeaderMap) {
    headers.append(VARY, HeaderValue::from_static("Origin, Access-Control-Request-Headers"));
    let Some(origin) = request.origin() else { return };
    // A preflight has no body: where the flow is named there, the request itself is judged, and only that.
    let admission = match (request.route().cors, flow_in_request(request)) {
        (Cors::Flow | Cors::FlowOfModel, None) if origin != "null" => {
            judge_origin(&AllowedOrigins::Every, &app.settings.cors_origins, &request.own_origins(), origin)
        }
        _ => origin_admission(app, request, origin),
    };
    add_origin_headers(admission, request, headers);
    if !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        return;
    }
    let methods = HeaderValue::from_str(request.route().method.as_str()).expect("a method is a header value");
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    let asked = request.headers.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.unwrap_or(HeaderValue::from_static(ALLOWED_HEADERS)));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
}

fn add_origin_headers(admission: Admission, request: &Request, headers: &mut HeaderMap) {
    let Some(origin) = request.headers.get(ORIGIN).filter(|_| admission != Admission::Refused) else {
        return;
    };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    if matches!(admission, Admission::Listed | Admission::Own) {
        headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    }
}

fn origin_admission(app: &App, request: &Request, origin: &str) -> Admission {
    let (cors, own) = (&app.settings.cors_origins, request.own_origins());
    let flow = match request.route().cors {
        Cors::None | Cors::Listed => return judge_origin(&AllowedOrigins::NONE, cors, &own, origin),
        Cors::FlowListed => flow_in_request(request),
        Cors::Flow => flow_in_request(request).or_else(|| peek_text(request.body(), "chatflowid")),
        Cors::FlowInQuery => flow_in_request(request),
        Cors::FlowOfFeedback => flow_of_feedback(app, request),
        Cors::FlowOfModel => match flow_of_model(app, request) {
            Some(flow) => Some(flow),
            // Whoever has a key reads what it opens, from any page; and why it opens nothing.
            None => return judge_origin(&AllowedOrigins::Every, cors, &own, origin),
        },
    };
    let named = flow.and_then(|flow| FlowId::parse(&flow));
    let known = named.and_then(|id| Some((id, ops::flows::allowed_origins(app, &id).ok()??)));
    // An unknown flow has no list that could admit anybody; a failed read is told by the answer itself.
    let Some((flow, listed)) = known else { return judge_origin(&AllowedOrigins::NONE, cors, &own, origin) };
    let listed = match (listed, request.route().cors) {
        (AllowedOrigins::Every, Cors::FlowListed) => AllowedOrigins::NONE,
        (listed, _) => listed,
    };
    let admission = judge_origin(&listed, cors, &own, origin);
    if admission == Admission::Refused {
        record_refused_origin(app, &flow, origin);
    }
    admission
}

/// Every request of a page passes here once, so its owner reads of those that the browser keeps from the page as well.
fn record_refused_origin(app: &App, flow: &FlowId, origin: &str) {
    let shown = match Origin::parse(origin) {
        Some(origin) => origin.to_string(),
        None if origin == "null" => origin.to_owned(),
        None => return,
    };
    ops::flows::refused_origins::record(app, flow, &shown);
}

/// The flow in which the rating was given that the address names.
fn flow_of_feedback(app: &App, request: &Request) -> Option<String> {
    let id = FeedbackId::parse(request.param("feedback"))?;
    ops::conversations::feedback::flow_of(app, &id).ok().map(|flow| flow.to_string())
}

/// The flow that is asked as a model.
fn flow_of_model(app: &App, request: &Request) -> Option<String> {
    let model = peek_text(request.body(), "model")?;
    let flow = ops::predictions::flow_of_model(app, request.bearer()?, &model, request.address());
    flow.ok().flatten().map(|flow| flow.to_string())
}

/// The flow the address itself names. It must be the one the route serves: an address that names a second flow would
/// otherwise have that one's list judge who reads the first.
fn flow_in_request(request: &Request) -> Option<String> {
    let named = match request.route().cors {
        Cors::FlowInQuery => [request.query("chatflowId").unwrap_or_default(), "", ""],
        Cors::FlowOfModel => ["", "", ""],
        Cors::Flow | Cors::FlowListed | Cors::FlowOfFeedback | Cors::Listed | Cors::None => {
            [request.param("flow"), request.param("id"), request.query("chatflowid").unwrap_or_default()]
        }
    };
    named.into_iter().find(|text| !text.is_empty()).map(str::to_owned)
}
