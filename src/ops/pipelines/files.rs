//! The files that pipelines wrote, as people list and download them (manual 10.14).

use super::pipeline;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{FlowId, PipelineFileId, WorkspaceId};
use crate::domain::pipelines::target::PipelineFile;
use crate::ops::flows::access::FlowAction;
use crate::store::Tx;
use crate::store::queries::pipelines;
use crate::store::tables::{FLOWS, PIPELINE_FILES, PIPELINES_UNDER_WAY};
use jiff::Timestamp;
use std::fs::File;

/// The files of a pipeline, by name.
///
/// # Errors
/// 404, 403; 400 when the flow is no pipeline.
pub(crate) fn list_files(app: &App, caller: &Caller, id: &FlowId) -> Result<Vec<PipelineFile>> {
    let mut files = app.store.read(|tx| {
        let flow = pipeline(tx, caller, id, FlowAction::View)?;
        Ok(PIPELINE_FILES.get(tx, &flow.workspace, id)?.unwrap_or_default())
    })?;
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

/// A file of a pipeline to read; so many bytes of it count as the record says.
///
/// # Errors
/// 404, 403; 400 when the flow is no pipeline.
pub(crate) fn open_file(app: &App, caller: &Caller, id: &FlowId, name: &str) -> Result<(PipelineFile, File)> {
    let files = list_files(app, caller, id)?;
    let found = files.into_iter().find(|file| file.name.as_str() == name).ok_or_else(missing)?;
    let opened = app.pipeline_files.open(&caller.workspace, id, &found.file, found.bytes);
    match opened.map_err(Error::internal)? {
        Some(file) => Ok((found, file)),
        None => Err(missing()),
    }
}

/// Deletes a file of a pipeline.
///
/// # Errors
/// 404, 403; 400 when the flow is no pipeline; 409 while a run of it is under way.
pub(crate) fn delete_file(app: &App, caller: &Caller, id: &FlowId, name: &str) -> Result<()> {
    let gone = app.store.write(|tx| {
        let flow = pipeline(tx, caller, id, FlowAction::Update)?;
        if PIPELINES_UNDER_WAY.has(tx, &flow.workspace, id)? {
            return Err(Conflict::PipelineUnderWay.into());
        }
        let mut files = PIPELINE_FILES.get(tx, &flow.workspace, id)?.unwrap_or_default();
        let at = files.iter().position(|file| file.name.as_str() == name).ok_or_else(missing)?;
        let gone = files.remove(at);
        PIPELINE_FILES.put(tx, &flow.workspace, id, &files)?;
        Ok(gone)
    })?;
    app.pipeline_files.remove(&caller.workspace, id, &gone.file);
    Ok(())
}

fn missing() -> Error {
    Error::NotFound("The pipeline has no such file.".to_owned())
}

/// Removes files that nothing leads to and nobody touched since `before`: what a crash left behind.
///
/// # Errors
/// When the disk or the database cannot be read.
pub(crate) fn sweep_files(app: &App, before: Timestamp, cancel: &CancelToken) -> Result<usize> {
    let mut removed = 0;
    for (workspace, flow, old) in app.pipeline_files.old_files(before).map_err(Error::internal)? {
        if cancel.reason().is_some() {
            break;
        }
        let Some(named) = app.store.read(|tx| named_files(tx, &workspace, &flow))? else {
            app.pipeline_files.remove_flow(&workspace, &flow);
            removed += old.len();
            continue;
        };
        for id in old.into_iter().filter(|id| !named.contains(id)) {
            app.pipeline_files.remove(&workspace, &flow, &id);
            removed += 1;
        }
    }
    Ok(removed)
}

/// The files of a flow that something leads to; `None` when the flow is gone.
fn named_files(tx: &impl Tx, workspace: &WorkspaceId, id: &FlowId) -> Result<Option<Vec<PipelineFileId>>> {
    if !FLOWS.has(tx, workspace, id)? {
        return Ok(None);
    }
    let files = PIPELINE_FILES.get(tx, workspace, id)?.unwrap_or_default();
    let mut named: Vec<PipelineFileId> = files.into_iter().map(|file| file.file).collect();
    if let Some(number) = PIPELINES_UNDER_WAY.get(tx, workspace, id)?
        && let Some(run) = pipelines::get(tx, id, number)?
    {
        named.extend(run.unfinished.files.values().map(|written| written.file));
    }
    Ok(Some(named))
}
