//! Visitors of chats who left their name (manual 3.8).

use super::conversation_access::{flow_for_public_write, is_owner, request_proofs};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::ChatId;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::conversations::leads;
use crate::wire::conversations::leads::{LeadView, NewLead};

/// `POST /leads`.
///
/// # Errors
/// 400 for a field that is too long, 404 for an unknown flow, 403 and 429 as the flow says.
pub(crate) fn add(
    app: &App,
    (): (),
    request: &Request,
    Json(mut body): Json<NewLead>,
) -> Result<Json<LeadView>> {
    let id = body.chatflowid.as_deref().filter(|id| !id.is_empty());
    let flow =
        flow_for_public_write(app, request, id.ok_or_else(|| Error::invalid("'chatflowid' is required."))?)?;
    let claimed = body.chat_id.as_deref().and_then(ChatId::parse);
    let proofs = request_proofs(request, body.session_token.take());
    let proven = match claimed {
        Some(chat) if is_owner(app, request, &flow, &chat, &proofs)? => Some(chat),
        _ => None,
    };
    Ok(Json(LeadView::new(flow.id, leads::add(app, &flow, proven, &body.into())?)))
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
