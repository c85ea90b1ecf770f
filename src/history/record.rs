//! From a change to a commit on `main`: objects in memory, flushed to disk, then the branch moved.

use super::error::{HistoryError, Result};
use super::objects::Batch;
use super::repository::{Causes, signature};
use super::sweep::sweep;
use super::{History, commits, layout, message, reading, refs, tree};
use crate::domain::version::{Change, Content, SYSTEM_AUTHOR, Version};
use gix::ObjectId;
use gix::objs::Commit;
use gix::objs::tree::EntryKind;
use jiff::Timestamp;
use std::sync::{MutexGuard, PoisonError};
use uuid::Uuid;

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
    /// Any [`HistoryError`]. After [`HistoryError::Unsure`] the version is on the branch, and whether the disk keeps that
    /// nobody knows until [`Self::complete`] saw to it; what else was written is harmless, and the next version is recorded as usual.
    pub fn record(&self, change: &Change) -> Result<Version> {
        let flow = change.content.flow();
        let recorded = self.history.when_on().and_then(|()| match self.commit(change) {
            // Another tool may have changed the packs since the repository was opened. Nothing has moved yet.
            Err(fault) if fault.may_pass() => {
                self.history.place.forget();
                self.commit(change)
            }
            other => other,
        });
        // The branch may have moved all the same, and perhaps the disk keeps it now.
        let recorded = recorded.or_else(|fault| match self.kept(&change.intent) {
            Ok(Some(version)) => Ok(version),
            Err(unsure @ HistoryError::Unsure(_)) => Err(unsure),
            Ok(None) | Err(_) => Err(fault),
        });
        if let Err(fault) = &recorded {
            tracing::warn!(flow = %flow, error = %Causes(fault), "a version was not recorded");
            *self.history.last_failure.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((flow, fault.to_string()));
            self.history.place.forget();
            sweep(&self.history.folder, refs::LOCK_STALE);
        }
        recorded
    }

    /// Records the version of an intent that may have been recorded before (after a crash, after a failure).
    ///
    /// # Errors
    /// As [`Self::record`].
    pub fn complete(&self, change: &Change) -> Result<Version> {
        match self.kept(&change.intent)? {
            Some(version) => Ok(version),
            None => self.record(change),
        }
    }

    /// The version of an intent that is on the branch, once the disk keeps it there.
    ///
    /// # Errors
    /// [`HistoryError::Unsure`] when the disk does not; any other when the history cannot be read.
    pub fn kept(&self, intent: &Uuid) -> Result<Option<Version>> {
        let Some(version) = self.history.version_of_intent(intent)? else { return Ok(None) };
        self.history.place.keep_main().map_err(|fault| HistoryError::Unsure(Box::new(fault)))?;
        self.history.note_found(version.sha);
        Ok(Some(version))
    }

    fn commit(&self, change: &Change) -> Result<Version> {
        let place = &self.history.place;
        let repository = place.get_or_make()?;
        // Held from the first look on, so that no other program can make this version be built again and again.
        let main = refs::hold_main(&place.tree, &repository)?;
        let parent = main.tip.ok_or(HistoryError::damaged("main is gone"))?;
        let lost = self.history.lost_below(&repository, parent)?;
        let mut batch = Batch::default();
        let commit = build(&mut batch, &repository, parent, change)?;
        let bytes = batch.get(commit).ok_or(HistoryError::damaged("the new commit is gone"))?;
        let told = commits::told(commit, bytes)?;
        place.move_main(main, batch, commit)?;
        self.history.note_recorded(told.version.sha, lost);
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
    let before = reading::commit(repository, parent)?;
    let root = before.tree_id()?.detach();
    // No version is dated before the one it follows, also when the clock was set back.
    let of_before = before.time().ok().and_then(|time| Timestamp::from_second(time.seconds).ok());
    let date = of_before.map_or(change.date, |before| before.max(change.date));
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
        author: signature(&name, &address, date),
        committer: signature(SYSTEM_AUTHOR, message::SERVICE_ADDRESS, date),
        encoding: None,
        message: message::compose(change).into(),
        extra_headers: Vec::new(),
    })
}
