//! Records that every answer needs, kept as they were read until the database changes.
//!
//! Reading and parsing a flow costs more than looking it up here, and changes are rare beside answers. Any change makes
//! everything here unknown again, so nobody has to say which records a change concerns.
//!
//! **Why nothing is out of date.** A number is raised after a change can be seen and before it is
//! acknowledged. Who takes a value has read that number first: a value read under the same number is older than no
//! acknowledged change. Who keeps a value had read the number before the record, so a change in between made it another one.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// Values kept at the most; one more, and all are read again.
const VALUES_MAX: usize = 256;

/// A number that every change raises. It begins anew with the program.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct CommitVersion(pub(in crate::store) u64);

/// What was read under keys of one kind. Values should be cheap to clone.
pub struct ReadCache<K, V>(Mutex<CachedValues<K, V>>);

struct CachedValues<K, V> {
    version: CommitVersion,
    values: HashMap<K, V>,
}

impl<K, V> Default for ReadCache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(CachedValues { version: CommitVersion::default(), values: HashMap::new() }))
    }
}

impl<K: Copy + Eq + Hash, V: Clone> ReadCache<K, V> {
    /// What is known of this key; `version` was read before.
    pub(in crate::store) fn get(&self, version: CommitVersion, key: &K) -> Option<V> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.values.get(key).filter(|_| state.version == version).cloned()
    }

    /// Keeps a value that was read after `version` was.
    pub(in crate::store) fn insert(&self, version: CommitVersion, key: &K, value: V) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.version < version || state.values.len() >= VALUES_MAX {
            state.values.clear();
            state.version = state.version.max(version);
        }
        if state.version == version {
            state.values.insert(*key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_until_something_changes() {
        let memo = ReadCache::default();
        memo.insert(CommitVersion(1), &"flow", 7);
        assert_eq!(memo.get(CommitVersion(1), &"flow"), Some(7));
        assert_eq!(memo.get(CommitVersion(1), &"other"), None);
        assert_eq!(memo.get(CommitVersion(2), &"flow"), None);
        memo.insert(CommitVersion(2), &"other", 8);
        assert_eq!(
            memo.get(CommitVersion(2), &"flow"),
            None,
            "what was known before a change is not known after it"
        );
    }

    #[test]
    fn a_value_read_before_a_change_is_not_kept_after_it() {
        let memo = ReadCache::default();
        memo.insert(CommitVersion(2), &"flow", 8);
        memo.insert(CommitVersion(1), &"flow", 7);
        assert_eq!(memo.get(CommitVersion(2), &"flow"), Some(8));
        assert_eq!(memo.get(CommitVersion(1), &"flow"), None);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let memo = ReadCache::default();
        for number in 0..10 * VALUES_MAX {
            memo.insert(CommitVersion(1), &number, number);
            assert_eq!(memo.get(CommitVersion(1), &number), Some(number));
        }
        assert!(memo.0.lock().unwrap().values.len() <= VALUES_MAX);
    }
}
