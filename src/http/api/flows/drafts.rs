//! Drafts and Publish (manual 5.6).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::flows::drafts::{self, DraftPrecondition};
use crate::ops::flows::{publish, restore, versions};
use crate::wire::flows::drafts::{DraftChanges, DraftEdit, DraftSettings, DraftStatusView};
use crate::wire::flows::publish::{
    PublishEach, PublishRequest, PublishResultView, PublishResultsView, RestoreResultView, Rollback,
};

/// `GET /flow-drafts/:id`.
///
/// # Errors
/// 404, 403.
pub(crate) fn status(app: &App, caller: Caller, request: &Request) -> Result<Json<DraftStatusView>> {
    Ok(Json(drafts::status(app, &caller, &flow_id(request)?)?.into()))
}

/// `GET /flow-drafts/:id/changes`.
///
/// # Errors
/// 404, 403.
pub(crate) fn changes(app: &App, caller: Caller, request: &Request) -> Result<Json<DraftChanges>> {
    Ok(Json(DraftChanges { sentences: versions::draft_changes(app, &caller, &flow_id(request)?)? }))
}

/// `PUT /flow-drafts/:id`.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn save(app: &App, caller: Caller, request: &Request) -> Result<Json<DraftStatusView>> {
    let id = flow_id(request)?;
    let DraftEdit { flow_data } = request.json()?;
    let expected = DraftPrecondition::parse(request.header("if-match"))?;
    Ok(Json(drafts::save(app, &caller, &id, &flow_data, &expected)?.into()))
}

/// `DELETE /flow-drafts/:id`.
///
/// # Errors
/// 404, 403, 409.
pub(crate) fn discard(app: &App, caller: Caller, request: &Request) -> Result<Json<DraftStatusView>> {
    Ok(Json(drafts::discard(app, &caller, &flow_id(request)?)?.into()))
}

/// `PUT /flow-drafts/:id/settings`.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn settings(app: &App, caller: Caller, request: &Request) -> Result<Json<DraftStatusView>> {
    let id = flow_id(request)?;
    let DraftSettings { publish_instantly } = request.json()?;
    Ok(Json(drafts::set_publish_instantly(app, &caller, &id, publish_instantly)?.into()))
}

/// `POST /flow-drafts/:id/publish`. The body is optional.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn publish(app: &App, caller: Caller, request: &Request) -> Result<Json<PublishResultView>> {
    let id = flow_id(request)?;
    let body: PublishRequest =
        if request.body().is_empty() { PublishRequest::default() } else { request.json()? };
    let expected = DraftPrecondition::parse(request.header("if-match"))?;
    let overwrite = body.overwrite_live_changes.unwrap_or(false);
    Ok(Json(publish::publish(app, &caller, &id, &expected, overwrite)?.into()))
}

/// `POST /flow-drafts/publish`: those of these flows that can run, each with a result of its own.
///
/// # Errors
/// 400 for a list that is empty, too long or holds something else than ids, 404 when none of them is a flow.
pub(crate) fn publish_each(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<PublishEach>,
) -> Result<Json<PublishResultsView>> {
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
    Ok(Json(publish::publish_each(app, &caller, &ids)?.into()))
}

/// `POST /flow-drafts/:id/rollback`.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn roll_back(app: &App, caller: Caller, request: &Request) -> Result<Json<RestoreResultView>> {
    let id = flow_id(request)?;
    let Rollback { sha } = request.json()?;
    if sha.is_empty() {
        return Err(Error::invalid("Invalid sha: send the id of a version."));
    }
    Ok(Json(restore::roll_back(app, &caller, &id, &sha)?.into()))
}
