//! Harnesses of the workspace, and asking one by its name (manual 22.6).

use super::prediction::{CHAT_ID, failed_run, not_found_if_deleted, reply_to_run, with_version};
use super::question::parse_question;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::prediction::ChatType;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::guard::{self, Guard, RequiredAccess};
use crate::http::routing::handler::Json;
use crate::ops::flows::live::harnesses::{self, ListedHarness};
use crate::ops::predictions::{self, PredictionRequest};
use crate::wire::predictions::harnesses::{HarnessQuestion, HarnessView, SpecialistView};
use std::sync::Arc;

/// A signed-in person: whoever sends a key, of whatever kind, is told to ask the flow.
pub(crate) const RUN_HARNESS: Guard<Caller> =
    Guard { name: "RUN_HARNESS", access: RequiredAccess::Session, authorize, object: None };

fn authorize(app: &App, request: &Request) -> Result<Caller> {
    if request.header("authorization").is_some() {
        return Err(Error::Forbidden(
            "This is for signed-in people and takes no API key: ask the harness by the id of its flow."
                .to_owned(),
        ));
    }
    guard::caller(app, request)
}

/// `GET /harnesses`.
///
/// # Errors
/// 403 without the permission to see harnesses.
pub(crate) fn list(app: &App, caller: Caller, _: &Request) -> Result<Json<Vec<HarnessView>>> {
    let view = |harness: ListedHarness| {
        let specialists = harness.specialists.into_iter();
        HarnessView {
            name: harness.name,
            flow_id: harness.flow.id,
            specialists: specialists
                .map(|(name, description)| SpecialistView { name, description })
                .collect(),
        }
    };
    Ok(Json(harnesses::list(app, &caller)?.into_iter().map(view).collect()))
}

/// `POST /harnesses/:name/runs`: as the canvas test chat, without key, origin and rate limit.
///
/// # Errors
/// 403 without the permission to see harnesses, 404 for an unknown name, 400 without a question, then as asking a flow.
pub(crate) fn run(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(sent): Json<HarnessQuestion>,
) -> Result<Reply> {
    let flow = Arc::new(harnesses::read(app, &caller, request.param("name"))?);
    let id = flow.id;
    if sent.question.as_ref().is_none_or(|text| text.trim().is_empty()) {
        return Err(Error::invalid("'question' is required: send the text to ask."));
    }
    let question = parse_question(request, sent.into(), Vec::new())?;
    let asker = Asker { key: caller.key(), is_test: false };
    let ask =
        PredictionRequest { flow, question, chat_type: ChatType::Internal, side: CanvasSide::Live, asker };
    let visible_error = |fault| not_found_if_deleted(app, &id, fault);
    let entry = predictions::prepare(app, ask, request.cancel()).map_err(visible_error)?;
    let (chat, version) = (entry.ids.chat.to_string(), entry.version);
    match reply_to_run(app, entry, request, None) {
        Ok(reply) => Ok(with_version(reply, version).with_header(CHAT_ID, &chat)),
        Err(fault) => failed_run(app, request, version, visible_error(fault)),
    }
}
