//! What the database knows of the history, compared with what is there: which version was the last, and that a list can be
//! given while the repository cannot be read.

use super::error::{HistoryError, Result};
use super::repository::origin;
use super::{History, VERSIONS_LISTED_MAX_COUNT, commits};
use crate::domain::flows::history_mark::HistoryMark;
use crate::domain::flows::version::{Sha, ShaPrefix, Version};
use crate::domain::ids::FlowId;
use gix::ObjectId;
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};

/// What began with [`History::restart`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartResult {
    /// A new history, with no version.
    NewHistory,
    /// The history that is there, as it is.
    Existing,
}

impl History {
    /// Takes what the database knows: `folder` is where the operator put the history, `mark` the newest version that was
    /// recorded and where. A history elsewhere than that is another one.
    #[must_use]
    pub fn with_mark(self, folder: Option<PathBuf>, mark: Option<HistoryMark>) -> Self {
        if let Some(mark) = &mark {
            self.repository.set_holds_versions(mark.folder == folder);
        }
        let mark = mark.filter(|mark| mark.folder == folder);
        Self { operator_folder: folder, ..self }.store_mark(mark)
    }

    fn store_mark(self, mark: Option<HistoryMark>) -> Self {
        *self.lock_mark() = mark;
        self
    }

    /// What the database is to know from now on; `None` before the first version.
    #[must_use]
    pub fn mark(&self) -> Option<HistoryMark> {
        self.lock_mark().clone()
    }

    fn lock_mark(&self) -> MutexGuard<'_, Option<HistoryMark>> {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Judges the commit that a version is to follow: versions that were recorded and do not lead to it were lost, or taken
    /// out by somebody.
    pub(super) fn lost_below(&self, repository: &gix::Repository, parent: ObjectId) -> Result<Vec<Sha>> {
        let Some(mark) = self.mark() else { return Ok(Vec::new()) };
        let tip = commits::object_id(&mark.tip);
        if tip == parent {
            return Ok(mark.lost);
        }
        let (line, is_on_it) = commits::first_parent_line(repository, parent, Some(tip), usize::MAX)?;
        if is_on_it {
            return Ok(mark.lost);
        }
        if !line.last().map_or(Ok(false), |first| origin::is_our_first_commit(repository, *first))? {
            return Err(HistoryError::Foreign);
        }
        tracing::error!(
            target: "flowkeep::history::mark", version = %mark.tip,
            "the version history was put back or rewritten: this version, recorded before, is no part of it any more"
        );
        Ok(mark.with_lost().lost)
    }

    /// Notes that `newest` was recorded, on top of everything but `lost`.
    pub(super) fn note_recorded(&self, newest: Sha, lost: Vec<Sha>) {
        *self.lock_mark() = Some(HistoryMark { folder: self.operator_folder.clone(), tip: newest, lost });
        self.repository.set_holds_versions(true);
    }

    /// Notes a version that turned out to be recorded already.
    pub(super) fn note_found(&self, version: Sha) {
        let mut mark = self.lock_mark();
        if mark.is_none() {
            *mark =
                Some(HistoryMark { folder: self.operator_folder.clone(), tip: version, lost: Vec::new() });
            self.repository.set_holds_versions(true);
        }
    }

    /// Goes on with the history as it is, or begins a new one where it is missing. What the database knew of versions that
    /// are gone is forgotten; nothing in the folder is removed.
    ///
    /// # Errors
    /// When the folder holds something else, or what is there cannot be read.
    pub fn restart(&self) -> Result<RestartResult> {
        self.require_enabled()?;
        let recorder = self.recorder();
        self.repository.close();
        let before = (self.mark(), self.repository.holds_versions());
        *self.lock_mark() = None;
        self.repository.set_holds_versions(false);
        let made = self.create_or_continue();
        if made.is_err() {
            *self.lock_mark() = before.0;
            self.repository.set_holds_versions(before.1);
            self.repository.close();
        }
        drop(recorder);
        made
    }

    fn create_or_continue(&self) -> Result<RestartResult> {
        let was_there = match self.repository.get()? {
            Some(repository) => self.repository.main(&repository)?.is_some(),
            None => false,
        };
        let repository = self.repository.get_or_create()?;
        let tip = self.repository.main(&repository)?.ok_or(HistoryError::Missing)?;
        self.index.clear()?;
        self.index.catch_up(&repository)?;
        self.index.flush()?;
        if was_there {
            self.note_recorded(commits::sha(tip)?, Vec::new());
            return Ok(RestartResult::Existing);
        }
        Ok(RestartResult::NewHistory)
    }

    /// The versions of a flow of which the database knows, whatever the repository says.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn known_versions(&self, flow: &FlowId) -> Result<Vec<Version>> {
        self.if_recorded_here(Vec::new, || self.index.list(flow, VERSIONS_LISTED_MAX_COUNT))
    }

    /// As [`Self::find`], in what the database knows.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn known_version(&self, flow: &FlowId, prefix: &ShaPrefix) -> Result<Option<Version>> {
        self.if_recorded_here(|| None, || self.index.find(flow, prefix))
    }

    /// As [`Self::previous`], in what the database knows.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn known_previous(&self, flow: &FlowId, sha: &Sha) -> Result<Option<Version>> {
        self.if_recorded_here(|| None, || self.index.previous(flow, sha))
    }

    /// As [`Self::last_published`], in what the database knows.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn known_last_published(&self, flow: &FlowId) -> Result<Option<Version>> {
        self.if_recorded_here(|| None, || self.index.last_published(flow))
    }

    fn if_recorded_here<T>(&self, nothing: impl FnOnce() -> T, ask: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.repository.holds_versions() { ask() } else { Ok(nothing()) }
    }
}
