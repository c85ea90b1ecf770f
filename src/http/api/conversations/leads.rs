//! Visitors of chats who left their name (manual 3.8).

use super::conversation_access::{flow_for_public_write, is_owner, request_proofs};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::ChatId;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::conversations::leads::{self, NewLead};
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct LeadBody {
    chatflowid: Option<String>,
    chat_id: Option<String>,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    session_token: Option<String>,
}

/// `POST /leads`.
///
/// # Errors
/// 400 for a field that is too long, 404 for an unknown flow, 403 and 429 as the flow says.
pub fn add(app: &App, (): (), request: &Request) -> Result<Reply> {
    let body: LeadBody = request.json()?;
    let id = body.chatflowid.as_deref().filter(|id| !id.is_empty());
    let flow =
        flow_for_public_write(app, request, id.ok_or_else(|| Error::invalid("'chatflowid' is required."))?)?;
    let claimed = body.chat_id.as_deref().and_then(ChatId::parse);
    let proofs = request_proofs(request, body.session_token);
    let chat = match claimed {
        Some(chat) if is_owner(app, request, &flow, &chat, &proofs)? => Some(chat),
        _ => None,
    };
    let new = NewLead { chat, name: body.name, email: body.email, phone: body.phone };
    Reply::json(&leads::add(app, &flow, &new)?)
}

/// `GET /leads/:id`.
///
/// # Errors
/// 404, 403.
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&leads::list(app, &caller, &flow_id(request)?)?)
}
