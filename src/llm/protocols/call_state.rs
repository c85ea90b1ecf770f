//! What a provider wants back beside a tool call, kept by the call's id for as long as the model's run lasts.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Calls of one run for which something is kept.
const CALLS_MAX: usize = 1024;

/// Things kept by the id of a call. A clone keeps the same things: a stream outlives the call that began it.
pub(in crate::llm) struct CallState<T>(Arc<Mutex<HashMap<String, T>>>);

impl<T> Clone for CallState<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for CallState<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> fmt::Debug for CallState<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a model thought is nobody else's to read.
        f.write_str("Remembered")
    }
}

impl<T: Clone> CallState<T> {
    /// What is kept for this call.
    pub(in crate::llm) fn get(&self, call_id: &str) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(call_id).cloned()
    }

    /// Keeps `what` for this call, as long as there is room.
    pub(in crate::llm) fn insert(&self, call_id: &str, what: T) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < CALLS_MAX || known.contains_key(call_id) {
            known.insert(call_id.to_owned(), what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_the_newest_of_a_call_counts() {
        let kept = CallState::default();
        for call in 0..=CALLS_MAX {
            kept.insert(&call.to_string(), call);
        }
        kept.insert("0", 7);
        assert_eq!(
            (kept.get("0"), kept.get("1"), kept.get(&CALLS_MAX.to_string())),
            (Some(7), Some(1), None)
        );
        assert_eq!(format!("{kept:?}"), "Remembered");
    }
}
