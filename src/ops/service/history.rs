//! The history that belongs to a database: opened with what the database knows of it, and that kept up to date.

use crate::domain::error::Result;
use crate::durable::Tree;
use crate::history::History;
use crate::ops::flows::version_index::VersionIndex;
use crate::settings::Settings;
use crate::store::tables::{HISTORY_MARK, HISTORY_MARK_KEY};
use crate::store::{Store, WriteTx};
use std::path::PathBuf;
use std::sync::Arc;

/// The history of the service in `folder`, which this process owns.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn open(folder: Tree, settings: &Settings, store: &Arc<Store>) -> Result<History> {
    attach_index(History::from_tree(folder, settings.history), settings, store)
}

/// As [`open`], to look at only.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_read_only(settings: &Settings, store: &Arc<Store>) -> Result<History> {
    attach_index(History::open_read_only(folder(settings), settings.history), settings, store)
}

fn folder(settings: &Settings) -> PathBuf {
    settings.versions_dir.clone().unwrap_or_else(|| settings.data_dir.join("versions"))
}

fn attach_index(history: History, settings: &Settings, store: &Arc<Store>) -> Result<History> {
    let mark = store.read(|tx| HISTORY_MARK.get(tx, HISTORY_MARK_KEY))?;
    let index = Box::new(VersionIndex::new(store.clone()));
    Ok(history.with_index(index).with_mark(settings.versions_dir.clone(), mark))
}

/// Lets the database know how far the history goes.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn record_mark(tx: &WriteTx, history: &History) -> Result<()> {
    match history.mark() {
        Some(mark) => HISTORY_MARK.put(tx, HISTORY_MARK_KEY, &mark),
        None => HISTORY_MARK.remove(tx, HISTORY_MARK_KEY).map(drop),
    }
}
