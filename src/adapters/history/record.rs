//! From a change to a commit on `main`: objects in memory, flushed to disk, then the branch moved.

use super::error::{HistoryError, Result};
use super::repository::objects::ObjectBatch;
use super::repository::sweep::sweep;
use super::repository::{ErrorChain, signature};
use super::repository::{checked_read, refs, tree};
use super::{History, commits, layout, message};
use crate::domain::flows::version::{NewVersion, SYSTEM_AUTHOR, Version, VersionContent};
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
    /// Any [`HistoryError`]. After [`HistoryError::Unconfirmed`] the version is on the branch, and whether the disk keeps
    /// that nobody knows until [`Self::record_once`] saw to it; what else was written is harmless, and the next version is
    /// recorded as usual.
    pub fn record(&self, change: &NewVersion) -> Result<Version> {
        let flow = change.content.flow();
        let recorded = self.history.require_enabled().and_then(|()| match self.commit(change) {
            // Another tool may have changed the packs since the repository was opened. Nothing has moved yet.
            Err(fault) if fault.is_transient() => {
                self.history.repository.close();
                self.commit(change)
            }
            other => other,
        });
        // The branch may have moved all the same, and perhaps the disk keeps it now.
        let recorded = recorded.or_else(|fault| match self.find_recorded(&change.intent) {
            Ok(Some(version)) => Ok(version),
            Err(unsure @ HistoryError::Unconfirmed(_)) => Err(unsure),
            Ok(None) | Err(_) => Err(fault),
        });
        if let Err(fault) = &recorded {
            tracing::warn!(
                target: "flowkeep::history::record",
                flow = %flow, error = %ErrorChain(fault),
                "a version was not recorded"
            );
            *self.history.last_failure.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((flow, fault.to_string()));
            self.history.repository.close();
            sweep(&self.history.folder, refs::LOCK_STALE);
        }
        recorded
    }

    /// Records the version of an intent that may have been recorded before (after a crash, after a failure).
    ///
    /// # Errors
    /// As [`Self::record`].
    pub fn record_once(&self, change: &NewVersion) -> Result<Version> {
        match self.find_recorded(&change.intent)? {
            Some(version) => Ok(version),
            None => self.record(change),
        }
    }

    /// The version of an intent that is on the branch, once the disk keeps it there.
    ///
    /// # Errors
    /// [`HistoryError::Unconfirmed`] when the disk does not; any other when the history cannot be read.
    pub fn find_recorded(&self, intent: &Uuid) -> Result<Option<Version>> {
        let Some(version) = self.history.version_of_intent(intent)? else { return Ok(None) };
        self.history.repository.confirm_main().map_err(|fault| HistoryError::Unconfirmed(Box::new(fault)))?;
        self.history.note_found(version.sha);
        Ok(Some(version))
    }

    fn commit(&self, change: &NewVersion) -> Result<Version> {
        let place = &self.history.repository;
        let repository = place.get_or_create()?;
        // Held from the first look on, so that no other program can make this version be built again and again.
        let main = refs::lock_main(&place.tree, &repository)?;
        let parent = main.tip.ok_or(HistoryError::corrupt("main is gone"))?;
        let lost = self.history.lost_below(&repository, parent)?;
        let mut batch = ObjectBatch::default();
        let commit = build_commit(&mut batch, &repository, parent, change)?;
        let bytes = batch.get(commit).ok_or(HistoryError::corrupt("the new commit is gone"))?;
        let summary = commits::read_commit(commit, bytes)?;
        place.move_main(main, batch, commit)?;
        self.history.note_recorded(summary.version.sha, lost);
        self.history.index.append_version(parent, commit, change.content.flow(), &summary);
        Ok(summary.version)
    }
}

/// Builds the objects of a version in memory; the id of its commit.
fn build_commit(
    batch: &mut ObjectBatch,
    repository: &gix::Repository,
    parent: ObjectId,
    change: &NewVersion,
) -> Result<ObjectId> {
    let before = checked_read::commit(repository, parent)?;
    let root = before.tree_id()?.detach();
    // No version is dated before the one it follows, also when the clock was set back.
    let of_before = before.time().ok().and_then(|time| Timestamp::from_second(time.seconds).ok());
    let date = of_before.map_or(change.date, |before| before.max(change.date));
    let path = layout::path(&change.content.flow());
    let path = path.each_ref().map(String::as_str);
    let tree = tree::replace_folder(batch, repository, Some(root), &path, &mut |batch, mut folder| {
        let VersionContent::Flow(snapshot) = &change.content else { return Ok(gix::objs::Tree::empty()) };
        let files = [
            (layout::FLOW_FILE, Some(layout::flow_text(snapshot))),
            (layout::CANVAS_FILE, Some(snapshot.canvas.clone().into_bytes())),
            (layout::REFERENCES_FILE, layout::references_text(snapshot)),
            (layout::ASSISTANT_FILE, layout::assistant_text(snapshot)),
        ];
        for (name, text) in files {
            let old = folder.entries.iter().find(|entry| entry.filename == name).map(|entry| entry.oid);
            let id = text.map(|text| batch.add_blob(text, old)).transpose()?;
            tree::set_entry(&mut folder, name, EntryKind::Blob, id);
        }
        Ok(folder)
    })?;
    let tree = match tree {
        Some(tree) => tree,
        None => batch.add_object(&gix::objs::Tree::empty())?,
    };
    let (name, address) = message::author(&change.author);
    batch.add_object(&Commit {
        tree,
        parents: std::iter::once(parent).collect(),
        author: signature(&name, &address, date),
        committer: signature(SYSTEM_AUTHOR, message::SERVICE_ADDRESS, date),
        encoding: None,
        message: message::compose(change).into(),
        extra_headers: Vec::new(),
    })
}
