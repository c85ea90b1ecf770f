//! From a change to a commit on `main`: objects in memory, flushed to disk, then the branch moved.

use super::error::{HistoryError, Result};
use super::objects::Batch;
use super::repository::{Causes, signature};
use super::{History, commits, disk, layout, message, refs, tree};
use crate::domain::version::{Change, Content, SYSTEM_AUTHOR, Version};
use gix::ObjectId;
use gix::objs::Commit;
use gix::objs::tree::EntryKind;
use std::sync::{MutexGuard, PoisonError};

/// The turn to write: versions appear in the order in which recorders were handed out. Taken before a
/// database transaction, never inside one.
pub struct Recorder<'a> {
    pub(super) history: &'a History,
    pub(super) _turn: MutexGuard<'a, ()>,
}

impl Recorder<'_> {
    /// Records a version. It is on disk when this returns.
    ///
    /// # Errors
    /// Any [`HistoryError`]. The version may then be in the history nevertheless (its last flush failed), which
    /// [`Self::complete`] finds out; what else was written is harmless, and the next version is recorded as usual.
    pub fn record(&self, change: &Change) -> Result<Version> {
        let flow = change.content.flow();
        let recorded = self.history.when_on().and_then(|()| match self.commit(change) {
            // Another tool may have changed the packs since the repository was opened. Nothing has moved yet.
            Err(HistoryError::Repository(_)) => {
                self.history.place.forget();
                self.commit(change)
            }
            other => other,
        });
        if let Err(fault) = &recorded {
            tracing::warn!(flow = %flow, error = %Causes(fault), "a version was not recorded");
            *self.history.last_failure.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((flow, fault.to_string()));
            self.history.place.forget();
            disk::sweep(&self.history.folder, refs::LOCK_STALE);
        }
        recorded
    }

    /// Records the version of an intent that may have been recorded before (after a crash, after a failure).
    ///
    /// # Errors
    /// As [`Self::record`].
    pub fn complete(&self, change: &Change) -> Result<Version> {
        match self.history.version_of_intent(&change.intent)? {
            Some(version) => Ok(version),
            None => self.record(change),
        }
    }

    fn commit(&self, change: &Change) -> Result<Version> {
        let place = &self.history.place;
        let repository = place.get_or_make()?;
        // Held from the first look on, so that no other program can make this version be built again and again.
        let main = refs::hold_main(&place.disk, &repository)?;
        let parent = main.tip.ok_or(HistoryError::damaged("main is gone"))?;
        let mut batch = Batch::default();
        let commit = build(&mut batch, &repository, parent, change)?;
        let bytes = batch.get(commit).ok_or(HistoryError::damaged("the new commit is gone"))?;
        let told = commits::told(commit, bytes)?;
        main.move_to(&repository, batch, commit)?;
        self.history.index.follow(parent, commit, change.content.flow(), &told);
        Ok(told.version)
    }
}

/// Builds the objects of a version in memory; the id of its commit.
fn build(
    batch: &mut Batch,
    repository: &gix::Repository,
    parent: ObjectId,
    change: &Change,
) -> Result<ObjectId> {
    let root = repository.find_object(parent)?.try_into_commit()?.tree_id()?.detach();
    let path = layout::path(&change.content.flow());
    let path = path.each_ref().map(String::as_str);
    let tree = tree::replace(batch, repository, Some(root), &path, &mut |batch, mut folder| {
        let Content::Flow(snapshot) = &change.content else { return Ok(gix::objs::Tree::empty()) };
        let canvas = snapshot.canvas.clone().into_bytes();
        for (name, text) in [(layout::FLOW_FILE, layout::flow_text(snapshot)), (layout::CANVAS_FILE, canvas)]
        {
            let old = folder.entries.iter().find(|entry| entry.filename == name).map(|entry| entry.oid);
            let id = batch.blob(text, old)?;
            tree::set(&mut folder, name, EntryKind::Blob, Some(id));
        }
        Ok(folder)
    })?;
    let tree = match tree {
        Some(tree) => tree,
        None => batch.object(&gix::objs::Tree::empty())?,
    };
    let (name, address) = message::author(&change.author);
    batch.object(&Commit {
        tree,
        parents: std::iter::once(parent).collect(),
        author: signature(&name, &address, change.date),
        committer: signature(SYSTEM_AUTHOR, message::SERVICE_ADDRESS, change.date),
        encoding: None,
        message: message::compose(change).into(),
        extra_headers: Vec::new(),
    })
}
