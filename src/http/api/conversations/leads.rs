//! Visitors of chats who left their name (manual 3.8).

use super::conversation_access::{can_see, flow_for_public_write, request_proofs};
use super::messages::{page_size, parse_optional};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, LeadId};
use crate::http::api::predictions::prediction::{flow_id, with_session};
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::conversations::leads::{self, KeptLead, LeadSender};
use crate::ops::predictions;
use crate::wire::conversations::leads::{FoundLeadsView, KeptLeadView, LeadView, NewLead};

/// `POST /leads`. The visitor's conversation begins with it, if it has not before (manual 3.2 r4).
///
/// # Errors
/// 400 for a field that is too long, 404 for an unknown flow, 401, 403 and 429 as the flow says.
pub(crate) fn add(app: &App, (): (), request: &Request, Json(mut body): Json<NewLead>) -> Result<Reply> {
    let id = body.chatflowid.as_deref().filter(|id| !id.is_empty());
    let flow =
        flow_for_public_write(app, request, id.ok_or_else(|| Error::invalid("'chatflowid' is required."))?)?;
    admit_visitor(app, request, &flow)?;
    let proofs = request_proofs(request, body.session_token.take());
    let claimed = body.chat_id.take();
    let unproven = claimed.as_deref().and_then(ChatId::parse);
    let unproven = unproven.filter(|chat| !predictions::is_owner(app, &flow, chat, &proofs));
    let seen = match unproven {
        Some(chat) if can_see(app, request, &flow)? => Some(chat),
        _ => None,
    };
    let sender = LeadSender { chat: claimed.as_deref(), proofs: &proofs, seen };
    let kept = leads::add(app, &flow, &sender, &body.into())?;
    let (chat, is_theirs) = (kept.lead.chat, kept.session_token.is_some());
    let KeptLead { lead, session_token } = kept;
    let reply = Reply::json(&KeptLeadView { lead: LeadView::new(flow.id, lead), session_token })?;
    Ok(if is_theirs { with_session(app, request, reply, &flow.id, &chat) } else { reply })
}

/// Lets in whom the flow asks who they are, with its key where it is bound to one, and callers who may see its conversations.
fn admit_visitor(app: &App, request: &Request, flow: &Flow) -> Result<()> {
    let key = predictions::admit_key(app, flow, request.bearer());
    match key.and_then(|()| leads::require_asked(flow)) {
        Err(Error::Unauthorized(_) | Error::Forbidden(_)) if can_see(app, request, flow)? => Ok(()),
        judged => judged,
    }
}

/// `GET /leads/:id`.
///
/// # Errors
/// 404, 403.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<LeadView>>> {
    let flow = flow_id(request)?;
    let found = leads::list(app, &caller, &flow)?;
    Ok(Json(found.into_iter().map(|lead| LeadView::new(flow, lead)).collect()))
}

/// `GET /leads`: of all flows, a page at a time.
///
/// # Errors
/// 400 for a bad filter; 404 and 403 for the flow that is named.
pub(crate) fn list_of_flows(app: &App, caller: Caller, request: &Request) -> Result<Json<FoundLeadsView>> {
    let text = |name: &str| request.query(name).filter(|text| !text.is_empty());
    let flow = parse_optional(text("flowId"), "flowId", FlowId::parse)?;
    let before = parse_optional(text("cursor"), "cursor", LeadId::parse)?;
    let most = page_size(request)?;
    let (rows, next) = leads::list_of_flows(app, &caller, flow.as_ref(), before.as_ref(), most)?;
    Ok(Json(FoundLeadsView::new(rows, next)))
}
