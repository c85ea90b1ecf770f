//! Whether a workspace has room for more, where the owner of the service bounds it (manual 5.17).
//!
//! What is in the database is counted from what is there, in the transaction of the change that would add to it. Files are counted
//! in the turn of whoever stores one, so that two that come at once do not pass together.

use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, WorkspaceId};
use crate::domain::knowledge::collection::Collection;
use crate::domain::workspace::quota::{QuotaKind, WorkspaceQuota, WorkspaceUse};
use crate::ops::predictions::consumption;
use crate::store::Tx;
use crate::store::queries::collections;
use crate::store::tables::{DOCUMENT_STORES, FLOWS, WORKSPACES};
use std::sync::{MutexGuard, PoisonError};

/// What a workspace may hold and use.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn of(tx: &impl Tx, workspace: &WorkspaceId) -> Result<WorkspaceQuota> {
    Ok(WORKSPACES.get(tx, workspace)?.and_then(|found| found.quota).unwrap_or_default())
}

/// Refuses `more` flows, in the transaction that adds them, or ahead of it.
///
/// # Errors
/// 409.
pub(in crate::ops) fn admit_flows(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    quota: &WorkspaceQuota,
    more: usize,
) -> Result<()> {
    if quota.flows.is_none() || more == 0 {
        return Ok(());
    }
    Ok(quota.admit(QuotaKind::Flows, FLOWS.count(tx, workspace)? as u64, more as u64)?)
}

/// How much is in one document store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::ops) struct StoreContent {
    pub chunks: usize,
    pub characters: usize,
}

/// Refuses a document store that grows, in the transaction in which it does.
///
/// # Errors
/// 409.
pub(in crate::ops) fn admit_store(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    store: &DocumentStoreId,
    before: StoreContent,
    after: StoreContent,
) -> Result<()> {
    if after.chunks <= before.chunks && after.characters <= before.characters {
        return Ok(());
    }
    let quota = of(tx, workspace)?;
    if quota.chunks.is_none() && quota.characters.is_none() {
        return Ok(());
    }
    let others = content_of_stores(tx, workspace, Some(store))?;
    let more = |before: usize, after: usize| after.saturating_sub(before) as u64;
    let used = |others: usize, before: usize| (others + before) as u64;
    quota.admit(QuotaKind::Chunks, used(others.chunks, before.chunks), more(before.chunks, after.chunks))?;
    let (before, after) = (before.characters, after.characters);
    Ok(quota.admit(QuotaKind::Characters, used(others.characters, before), more(before, after))?)
}

fn content_of_stores(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    but: Option<&DocumentStoreId>,
) -> Result<StoreContent> {
    let mut all = StoreContent::default();
    for store in DOCUMENT_STORES.list(tx, workspace)?.iter().filter(|store| Some(&store.id) != but) {
        all.chunks += store.chunks;
        all.characters += store.characters;
    }
    Ok(all)
}

/// Refuses a collection of vectors that grows, in the transaction in which it does.
///
/// # Errors
/// 409.
pub(in crate::ops) fn admit_collection(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    before: Option<&Collection>,
    after: &Collection,
) -> Result<()> {
    let rows_before = before.map_or(0, |head| head.rows);
    if after.rows <= rows_before {
        return Ok(());
    }
    let quota = of(tx, workspace)?;
    if quota.vectors.is_none() {
        return Ok(());
    }
    let more = after.rows.saturating_sub(rows_before) as u64;
    Ok(quota.admit(QuotaKind::Vectors, vectors(tx, workspace)?, more)?)
}

fn vectors(tx: &impl Tx, workspace: &WorkspaceId) -> Result<u64> {
    Ok(collections::heads(tx, workspace)?.iter().map(|(_, head)| head.rows as u64).sum())
}

/// Room for a file, until this is dropped, which is when the file is stored or was not.
#[must_use]
pub(in crate::ops) struct FileRoom<'a>(
    #[allow(dead_code, reason = "it is kept until the file is stored")] Option<MutexGuard<'a, ()>>,
);

/// Refuses a file of so many bytes. Nobody waits where files are not bounded.
///
/// # Errors
/// 507; when the folder cannot be read.
pub(in crate::ops) fn admit_file<'a>(
    app: &'a App,
    workspace: &WorkspaceId,
    bytes: u64,
) -> Result<FileRoom<'a>> {
    let quota = app.flow_cache.quota(app, workspace)?;
    if quota.file_bytes.is_none() {
        return Ok(FileRoom(None));
    }
    let turn = app.state.file_turn.lock().unwrap_or_else(PoisonError::into_inner);
    quota.admit(QuotaKind::FileBytes, file_bytes(app, workspace)?, bytes)?;
    Ok(FileRoom(Some(turn)))
}

fn file_bytes(app: &App, workspace: &WorkspaceId) -> Result<u64> {
    let of_chats = app.chat_files.bytes_of(workspace).map_err(Error::internal)?;
    let of_flows = app.files.bytes_of(workspace).map_err(Error::internal)?;
    let of_pipelines = app.pipeline_files.bytes_of(workspace).map_err(Error::internal)?;
    Ok(of_chats.saturating_add(of_flows).saturating_add(of_pipelines))
}

/// All that a workspace holds, and what was used today.
///
/// # Errors
/// When it cannot be read.
pub(in crate::ops) fn current_use(app: &App, workspace: &WorkspaceId) -> Result<WorkspaceUse> {
    let file_bytes = file_bytes(app, workspace)?;
    let today = consumption::of_workspace_today(app, workspace)?;
    app.store.read(|tx| {
        let content = content_of_stores(tx, workspace, None)?;
        Ok(WorkspaceUse {
            flows: FLOWS.count(tx, workspace)? as u64,
            chunks: content.chunks as u64,
            characters: content.characters as u64,
            vectors: vectors(tx, workspace)?,
            file_bytes,
            today,
        })
    })
}
