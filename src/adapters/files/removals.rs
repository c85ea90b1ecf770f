//! Removing stored files, and holding that off: whoever copies all of them wants none to go meanwhile.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Shared by all rooms of files: those who remove hold it together, who copies holds it alone.
#[derive(Debug, Clone, Default)]
pub struct RemovalLock(Arc<RwLock<()>>);

impl RemovalLock {
    /// The turn to remove something. It is not taken twice by one thread.
    pub(super) fn turn(&self) -> RwLockReadGuard<'_, ()> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets nobody remove a file until what is returned is dropped. Whoever removes waits for that.
    pub(super) fn hold(&self) -> RwLockWriteGuard<'_, ()> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
