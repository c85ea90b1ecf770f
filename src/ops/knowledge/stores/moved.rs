//! Loaders of another product's document stores, with the chunks that they brought there: nothing is loaded again.

use super::loaders::{change_config, replace_chunks};
use super::{files, require_store};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::{DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::{DocumentLoader, StoredChunk};
use crate::domain::knowledge::store_changes::LoaderChange;
use crate::ops::workspace::credential_destinations;

/// A loader that moves in.
pub(in crate::ops) struct MovedLoader {
    pub id: LoaderId,
    /// How it is set; files stand in its settings themselves.
    pub change: LoaderChange,
    /// What it brought is all that it brings as it is set.
    pub synced: bool,
    pub chunks: Vec<StoredChunk>,
}

/// Judges a loader as [`adopt_loader`] does.
///
/// # Errors
/// 400 for a loader that a store cannot have.
pub(in crate::ops) fn check_loader(caller: &Caller, loader: &MovedLoader) -> Result<()> {
    change_config(&loader.change, None, caller).map(drop)
}

/// Puts a loader with its chunks into a store, in one commit; false when the store has it already.
///
/// # Errors
/// 400 for a loader that a store cannot have and for more chunks than fit, 404 without the store.
pub(in crate::ops) fn adopt_loader(
    app: &App,
    caller: &Caller,
    store: &DocumentStoreId,
    moved: MovedLoader,
) -> Result<bool> {
    let MovedLoader { id, change, synced, chunks } = moved;
    let found = app.store.read(|tx| require_store(tx, &caller.workspace, store))?;
    if found.loader(&id).is_some() {
        return Ok(false);
    }
    let mut plan = change_config(&change, None, caller)?;
    let sends: Vec<_> = credential_destinations::of_loader(&plan.loader).into_iter().collect();
    let known = credential_destinations::of_loaders(&found);
    credential_destinations::check_ahead(app, caller, &sends, &known)?;
    let fresh = files::store_inline_files(app, &caller.workspace, store, &mut plan)?;
    let loader = DocumentLoader { id, plan, synced, chunks: 0, characters: 0, pipeline: None };
    replace_chunks(app, caller, store, loader, &chunks, &|_| false)
        .inspect_err(|error| files::roll_back(app, &caller.workspace, store, &fresh, error))?;
    Ok(true)
}
