//! A check while others look at it.

use crate::base::cancel::CancelToken;
use crate::domain::checks::check::Check;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A check that was begun.
pub struct CheckEntry {
    check: Mutex<Check>,
    /// Set when nobody wants more of it.
    pub cancel: CancelToken,
}

impl CheckEntry {
    /// A check that nobody else looks for.
    #[must_use]
    pub fn new(check: Check) -> Self {
        Self { check: Mutex::new(check), cancel: CancelToken::new(None) }
    }

    pub fn check(&self) -> MutexGuard<'_, Check> {
        self.check.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
