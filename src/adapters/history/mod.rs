//! Every version of every flow, as commits of an ordinary bare git repository (manual 6.1, 6.3, 6.4).
//!
//! Written with gix: no git program, no index, no work tree. What a method returns was on disk before; see
//! `record.rs` for the order of writes. Locks, outermost first: the turn to write ([`History::recorder`]),
//! then the index, then whatever the [`IndexStore`] takes.

mod commits;
mod copy;
mod error;
mod index;
mod layout;
mod mark;
mod message;
mod pack;
mod record;
pub mod remote;
mod repository;
#[cfg(test)]
mod tests;
mod verify;

use crate::domain::flows::history_mark::HistoryMark;
use crate::domain::flows::version::{Sha, ShaPrefix, Version, VersionContent};
use crate::domain::ids::FlowId;
pub use crate::durable::Faults;
use crate::durable::{Access, Tree};
pub use crate::history::index::store::{IndexRow, IndexStore, MemoryIndex};
pub use crate::history::mark::RestartResult;
pub use copy::{PackingHold, RepositoryFiles};
pub use error::HistoryError;
use error::Result;
use index::VersionCache;
pub use pack::RepositorySize;
pub use record::Recorder;
use repository::{ErrorChain, RepositoryHandle, Rights, catch_panic};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;
pub use verify::{VerifyItem, VerifyReport};

/// Most versions a list holds (manual 6.4).
pub(crate) const VERSIONS_LISTED_MAX_COUNT: usize = 200;

/// Most rows of the list of versions that are stored beside something else.
const ROWS_BESIDE_MAX_COUNT: usize = 100;

/// The history of the service. Reads never wait for a version that is being recorded.
pub struct History {
    enabled: bool,
    folder: PathBuf,
    repository: RepositoryHandle,
    recorder_lock: Mutex<()>,
    index: VersionCache,
    /// The versions that were read elsewhere.
    incoming_index: VersionCache,
    waiting: Mutex<Option<remote::WaitingCount>>,
    pack_lock: Mutex<()>,
    /// Those who want every pack to stay where it is, and do not take the turn to pack.
    packing_holds: AtomicUsize,
    last_failure: Mutex<Option<(FlowId, String)>>,
    /// Where the operator put the folder; `None` for its usual place.
    operator_folder: Option<PathBuf>,
    /// What the database knows of the versions here; `None` before the first one.
    mark: Mutex<Option<HistoryMark>>,
}

impl History {
    /// Takes the history in `folder`, which this process must own alone: what a process that is gone left
    /// there half done is removed. The repository is made at first use. A folder that cannot be read is no
    /// error yet: each use tries again.
    #[must_use]
    pub fn open(folder: PathBuf, enabled: bool) -> Self {
        Self::from_tree(Tree::new(folder, Access::Owner), enabled)
    }

    /// As [`Self::open`], for the root of this tree.
    #[must_use]
    pub fn from_tree(tree: Tree, enabled: bool) -> Self {
        // Off, it leaves the folder alone.
        let rights = if enabled { Rights::Write } else { Rights::ReadOnly };
        Self::with_rights(tree, enabled, rights)
    }

    /// As [`Self::open`], to look at only: no file, folder or mode in `folder` changes.
    #[must_use]
    pub fn open_read_only(folder: PathBuf, enabled: bool) -> Self {
        Self::with_rights(Tree::new(folder, Access::Owner), enabled, Rights::ReadOnly)
    }

    fn with_rights(tree: Tree, enabled: bool, rights: Rights) -> Self {
        Self {
            enabled,
            folder: tree.root().to_owned(),
            repository: RepositoryHandle::new(tree, rights),
            recorder_lock: Mutex::default(),
            index: VersionCache::new(Box::<MemoryIndex>::default()),
            incoming_index: remote::new_index(),
            waiting: Mutex::default(),
            pack_lock: Mutex::default(),
            packing_holds: AtomicUsize::new(0),
            last_failure: Mutex::default(),
            operator_folder: None,
            mark: Mutex::default(),
        }
    }

    /// True for a repository that was not made here.
    #[must_use]
    pub fn is_foreign(folder: &Path) -> bool {
        repository::is_foreign(folder)
    }

    /// Keeps the list of versions in `store`, so that a restart walks only what is new.
    #[must_use]
    pub fn with_index(mut self, store: Box<dyn IndexStore>) -> Self {
        self.index = VersionCache::new(store);
        // What cannot be read now shows where it is needed.
        self.repository.set_holds_versions(self.index.has_versions().unwrap_or(true));
        self
    }

    /// Looks whether the history can be read, and tells the log when it cannot; each use tries again.
    pub fn check_readable(&self) {
        if !self.enabled {
            return;
        }
        if let Err(fault) = self.repository.read(|repository| self.repository.main(repository)) {
            tracing::error!(
                target: "flowkeep::history", error = %ErrorChain(&fault),
                "versions are not recorded until the version history can be read; everything else works"
            );
        }
    }

