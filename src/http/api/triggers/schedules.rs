//! Schedules of flows (manual 16.7).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::TriggerLogId;
use crate::domain::paging::PageRequest;
use crate::domain::triggers::schedule::TriggerStatus;
use crate::http::api::flows::page_or;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::triggers::schedules::{self, TRIGGER_LOG_PAGE_MAX};
use crate::wire::triggers::schedules::{
    DeletedTriggerLogsView, ScheduleStatusView, ScheduleSwitch, ScheduleView, TriggerLogList,
    TriggerLogPageView, TriggerLogView,
};

/// Rows of a page unless the caller says how many.
const ROWS: usize = 20;

/// `GET /chatflows/:id/schedule/status`
///
/// # Errors
/// 404.
pub(crate) fn status(app: &App, caller: Caller, request: &Request) -> Result<Json<ScheduleStatusView>> {
    Ok(Json(schedules::status(app, &caller, &flow_id(request)?)?.into()))
}

/// `PATCH /chatflows/:id/schedule/enabled`
///
/// # Errors
/// 404 when Live has no schedule; 400 when nothing would come of it.
pub(crate) fn switch(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<ScheduleSwitch>,
) -> Result<Json<ScheduleView>> {
    Ok(Json(schedules::set_enabled(app, &caller, &flow_id(request)?, body.enabled)?.into()))
}

/// `GET /chatflows/:id/schedule/trigger-logs`
///
/// # Errors
/// 400 for a bad filter, 404.
pub(crate) fn logs(app: &App, caller: Caller, request: &Request) -> Result<Json<TriggerLogPageView>> {
    let (page, limit) = page_or(request, ROWS)?;
    let limit = limit.min(TRIGGER_LOG_PAGE_MAX);
    let statuses = request
        .query_all("status")
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| TriggerStatus::parse(text).ok_or_else(wrong_status))
        .collect::<Result<Vec<_>>>()?;
    let wanted = PageRequest::new(page, limit).ok_or_else(|| Error::invalid("Invalid limit."))?;
    let found = schedules::logs(app, &caller, &flow_id(request)?, &statuses, wanted)?;
    let data = found.rows.into_iter().map(|row| TriggerLogView::new(row, found.kind)).collect();
    Ok(Json(TriggerLogPageView { data, total: found.total, page, limit }))
}

/// `DELETE /chatflows/:id/schedule/trigger-logs`
///
/// # Errors
/// 400 when none is named, 404, and 403 for records of runs that the caller may not delete.
pub(crate) fn delete_logs(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<TriggerLogList>,
) -> Result<Json<DeletedTriggerLogsView>> {
    let named = body.log_ids.filter(|ids| !ids.is_empty());
    let named = named.ok_or_else(|| Error::invalid("'logIds' is required."))?;
    // A text that is no id names nothing there is.
    let ids: Vec<TriggerLogId> = named.iter().filter_map(|text| TriggerLogId::parse(text)).collect();
    Ok(Json(schedules::delete_logs(app, &caller, &flow_id(request)?, &ids)?.into()))
}

fn wrong_status() -> Error {
    let all = TriggerStatus::ALL.map(TriggerStatus::as_str).join(", ");
    Error::Invalid(format!("Invalid status: it must be one of {all}."))
}
