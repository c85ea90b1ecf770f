//! What a chat page may know of a flow without being signed in (manual 2.13 r3), and what its owner may let a request
//! change.

use super::access::{self, FlowAction};
use super::drafts;
use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::card_problems::OverridableSetting;
use crate::domain::flows::chat_page::{ChatPage, SharedFlow, UploadOffer};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::FlowId;
use crate::engine::{FlowPlan, overrides};
use crate::ops::flows;
use crate::ops::predictions::UploadPolicy;
use crate::store::tables::CANVASES;
use serde_json::{Map, Value, json};
use std::sync::Arc;

fn plan(app: &App, flow: &Flow) -> Result<Option<Arc<FlowPlan>>> {
    if flow.card_count == 0 || flow.kind.require_answers().is_err() {
        return Ok(None);
    }
    // A canvas that cannot run offers nothing; asking it says why.
    Ok(crate::ops::predictions::plan(app, flow).ok())
}

/// True when the flow's answers go out token by token (manual 2.12).
///
/// # Errors
/// 404.
pub(crate) fn can_stream(app: &App, id: &FlowId) -> Result<bool> {
    let flow = app.store.read(|tx| flows::find(tx, id))?;
    if flow.settings.chatbot_config.post_processing.is_some() {
        return Ok(false);
    }
    Ok(plan(app, &flow)?.is_some_and(|plan| plan.streams()))
}

/// What a chat page needs to know of a flow.
///
/// # Errors
/// 404.
pub(crate) fn chat_page(app: &App, id: &FlowId) -> Result<ChatPage> {
    let flow = app.store.read(|tx| flows::find(tx, id))?;
    Ok(ChatPage {
        settings: flow.settings.chatbot_config.public(),
        uploads: upload_offer(app, &flow)?,
        start_card: start_card(app, &flow)?,
        state: flow.chat_state(),
    })
}

/// A shared flow for anybody (manual 2.13 r3): what draws its chat, and whether a key is needed, never which.
///
/// # Errors
/// 404 for a flow that is not shared, as if there were none.
pub(crate) fn shared_flow(app: &App, flow: &Flow) -> Result<SharedFlow> {
    if !flow.settings.is_shared() {
        return Err(Error::no_flow(&flow.id));
    }
    Ok(SharedFlow {
        id: flow.id,
        name: flow.name.clone(),
        kind: flow.kind,
        asks_for_key: flow.settings.api_key.is_some(),
        settings: flow.settings.chatbot_config.public(),
        start_card: start_card(app, flow)?,
    })
}

/// What the chat of a flow may upload (manual 4.1).
///
/// # Errors
/// 404.
pub(crate) fn uploads(app: &App, id: &FlowId) -> Result<UploadOffer> {
    let flow = app.store.read(|tx| flows::find(tx, id))?;
    upload_offer(app, &flow)
}

fn upload_offer(app: &App, flow: &Flow) -> Result<UploadOffer> {
    Ok(UploadPolicy::from_settings(&flow.settings, plan(app, flow)?.as_deref()).offer())
}

/// Of the canvas a chat page needs the Start card's form and kind, and nothing else.
fn start_card(app: &App, flow: &Flow) -> Result<String> {
    const FIELDS: &[&str] = &["startInputType", "formTitle", "formDescription", "formInputTypes"];
    let text = app.store.read(|tx| CANVASES.get(tx, &flow.workspace, &flow.id))?.unwrap_or_default();
    let canvas = Canvas::parse(&text).ok();
    let start =
        canvas.as_ref().and_then(|canvas| canvas.nodes().iter().find(|node| node.name == "startAgentflow"));
    let nodes: Vec<Value> = start
        .into_iter()
        .map(|node| {
            let inputs: Map<String, Value> = node
                .inputs
                .iter()
                .filter(|(name, _)| FIELDS.contains(&name.as_str()))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            json!({"id": node.id, "data": {"id": node.id, "name": node.name, "inputs": inputs}})
        })
        .collect();
    Ok(json!({"nodes": nodes, "edges": []}).to_string())
}

/// The settings a request could be allowed to change: of Live's cards, or of the draft's before the first Publish.
///
/// # Errors
/// 404 or 403.
pub(crate) fn override_candidates(
    app: &App,
    caller: &Caller,
    id: &FlowId,
) -> Result<Vec<OverridableSetting>> {
    let text = app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Read)?;
        let draft = if flow.card_count == 0 { drafts::canvas(tx, &flow)? } else { None };
        match draft {
            Some(draft) => Ok(draft),
            None => Ok(CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default()),
        }
    })?;
    let canvas = Canvas::parse(&text).map_err(|fault| Error::Invalid(fault.to_string()))?;
    Ok(overrides::list_overridable(&canvas))
}
