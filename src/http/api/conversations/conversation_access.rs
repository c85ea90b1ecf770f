//! Who may touch a conversation through a public route: who proves it, and who may see all of the flow's (manual 3.1 r4).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId};
use crate::domain::predictions::prediction::ConversationProof;
use crate::http::api::predictions::prediction::admit_origin;
use crate::http::api::predictions::question::conversation_proofs;
use crate::http::request::Request;
use crate::http::routing::guard;
use crate::ops::accounts::keys;
use crate::ops::conversations::{files, public_writes};
use crate::ops::predictions;
use serde_json::Map;
use std::sync::Arc;

/// The flow of this id, for a page that it admits.
pub(in crate::http::api) fn flow_for_origin(app: &App, request: &Request, id: &str) -> Result<Arc<Flow>> {
    let flow = predictions::flow(app, &FlowId::parse(id).ok_or_else(|| Error::no_flow_text(id))?)?;
    admit_origin(app, request, &flow)?;
    Ok(flow)
}

/// As [`flow_for_origin`], for what anybody may leave there: counted by address.
pub(in crate::http::api) fn flow_for_public_write(
    app: &App,
    request: &Request,
    id: &str,
) -> Result<Arc<Flow>> {
    let flow = flow_for_origin(app, request, id)?;
    public_writes::admit(app, &flow, request.address())?;
    Ok(flow)
}

/// The proofs of a conversation that a request carries.
pub(in crate::http::api) fn request_proofs(
    request: &Request,
    token: Option<String>,
) -> Vec<ConversationProof> {
    conversation_proofs(request, token, &mut Map::new())
}

/// True when the request proves the conversation, or its caller may see the flow's conversations.
pub(in crate::http::api) fn is_owner(
    app: &App,
    request: &Request,
    flow: &Flow,
    chat: &ChatId,
    proofs: &[ConversationProof],
) -> Result<bool> {
    Ok(predictions::is_owner(app, flow, chat, proofs) || can_see(app, request, flow)?)
}

/// True when a signed-in person or a key may see the flow's conversations.
pub(in crate::http::api) fn can_see(app: &App, request: &Request, flow: &Flow) -> Result<bool> {
    let sees =
        |caller: Option<Caller>| caller.is_some_and(|caller| files::can_see_conversations(&caller, flow));
    match request.bearer() {
        Some(bearer) => Ok(sees(keys::authenticate(app, bearer, Some(request.address()))?)),
        // A session that is over proves nothing, and nothing is refused for it.
        None => Ok(sees(guard::signed_in_person(app, request).unwrap_or_default())),
    }
}
