//! Moving in from Flowise (manual 5.13): what its data folder holds comes into a workspace, each thing for itself.
//!
//! It is an operation like any other: on a running service it comes through the control socket, on a folder that nobody uses it runs
//! under the lock of that folder. So there is one way in, each record goes through the checks of a person's own save, caches learn of
//! it, and versions are recorded in their order; a program that wrote into the folder beside the service would have to repeat all of
//! that. The folder of the other product is read where the operation runs, row by row, so no size of it is too large.
//!
//! Each thing is one commit, and is known again by its id. A move that was killed is finished by the next one, and a second one makes
//! nothing twice.

mod conversations;
mod file;
mod messages;
mod people;
mod records;
mod report;
mod stores;

use self::report::MoveReport;
use super::import::{Companions, FilePlan};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::domain::workspace::import::{ExistingPolicy, FileImport, ImportChoices};
use crate::flowise::{Folder, FolderChoice};
use crate::wire::workspace::coverage::{Coverage, MoveInResult};
use std::collections::HashMap;
use uuid::Uuid;

/// What is said of a database that a later version changed.
const NEWER: &str = "The database is of a later version of Flowise than the newest this program was tried with: look at what came in.";

/// One move: from where, to where, and whether it is only looked at.
struct Move<'a> {
    app: &'a App,
    caller: &'a Caller,
    folder: &'a Folder,
    is_real: bool,
    cancel: &'a CancelToken,
}

impl Move<'_> {
    /// # Errors
    /// [`Error::Cancelled`] when the move was ended.
    fn go_on(&self) -> Result<()> {
        Error::check_cancelled(self.cancel)
    }
}

/// What things of the folder are called here.
#[derive(Default)]
struct Homes {
    ids: HashMap<Uuid, Uuid>,
    flows: HashMap<FlowId, FlowId>,
}

/// Takes a data folder of Flowise into the caller's workspace, or tells what would become of it.
///
/// # Errors
/// 400 for a folder that cannot be read as a whole, before anything is written; [`Error::Cancelled`] when it was ended.
pub(crate) fn move_in(
    app: &App,
    caller: &Caller,
    choice: &FolderChoice,
    is_preview: bool,
    cancel: &CancelToken,
) -> Result<MoveInResult> {
    let folder = Folder::open(choice)?;
    let moving = Move { app, caller, folder: &folder, is_real: !is_preview, cancel };
    let mut report = MoveReport::default();
    let mut beside = Companions { has_values: true, ..Companions::default() };
    // Whether there is room is known before anything is written.
    let plan = plan_file(&moving)?;
    // What flows refer to comes before them.
    records::credentials(&moving, &mut beside, &mut report)?;
    records::keys(&moving, &mut beside, &mut report)?;
    records::tool_servers(&moving, &mut beside, &mut report)?;
    let (homes, coverage) = match plan {
        Some(plan) => take_file(&moving, plan, &beside, &mut report)?,
        None => Default::default(),
    };
    file::webhook_secrets(&moving, &homes, &mut report)?;
    stores::take(&moving, &homes, &mut report)?;
    conversations::executions(&moving, &homes, &mut report)?;
    conversations::messages(&moving, &homes, &mut report)?;
    conversations::feedback(&moving, &homes, &mut report)?;
    conversations::leads(&moving, &homes, &mut report)?;
    people::tell(&moving, &mut report)?;
    let notes = if folder.is_newer() { vec![NEWER.to_owned()] } else { Vec::new() };
    let result = report.into_result(is_preview);
    if !is_preview {
        let (created, skipped, refused) = (result.created, result.skipped, result.refused);
        tracing::info!(created, skipped, refused, by = %caller.principal, "a folder of Flowise moved in");
    }
    Ok(MoveInResult { result, coverage, notes })
}

/// Reads what an export of the folder would hold; `None` where that is nothing.
fn plan_file(moving: &Move<'_>) -> Result<Option<FilePlan>> {
    let file = file::build(moving.folder)?;
    if file.is_empty() {
        return Ok(None);
    }
    let wanted = FileImport {
        is_preview: !moving.is_real,
        choices: ImportChoices { chosen: HashMap::new(), existing: ExistingPolicy::Skip },
        file_name: None,
        file,
    };
    FilePlan::new(moving.app, moving.caller, wanted).map(Some)
}

/// Takes that in, as exports come in.
fn take_file(
    moving: &Move<'_>,
    plan: FilePlan,
    beside: &Companions,
    report: &mut MoveReport,
) -> Result<(Homes, Coverage)> {
    let imported = plan.run(moving.app, moving.caller, beside)?;
    report.add(imported.result);
    Ok((Homes { ids: imported.ids, flows: imported.homes }, imported.coverage))
}

#[cfg(test)]
mod tests;
