//! What is known here of the repository elsewhere: the version that was copied last, and the newest that was read. Two
//! references beside the branches, so that git keeps what they lead to.

use crate::domain::flows::version::Sha;
use crate::history::History;
use crate::history::commits;
use crate::history::error::{HistoryError, Result};
use crate::history::repository::refs::{self, COPIED, INCOMING, ReferenceName};
use gix::ObjectId;
use std::sync::PoisonError;

/// How many versions wait to be copied, as it was counted last.
#[derive(Debug, Clone, Copy)]
pub(in crate::history) struct WaitingCount {
    copied: ObjectId,
    tip: ObjectId,
    count: Option<usize>,
}

impl History {
    /// The version that was copied last (`refs/versions/github`).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn copied(&self) -> Result<Option<Sha>> {
        self.reference(&COPIED)
    }

    /// The tip of what was read (`refs/versions/incoming`).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming(&self) -> Result<Option<Sha>> {
        self.reference(&INCOMING)
    }

    fn reference(&self, name: &'static ReferenceName) -> Result<Option<Sha>> {
        if !self.enabled {
            return Ok(None);
        }
        let id = self.repository.read(|repository| refs::read(repository, name))?.flatten();
        id.map(commits::sha).transpose()
    }

    /// How many versions of `main` are not copied yet; `None` when that cannot be counted, because what was copied is no
    /// part of `main` any more. The commit that begins the history is no version.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn count_waiting(&self) -> Result<Option<usize>> {
        self.require_enabled()?;
        let counted = self.repository.read(|repository| {
            let Some(tip) = self.repository.main(repository)? else { return Ok(Some(0)) };
            match refs::read(repository, &COPIED)? {
                Some(copied) => self.count_above(repository, copied, tip),
                None => {
                    self.catch_up(repository)?;
                    Ok(Some(self.index.count_commits()?.saturating_sub(1)))
                }
            }
        })?;
        Ok(counted.unwrap_or(Some(0)))
    }

    /// How many commits stand above `copied`. Counted on from what was counted before.
    fn count_above(
        &self,
        repository: &gix::Repository,
        copied: ObjectId,
        tip: ObjectId,
    ) -> Result<Option<usize>> {
        let last = *self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.filter(|last| last.copied == copied);
        if let Some(last) = last.filter(|last| last.tip == tip) {
            return Ok(last.count);
        }
        // From where it was counted last, if `main` still leads there.
        let known = last.and_then(|last| Some((last.tip, last.count?))).unwrap_or((copied, 0));
        let (line, met) = commits::first_parent_line(repository, tip, Some(known.0), usize::MAX)?;
        let count = if met {
            Some(known.1 + line.len())
        } else if known.0 == copied {
            None
        } else {
            let (line, met) = commits::first_parent_line(repository, tip, Some(copied), usize::MAX)?;
            met.then_some(line.len())
        };
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(WaitingCount { copied, tip, count });
        Ok(count)
    }

    /// Forgets what was copied and what was read: both references go.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub fn forget_remote(&self) -> Result<()> {
        self.require_enabled()?;
        let Some(repository) = self.repository.get()? else { return Ok(()) };
        for name in [&COPIED, &INCOMING] {
            let held = refs::lock(&self.repository.tree, &repository, name)?;
            if held.tip.is_some() {
                held.remove()?;
            }
        }
        Ok(())
    }

    /// Moves a note from where it was seen; false when it is not there any more.
    pub(super) fn move_note(
        &self,
        repository: &gix::Repository,
        name: &'static ReferenceName,
        seen: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<bool, HistoryError> {
        let held = refs::lock(&self.repository.tree, repository, name)?;
        if held.tip == Some(new) && seen == held.tip {
            // It says so already, but the process that wrote it may not have seen it on disk.
            held.rewrite()?;
            return Ok(true);
        }
        if held.tip != seen {
            return Ok(false);
        }
        held.set(new)?;
        Ok(true)
    }
}
