//! What was read elsewhere, as versions of flows.

use crate::domain::flows::version::{Version, VersionContent};
use crate::domain::ids::FlowId;
use crate::history::error::Result;
use crate::history::index::VersionCache;
use crate::history::repository::refs::{self, INCOMING};
use crate::history::{History, MemoryIndex, commits};

/// The list of these versions. It is in memory: a restart walks what was read once.
pub(in crate::history) fn new_index() -> VersionCache {
    VersionCache::of(&INCOMING, Box::<MemoryIndex>::default())
}

impl History {
    /// The newest version of each flow in what was read, newest first.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming_newest(&self) -> Result<Vec<(FlowId, Version)>> {
        self.ask_incoming(VersionCache::newest_of_each)
    }

    /// The versions of one flow in what was read, newest first, at most `limit`.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming_versions(&self, flow: &FlowId, limit: usize) -> Result<Vec<Version>> {
        self.ask_incoming(|index| index.list(flow, limit))
    }

    /// What a version of a flow in what was read holds, judged as a stranger's file; `None` when it is no flow, or another
    /// one than its place says.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn incoming_content(&self, flow: &FlowId, version: &Version) -> Result<Option<VersionContent>> {
        self.require_enabled()?;
        let read = self.repository.read(|repository| {
            if commits::names_another_flow(repository, version, flow)? {
                return Ok(None);
            }
            commits::content(repository, version, flow)
        })?;
        Ok(read.flatten())
    }

    fn ask_incoming<T>(&self, ask: impl Fn(&VersionCache) -> Result<Vec<T>>) -> Result<Vec<T>> {
        if !self.enabled {
            return Ok(Vec::new());
        }
        let read = self.repository.read(|repository| {
            self.incoming_index.catch_up(repository)?;
            if refs::read(repository, &INCOMING)?.is_none() {
                return Ok(Vec::new());
            }
            ask(&self.incoming_index)
        })?;
        Ok(read.unwrap_or_default())
    }
}
