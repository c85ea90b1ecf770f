//! Files of flows on their way from an editor into a draft, and from a draft to Live (manual 4.7).

use super::live::ParsedCanvas;
use crate::app::App;
use crate::canvas::files::{self, InlineFile};
use crate::cards::kit::StoredFile;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::files::flow_files::FlowFileName;
use crate::limits;
use crate::ops::workspace::quota;
use std::io::ErrorKind;

/// A canvas whose inline files are on disk, and the names of those that were stored for it.
pub(crate) struct CanvasFiles {
    /// The canvas, naming stored files.
    pub canvas: ParsedCanvas,
    /// Stored just now: to be removed when the save does not come about.
    pub new_files: Vec<FlowFileName>,
}

/// Stores the inline files of a canvas; a canvas without any stays as it was sent, to the byte.
///
/// # Errors
/// 507 when a quota has no room for a file, 500 when it cannot be stored; those stored before it are removed again.
pub(crate) fn store_inline_files(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    canvas: ParsedCanvas,
    side: CanvasSide,
) -> Result<CanvasFiles> {
    let mut fresh = Vec::new();
    let mut store = |file: InlineFile| {
        check_size(&file)?;
        let name = match side {
            // Under such a name they never replace a file of Live.
            CanvasSide::Draft => FlowFileName::new_draft(&file.name, &file.bytes),
            CanvasSide::Live => FlowFileName::new_live(&file.name, &file.bytes),
        };
        let _room = quota::admit_file(app, workspace, file.bytes.len() as u64)?;
        app.files.put(workspace, flow, &name, &file.bytes).map_err(Error::internal)?;
        fresh.push(name.clone());
        Ok(name.as_str().to_owned())
    };
    match files::store_inline_files(canvas.canvas(), &mut store) {
        Ok(None) => Ok(CanvasFiles { canvas, new_files: fresh }),
        Ok(Some(text)) => Ok(CanvasFiles { canvas: ParsedCanvas::parse(text)?, new_files: fresh }),
        Err(error) => {
            remove(app, workspace, flow, &fresh);
            Err(error)
        }
    }
}

/// Refuses a file that no run could read.
///
/// # Errors
/// 400.
pub(crate) fn check_size(file: &InlineFile) -> Result<()> {
    if file.bytes.len() <= limits::DOCUMENT_BYTES_MAX {
        return Ok(());
    }
    let most = limits::DOCUMENT_BYTES_MAX / (1024 * 1024);
    Err(Error::Invalid(format!("A file is larger than {most} MB.")))
}

/// Makes a canvas Live by this write. Files of the draft get their Live names before, beside the old ones: until Live is
/// written, the draft still works. When nothing was written, the names go again that only this gave.
///
/// # Errors
/// 400 when a file of the draft is missing, 500 when it cannot be linked, and those of the write.
pub(crate) fn put_live<T>(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    canvas: ParsedCanvas,
    write: impl FnOnce(&ParsedCanvas) -> Result<T>,
) -> Result<T> {
    if draft_file_names(&canvas).is_empty() {
        return write(&canvas);
    }
    let _turn = app.files.promotion_turn();
    let mut linked = Vec::new();
    let canvas = give_live_names(app, workspace, flow, canvas, &mut linked)
        .inspect_err(|_| remove(app, workspace, flow, &linked))?;
    write(&canvas).inspect_err(|error| roll_back(app, workspace, flow, &linked, error))
}

fn give_live_names(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    canvas: ParsedCanvas,
    linked: &mut Vec<FlowFileName>,
) -> Result<ParsedCanvas> {
    let mut rename = |name: &str| -> Result<Option<String>> {
        let Some(draft) = FlowFileName::parse(name) else { return Ok(None) };
        let Some(live) = draft.to_live() else { return Ok(None) };
        let is_new = app.files.link(workspace, flow, &draft, &live).map_err(|fault| match fault.kind() {
            ErrorKind::NotFound => {
                Error::invalid("The canvas names a file that is not here any more. Upload it again.")
            }
            _ => Error::internal(fault),
        })?;
        if is_new {
            linked.push(live.clone());
        }
        Ok(Some(live.as_str().to_owned()))
    };
    match files::rename_stored_files(canvas.canvas(), &mut rename)? {
        None => Ok(canvas),
        Some(text) => ParsedCanvas::parse(text),
    }
}

/// A file of a flow, by the name a canvas has for it; `None` when the flow has no such file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    name: &str,
) -> Result<Option<StoredFile>> {
    let Some(name) = FlowFileName::parse(name) else { return Ok(None) };
    let bytes_max = limits::DOCUMENT_BYTES_MAX as u64;
    let bytes = app.files.get(workspace, flow, &name, bytes_max)?;
    Ok(bytes.map(|bytes| StoredFile { name: name.label().to_owned(), bytes }))
}

/// The first of these files that the flow does not have, by the name that its owner knows it by.
///
/// # Errors
/// When it cannot be looked for.
pub(crate) fn first_missing(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    names: &[String],
) -> Result<Option<String>> {
    for text in names {
        let Some(name) = FlowFileName::parse(text) else { return Ok(Some(text.clone())) };
        if !app.files.has(workspace, flow, &name).map_err(Error::internal)? {
            return Ok(Some(name.label().to_owned()));
        }
    }
    Ok(None)
}

#[must_use]
pub(crate) fn draft_file_names(canvas: &ParsedCanvas) -> Vec<FlowFileName> {
    let names = files::stored_names(canvas.canvas());
    names
        .iter()
        .filter_map(|name| FlowFileName::parse(name))
        .filter(|name| name.to_live().is_some())
        .collect()
}

/// Removes files of something that was not stored. Where nobody knows whether it was, they stay: what was stored names them.
pub(crate) fn roll_back(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    names: &[FlowFileName],
    why: &Error,
) {
    if why.is_refusal() {
        remove(app, workspace, flow, names);
    }
}

/// Removes files nothing refers to any more.
pub(crate) fn remove(app: &App, workspace: &WorkspaceId, flow: &FlowId, names: &[FlowFileName]) {
    names.iter().for_each(|name| app.files.remove(workspace, flow, name));
}
