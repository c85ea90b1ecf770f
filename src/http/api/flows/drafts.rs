//! Drafts and Publish (manual 5.6).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::flows::drafts::{self, DraftPrecondition};
use crate::ops::flows::{publish, restore};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DraftBody {
    flow_data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettingsBody {
    publish_instantly: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct PublishBody {
    overwrite_live_changes: Option<bool>,
}

#[derive(Deserialize)]
struct PublishEachBody {
    ids: Vec<String>,
}

#[derive(Deserialize)]
struct RollbackBody {
    sha: String,
}

/// `GET /flow-drafts/:id`.
///
/// # Errors
/// 404, 403.
pub fn status(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&drafts::status(app, &caller, &flow_id(request)?)?.wire())
}

/// `PUT /flow-drafts/:id`.
///
/// # Errors
/// 400, 404, 403, 409.
pub fn save(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = flow_id(request)?;
    let body: DraftBody = request.json()?;
    let expected = DraftPrecondition::parse(request.header("if-match"))?;
    Reply::json(&drafts::save(app, &caller, &id, body.flow_data, &expected)?.wire())
}

/// `DELETE /flow-drafts/:id`.
///
/// # Errors
/// 404, 403, 409.
pub fn discard(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&drafts::discard(app, &caller, &flow_id(request)?)?.wire())
}

/// `PUT /flow-drafts/:id/settings`.
///
/// # Errors
/// 400, 404, 403, 409.
pub fn settings(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = flow_id(request)?;
    let body: SettingsBody = request.json()?;
    Reply::json(&drafts::set_publish_instantly(app, &caller, &id, body.publish_instantly)?.wire())
}

/// `POST /flow-drafts/:id/publish`. The body is optional.
///
/// # Errors
/// 400, 404, 403, 409.
pub fn publish(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = flow_id(request)?;
    let body: PublishBody =
        if request.body().is_empty() { PublishBody::default() } else { request.json()? };
    let overwrite = body.overwrite_live_changes.unwrap_or(false);
    Reply::json(&publish::publish(app, &caller, &id, overwrite)?)
}

/// `POST /flow-drafts/publish`: those of these flows that can run, each with a result of its own.
///
/// # Errors
/// 400 for a list that is empty, too long or holds something else than ids, 404 when none of them is a flow.
pub fn publish_each(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body: PublishEachBody = request.json()?;
    if body.ids.is_empty() || body.ids.len() > publish::FLOWS_MAX {
        return Err(Error::Invalid(format!("Invalid ids: send 1 to {} ids of flows.", publish::FLOWS_MAX)));
    }
    let mut ids = Vec::with_capacity(body.ids.len());
    for text in &body.ids {
        let id = FlowId::parse(text)
            .ok_or_else(|| Error::invalid("Invalid ids: one of them is no id of a flow."))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Reply::json(&publish::publish_each(app, &caller, &ids)?)
}

/// `POST /flow-drafts/:id/rollback`.
///
/// # Errors
/// 400, 404, 403, 409.
pub fn roll_back(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = flow_id(request)?;
    let body: RollbackBody = request.json()?;
    if body.sha.is_empty() {
        return Err(Error::invalid("Invalid sha: send the id of a version."));
    }
    Reply::json(&restore::roll_back(app, &caller, &id, &body.sha)?)
}
