//! Every version of every flow, as commits of an ordinary bare git repository (spec 2.7, 4.3, contract 7).
//!
//! Written with gix: no git program, no index, no work tree. What a method returns was on disk before; see
//! `record.rs` for the order of writes. Locks, outermost first: the turn to write ([`History::recorder`]),
//! then the index, then whatever the [`IndexStore`] takes.

mod cache;
mod commits;
mod delta;
mod disk;
mod error;
mod faults;
mod index;
mod index_store;
mod layout;
mod message;
mod objects;
mod pack;
mod plan;
mod record;
mod refs;
mod repository;
#[cfg(test)]
mod tests;
mod tree;
mod verify;

pub use error::HistoryError;
pub use faults::Faults;
pub use index_store::{IndexRow, IndexStore, MemoryIndex};
pub use record::Recorder;
pub use verify::{Found, Soundness};

use crate::domain::ids::FlowId;
use crate::domain::version::{Content, Sha, ShaPrefix, Version};
use error::Result;
use index::Index;
use repository::Place;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;

/// Most versions a list holds (spec 4.3).
pub const VERSIONS_LISTED_MAX_COUNT: usize = 200;

/// The history of the house. Reads never wait for a version that is being recorded.
pub struct History {
    enabled: bool,
    folder: PathBuf,
    place: Place,
    turn: Mutex<()>,
    index: Index,
    packing: Mutex<()>,
    last_failure: Mutex<Option<(FlowId, String)>>,
}

impl History {
    /// Takes the history in `folder`, which this process must own alone: what a process that is gone left
    /// there half done is removed. The repository is made at first use. A folder that cannot be read is no
    /// error yet: each use tries again.
    #[must_use]
    pub fn open(folder: PathBuf, enabled: bool) -> Self {
        Self {
            enabled,
            place: Place::new(folder.clone(), enabled),
            folder,
            turn: Mutex::default(),
            index: Index::new(Box::<MemoryIndex>::default()),
            packing: Mutex::default(),
            last_failure: Mutex::default(),
        }
    }

    /// Keeps the list of versions in `store`, so that a restart walks only what is new.
    #[must_use]
    pub fn with_index(mut self, store: Box<dyn IndexStore>) -> Self {
        self.index = Index::new(store);
        self
    }

    /// False when history is switched off (spec 8): then nothing is recorded and every list is empty.
    #[must_use]
    pub const fn enabled(&self) -> bool {
        self.enabled
    }

    /// Takes the turn to write. Take it before the database transaction whose change it records, so that
    /// versions appear in the order in which Live changed.
    #[must_use]
    pub fn recorder(&self) -> Recorder<'_> {
        Recorder { history: self, _turn: self.turn.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// The newest versions of a flow, newest first, at most 200. Makes the repository when there is none.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn list(&self, flow: &FlowId) -> Result<Vec<Version>> {
        if self.enabled {
            self.place.get_or_make()?;
        }
        self.indexed(Vec::new, |index| index.list(flow, VERSIONS_LISTED_MAX_COUNT))
    }

    /// The newest version of a flow.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn newest(&self, flow: &FlowId) -> Result<Option<Version>> {
        self.indexed(|| None, |index| Ok(index.list(flow, 1)?.pop()))
    }

    /// The one version of a flow whose id starts so; `None` when there is none, or more than one (spec 4.3).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn find(&self, flow: &FlowId, prefix: &ShaPrefix) -> Result<Option<Version>> {
        self.indexed(|| None, |index| index.find(flow, prefix))
    }

    /// The version of the same flow before this one; `None` for the first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn previous(&self, flow: &FlowId, sha: &Sha) -> Result<Option<Version>> {
        self.indexed(|| None, |index| index.previous(flow, sha))
    }

    /// The last Publish or Roll back of a flow (spec 4.3 r2).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn last_published(&self, flow: &FlowId) -> Result<Option<Version>> {
        self.indexed(|| None, |index| index.last_published(flow))
    }

    /// The version that carries an intent: it was recorded before a crash.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn version_of_intent(&self, intent: &Uuid) -> Result<Option<Version>> {
        self.indexed(|| None, |index| index.of_intent(intent))
    }

    /// What a version of a flow holds; `None` when another tool left something there that is no flow.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn content(&self, flow: &FlowId, version: &Version) -> Result<Option<Content>> {
        self.when_on()?;
        let read = self.place.read(|repository| commits::content(repository, version, flow))?;
        Ok(read.flatten())
    }

    /// The newest versions of all flows, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn log(&self, limit: usize) -> Result<Vec<(FlowId, Version)>> {
        self.when_on()?;
        let read = self.place.read(|repository| {
            let Some(tip) = refs::main(repository)? else { return Ok(Vec::new()) };
            let mut versions = Vec::new();
            for commit in commits::line(repository, tip, None, limit)?.0 {
                let rows = commits::rows(repository, commit)?;
                versions.extend(rows.into_iter().map(|(flow, told)| (flow, told.version)));
            }
            versions.truncate(limit);
            Ok(versions)
        })?;
        Ok(read.unwrap_or_default())
    }

    /// Why the last version that could not be recorded since start was not, when it was this flow's (spec 4.3 r2).
    #[must_use]
    pub fn last_error(&self, flow: &FlowId) -> Option<String> {
        let failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().filter(|(failed, _)| failed == flow).map(|(_, reason)| reason.clone())
    }

    /// Writes what the list of versions holds in memory only to its store: before shutdown, and by the task
    /// that calls [`Self::maintain`]. Skipping it costs the next start a walk over those versions.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn store_index(&self) -> Result<()> {
        self.index.store()
    }

    /// Throws the list of versions away; the next use makes it anew from git.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn forget_index(&self) -> Result<()> {
        self.index.forget()
    }

    /// The seam for tests: faults at the n-th step that touches the disk.
    #[doc(hidden)]
    #[must_use]
    pub const fn faults(&self) -> &Faults {
        &self.place.disk.faults
    }

    fn when_on(&self) -> Result<()> {
        if self.enabled { Ok(()) } else { Err(HistoryError::Off) }
    }

    /// Asks the index, brought up to date first.
    fn indexed<T>(&self, nothing: impl FnOnce() -> T, ask: impl FnOnce(&Index) -> Result<T>) -> Result<T> {
        if !self.enabled || self.place.read(|repository| self.index.catch_up(repository))?.is_none() {
            return Ok(nothing());
        }
        ask(&self.index)
    }
}
