//! Records of agentflow runs (manual 15.2).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, FlowId};
use crate::domain::predictions::execution::ExecutionState;
use crate::http::api::conversations::messages::{parse_instant, parse_optional};
use crate::http::api::flows::has_flag;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::predictions::executions::{self, ExecutionFilter, TextLength};
use crate::wire::page::Page;
use crate::wire::predictions::executions::{
    DeletedExecutionsView, ExecutionEdit, ExecutionList, ExecutionView, PublicExecutionView,
};

/// Rows of a page unless the caller says how many.
const ROWS: usize = 12;

/// `GET /executions`
///
/// # Errors
/// 400 for a bad filter.
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Page<ExecutionView>>> {
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
    let number = |name: &str, usual: usize| {
        let number = parse_optional(text(name), name, |text| text.parse::<usize>().ok())?;
        Ok::<_, Error>(number.filter(|number| *number > 0).unwrap_or(usual))
    };
    let page = (number("page", 1)? as u64, number("limit", ROWS)?);
    let (rows, total) = executions::list(app, &caller, &filter, page, has_flag(request, "full")?)?;
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    Ok(Json(Page { data: rows.into_iter().map(ExecutionView::from).collect(), total }))
}

/// `GET /executions/:id`
///
/// # Errors
/// 404.
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<ExecutionView>> {
    let length = if has_flag(request, "whole")? { TextLength::Whole } else { TextLength::Cut };
    Ok(Json(executions::read(app, &caller, request.id("id")?, length)?.into()))
}

/// `PUT /executions/:id`
///
/// # Errors
/// 404.
pub fn update(
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
pub fn stop(app: &App, caller: Caller, request: &Request) -> Result<Json<ExecutionView>> {
    Ok(Json(executions::stop(app, &caller, request.id("id")?)?.into()))
}

/// `DELETE /executions/:id`
///
/// # Errors
/// 404, 409.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedExecutionsView>> {
    executions::delete(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedExecutionsView::new(1)))
}

/// `DELETE /executions`
///
/// # Errors
/// 400 when none is named.
pub fn delete_each(
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
pub fn read_public(app: &App, (): (), request: &Request) -> Result<Json<PublicExecutionView>> {
    Ok(Json(executions::read_public(app, request.id("id")?)?.into()))
}
