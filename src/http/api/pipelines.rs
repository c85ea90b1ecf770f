//! Runs of pipelines (manual 10.13).

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::PipelineRunId;
use crate::domain::paging::PageRequest;
use crate::http::api::flows::page_or;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::reply::Reply;
use crate::http::reply::sse::EventSink;
use crate::http::request::Request;
use crate::http::routing::handler::{AcceptedJson, Json};
use crate::ops::pipelines::{self, WatchedRun};
use crate::ops::predictions::StreamClosed;
use crate::wire::deleted::DeletedCount;
use crate::wire::page::Page;
use crate::wire::pipelines::{PipelineFileView, PipelineRunView, PipelineStart};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::time::Duration;

/// Rows of a page.
const ROWS: usize = 20;
/// The shortest time between two events of a run, and the longest for which nobody looks whether somebody reads.
const LOOK: Duration = Duration::from_millis(500);

/// `POST /etl/:id/runs`.
///
/// # Errors
/// 400, 404, 403, 409, 503.
pub(crate) fn start(
    app: &App,
    caller: Caller,
    request: &Request,
    body: Option<Json<PipelineStart>>,
) -> Result<AcceptedJson<PipelineRunView>> {
    let wanted = body.map(|Json(body)| body).unwrap_or_default();
    let (is_dry, params) = (wanted.dry_run.unwrap_or(false), wanted.params.unwrap_or_default());
    let run = pipelines::start(app, &caller, &flow_id(request)?, is_dry, params)?;
    Ok(AcceptedJson(run.into()))
}

/// `GET /etl/:id/runs`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Page<PipelineRunView>>> {
    let (page, _) = page_or(request, ROWS)?;
    let wanted = PageRequest::new(page, ROWS).ok_or_else(|| Error::invalid("Invalid page."))?;
    let (rows, total) = pipelines::list(app, &caller, &flow_id(request)?, wanted)?;
    Ok(Json(Page { data: rows.into_iter().map(PipelineRunView::from).collect(), total }))
}

/// `GET /etl/:id/runs/:run`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<PipelineRunView>> {
    Ok(Json(pipelines::read(app, &caller, &flow_id(request)?, run_id(request))?.run.into()))
}

/// `GET /etl/:id/runs/:run/events`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn watch(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let watched = pipelines::read(app, &caller, &flow_id(request)?, run_id(request))?;
    let cancel = request.cancel().clone();
    Ok(Reply::stream(move |sink| {
        // Nobody is left to tell when the reader is gone.
        let _ = pass_on(&watched, &sink, &cancel);
    }))
}

fn pass_on(watched: &WatchedRun, sink: &EventSink, cancel: &CancelToken) -> Result<(), StreamClosed> {
    sink.send("etl.progress", &PipelineRunView::from(watched.run.clone()))?;
    let mut seen = 0;
    while cancel.reason().is_none() {
        let (run, changes, is_over) = watched.wait(seen, LOOK);
        if changes > seen || is_over {
            sink.send("etl.progress", &PipelineRunView::from(run))?;
        }
        if is_over {
            return sink.close();
        }
        seen = changes;
        // However fast it goes, whoever watches is told a few times a second.
        let _ = cancel.sleep(LOOK);
    }
    Err(StreamClosed)
}

/// `DELETE /etl/:id/runs/:run`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn stop(app: &App, caller: Caller, request: &Request) -> Result<Json<PipelineRunView>> {
    Ok(Json(pipelines::stop(app, &caller, &flow_id(request)?, run_id(request))?.into()))
}

/// `GET /etl/:id/files`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn list_files(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<Vec<PipelineFileView>>> {
    let files = pipelines::list_files(app, &caller, &flow_id(request)?)?;
    Ok(Json(files.into_iter().map(PipelineFileView::from).collect()))
}

/// `GET /etl/:id/files/:file`.
///
/// # Errors
/// 400, 404, 403.
pub(crate) fn read_file(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (found, file) = pipelines::open_file(app, &caller, &flow_id(request)?, request.param("file"))?;
    let name = utf8_percent_encode(found.name.as_str(), NON_ALPHANUMERIC);
    Ok(Reply::file(file, found.bytes, "application/x-ndjson; charset=utf-8")
        .with_header("content-disposition", &format!("attachment; filename*=UTF-8''{name}")))
}

/// `DELETE /etl/:id/files/:file`.
///
/// # Errors
/// 400, 404, 403, 409.
pub(crate) fn delete_file(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    pipelines::delete_file(app, &caller, &flow_id(request)?, request.param("file"))?;
    Ok(Json(DeletedCount::new(1)))
}

/// What is no id of a run is that of none.
fn run_id(request: &Request) -> Option<PipelineRunId> {
    PipelineRunId::parse(request.param("run"))
}
