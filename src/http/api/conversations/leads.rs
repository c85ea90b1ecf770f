//! Visitors of chats who left their name (manual 3.8).

use super::conversation_access::{can_see, flow_for_public_write, request_proofs};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::ChatId;
use crate::http::api::predictions::prediction::{flow_id, with_session};
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::conversations::leads::{self, KeptLead, LeadSender};
use crate::ops::predictions;
use crate::wire::conversations::leads::{KeptLeadView, LeadView, NewLead};

/// `POST /leads`. The visitor's conversation begins with it, if it has not before (manual 3.2 r4).
///
/// # Errors
/// 400 for a field that is too long, 404 for an unknown flow, 403 and 429 as the flow says.
pub(crate) fn add(app: &App, (): (), request: &Request, Json(mut body): Json<NewLead>) -> Result<Reply> {
    let id = body.chatflowid.as_deref().filter(|id| !id.is_empty());
    let flow =
        flow_for_public_write(app, request, id.ok_or_else(|| Error::invalid("'chatflowid' is required."))?)?;
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

/// `GET /leads/:id`.
///
/// # Errors
/// 404, 403.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<LeadView>>> {
    let flow = flow_id(request)?;
    let found = leads::list(app, &caller, &flow)?;
    Ok(Json(found.into_iter().map(|lead| LeadView::new(flow, lead)).collect()))
}
