//! Records of agentflow runs (manual 15.2).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, FlowId};
use crate::domain::predictions::execution::ExecutionState;
use crate::domain::predictions::run_event::StepLabel;
use crate::http::api::conversations::messages::{parse_instant, parse_optional};
use crate::http::api::flows::{has_flag, page_or};
use crate::http::reply::Reply;
use crate::http::reply::error::log_failed_run;
use crate::http::reply::sse::EventSink;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::predictions::StreamClosed;
use crate::ops::predictions::executions::{self, ExecutionFilter, LiveEvent, RunUpdate, TextLength};
use crate::wire::page::Page;
use crate::wire::predictions::executions::{
    DeletedExecutionsView, EntryView, ExecutionEdit, ExecutionList, ExecutionView, PublicExecutionView,
};
use crate::wire::predictions::run_events::StepEventView;

/// Rows of a page unless the caller says how many.
const ROWS: usize = 12;

/// `GET /executions`
///
/// # Errors
/// 400 for a bad filter.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Page<ExecutionView>>> {
    let text = |name: &str| request.query(name).filter(|text| !text.is_empty());
    let filter = ExecutionFilter {
        id: parse_optional(text("id"), "id", ExecutionId::parse)?,
        flow: parse_optional(text("agentflowId"), "agentflowId", FlowId::parse)?,
        flow_name: text("agentflowName").map(str::to_owned),
        session: text("sessionId").map(str::to_owned),
        state: parse_optional(text("state"), "state", ExecutionState::parse)?,
        start: parse_optional(text("startDate"), "startDate", parse_instant)?,
        end: parse_optional(text("endDate"), "endDate", parse_instant)?,
    };
    let (page, limit) = page_or(request, ROWS)?;
    let page = (page as u64, limit);
    let (rows, total) = executions::list(app, &caller, &filter, page, has_flag(request, "full")?)?;
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    Ok(Json(Page { data: rows.into_iter().map(ExecutionView::from).collect(), total }))
}

/// `GET /executions/:id`
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<ExecutionView>> {
    let length = if has_flag(request, "whole")? { TextLength::Whole } else { TextLength::Cut };
    Ok(Json(executions::read(app, &caller, request.id("id")?, length)?.into()))
}

/// `GET /executions/:id/events`: what a run does, as it does it.
///
/// # Errors
/// 400 for a bad count; 403, 404.
pub(crate) fn events(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let since = request.query("since").filter(|text| !text.is_empty());
    let since = parse_optional(since, "since", |text| text.parse::<usize>().ok())?.unwrap_or(0);
    let watch = executions::watch(app, &caller, request.id("id")?, since)?;
    let (app, cancel) = (app.clone(), request.cancel().clone());
    Ok(Reply::stream(move |events| {
        // Nobody is left to tell when the reader is gone.
        let _ = match watch.tell(&app, &cancel, &mut |watched| send_watched(&events, watched)) {
            Ok(()) => events.close(),
            Err(Error::Cancelled) => Ok(()),
            Err(fault) => {
                log_failed_run(None, &fault);
                events.send_error(&fault)
            }
        };
    }))
}

fn send_watched(events: &EventSink, watched: RunUpdate<'_>) -> Result<(), StreamClosed> {
    match watched {
        RunUpdate::Entries(entries) => events.send("agentFlowExecutedData", &EntryView::list(entries)),
        RunUpdate::Action(action) => events.send("action", action),
        RunUpdate::State(state) => events.send("agentFlowEvent", state.as_str()),
        RunUpdate::Event(event) => match event {
            LiveEvent::Begin { node, label } => {
                events.send("nextAgentFlow", &StepEventView::from_start(StepLabel { node, label }))
            }
            LiveEvent::End { node, label, status, error } => {
                let step = StepLabel { node, label };
                events.send("nextAgentFlow", &StepEventView::from_end(step, *status, error.as_deref()))
            }
            LiveEvent::Token(text) => events.token(text),
            LiveEvent::Thinking(text) => events.thinking(text),
            LiveEvent::CalledTools(calls) => events.send("calledTools", &**calls),
            LiveEvent::Usage(usage) => events.send("usageMetadata", &**usage),
            LiveEvent::Artifacts(pictures) => events.send("artifacts", &**pictures),
            LiveEvent::FileAnnotations(files) => events.send("fileAnnotations", &**files),
            // It comes as the entries themselves.
            LiveEvent::Entries(_) => Ok(()),
        },
    }
}

/// `PUT /executions/:id`
///
/// # Errors
/// 404; 403 to share a run of a kind of flows that the caller may not see.
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<ExecutionEdit>,
) -> Result<Json<ExecutionView>> {
    Ok(Json(executions::share(app, &caller, request.id("id")?, body.is_public)?.into()))
}

/// `POST /executions/:id/stop`
///
/// # Errors
/// 404, 409.
pub(crate) fn stop(app: &App, caller: Caller, request: &Request) -> Result<Json<ExecutionView>> {
    Ok(Json(executions::stop(app, &caller, request.id("id")?)?.into()))
}

/// `DELETE /executions/:id`
///
/// # Errors
/// 404, 409.
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedExecutionsView>> {
    executions::delete(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedExecutionsView::new(1)))
}

/// `DELETE /executions`
///
/// # Errors
/// 400 when none is named.
pub(crate) fn delete_each(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<ExecutionList>,
) -> Result<Json<DeletedExecutionsView>> {
    let named = body.execution_ids.filter(|ids| !ids.is_empty());
    let named = named.ok_or_else(|| Error::invalid("'executionIds' is required."))?;
    // A text that is no id names nothing there is.
    let ids: Vec<ExecutionId> = named.iter().filter_map(|text| ExecutionId::parse(text)).collect();
    Ok(Json(DeletedExecutionsView::new(executions::delete_each(app, &caller, &ids)?)))
}

/// `GET /public-executions/:id`
///
/// # Errors
/// 404.
pub(crate) fn read_public(app: &App, (): (), request: &Request) -> Result<Json<PublicExecutionView>> {
    Ok(Json(executions::read_public(app, request.id("id")?)?.into()))
}