    /// False when history is switched off (manual 6.10): then nothing is recorded and every list is empty.
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Takes the turn to write. Take it before the database transaction whose change it records, so that
    /// versions appear in the order in which Live changed.
    #[must_use]
    pub fn recorder(&self) -> Recorder<'_> {
        Recorder { history: self, _turn: self.recorder_lock.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// The newest versions of a flow, newest first, at most 200. Makes the repository when there is none.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn list(&self, flow: &FlowId) -> Result<Vec<Version>> {
        if self.enabled {
            catch_panic(|| self.repository.get_or_create().map(drop))?;
        }
        self.query_index(Vec::new, |index| index.list(flow, VERSIONS_LISTED_MAX_COUNT))
    }

    /// The newest version of a flow.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn newest(&self, flow: &FlowId) -> Result<Option<Version>> {
        self.query_index(|| None, |index| Ok(index.list(flow, 1)?.pop()))
    }

    /// The one version of a flow whose id starts so; `None` when there is none, or more than one (manual 6.4).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn find(&self, flow: &FlowId, prefix: &ShaPrefix) -> Result<Option<Version>> {
        self.query_index(|| None, |index| index.find(flow, prefix))
    }

    /// The version of the same flow before this one; `None` for the first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn previous(&self, flow: &FlowId, sha: &Sha) -> Result<Option<Version>> {
        self.query_index(|| None, |index| index.previous(flow, sha))
    }

    /// The last Publish or Roll back of a flow (manual 6.4).
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn last_published(&self, flow: &FlowId) -> Result<Option<Version>> {
        self.query_index(|| None, |index| index.last_published(flow))
    }

    /// The version that carries an intent: it was recorded before a crash.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub(crate) fn version_of_intent(&self, intent: &Uuid) -> Result<Option<Version>> {
        self.query_index(|| None, |index| index.of_intent(intent))
    }

    /// What a version of a flow holds; `None` when another tool left something there that is no flow.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn content(&self, flow: &FlowId, version: &Version) -> Result<Option<VersionContent>> {
        self.require_enabled()?;
        let read = self.repository.read(|repository| commits::content(repository, version, flow))?;
        Ok(read.flatten())
    }

    /// The newest versions of all flows, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn log(&self, limit: usize) -> Result<Vec<(FlowId, Version)>> {
        self.require_enabled()?;
        let read = self.repository.read(|repository| {
            let Some(tip) = self.repository.main(repository)? else { return Ok(Vec::new()) };
            let mut versions = Vec::new();
            for commit in commits::first_parent_line(repository, tip, None, limit)?.0 {
                let rows = commits::version_rows(repository, commit)?;
                versions.extend(rows.into_iter().map(|(flow, told)| (flow, told.version)));
            }
            versions.truncate(limit);
            Ok(versions)
        })?;
        Ok(read.unwrap_or_default())
    }

    /// Why the last version that could not be recorded since start was not, when it was this flow's (manual 6.4).
    #[must_use]
    pub fn last_error(&self, flow: &FlowId) -> Option<String> {
        let failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().filter(|(failed, _)| failed == flow).map(|(_, reason)| reason.clone())
    }

    /// Why the last version that could not be recorded since start was not, of whatever flow.
    #[must_use]
    pub fn last_failure(&self) -> Option<String> {
        let failure = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map(|(_, reason)| reason.clone())
    }

    /// How many versions the history holds, of all flows; the commit that only begins it is none.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn count(&self) -> Result<usize> {
        self.query_index(|| 0, |index| Ok(index.count_commits()?.saturating_sub(1)))
    }

    /// The folder of the repository.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes what the list of versions holds in memory only to its store: before shutdown, and by the task
    /// that calls [`Self::maintain`]. Skipping it costs the next start a walk over those versions.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn flush_index(&self) -> Result<()> {
        self.index.flush()
    }

    /// Hands what the list of versions holds in memory only to `put`, which stores it beside something of its own, all or
    /// nothing. After a long walk there is too much for that, and nothing is handed over.
    ///
    /// # Errors
    /// What `put` returns.
    pub fn flush_index_with<T>(
        &self,
        put: impl FnOnce(&[IndexRow]) -> crate::domain::error::Result<T>,
    ) -> crate::domain::error::Result<T> {
        self.index.flush_with(ROWS_BESIDE_MAX_COUNT, put)
    }

    /// Throws the list of versions away; the next use makes it anew from git.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn clear_index(&self) -> Result<()> {
        self.index.clear()
    }

    /// The seam for tests: faults at the n-th step that touches the disk.
    #[doc(hidden)]
    #[must_use]
    pub fn faults(&self) -> &Faults {
        self.repository.tree.faults()
    }

    fn require_enabled(&self) -> Result<()> {
        if self.enabled { Ok(()) } else { Err(HistoryError::Off) }
    }

    /// Asks the index, brought up to date first.
    fn query_index<T>(
        &self,
        nothing: impl FnOnce() -> T,
        ask: impl FnOnce(&VersionCache) -> Result<T>,
    ) -> Result<T> {
        if !self.enabled || self.repository.read(|repository| self.catch_up(repository))?.is_none() {
            return Ok(nothing());
        }
        ask(&self.index)
    }

    fn catch_up(&self, repository: &gix::Repository) -> Result<()> {
        self.repository.main(repository)?;
        self.index.catch_up(repository)
    }
}
