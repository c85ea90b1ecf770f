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
pub(super) struct Changed(pub(super) u64);

/// What was read under keys of one kind. Values should be cheap to clone.
pub struct Memo<K, V>(Mutex<Known<K, V>>);

struct Known<K, V> {
    as_of: Changed,
    values: HashMap<K, V>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Known { as_of: Changed::default(), values: HashMap::new() }))
    }
}

impl<K: Copy + Eq + Hash, V: Clone> Memo<K, V> {
    /// What is known of this key; `now` was read before.
    pub(super) fn get(&self, now: Changed, key: &K) -> Option<V> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.values.get(key).filter(|_| known.as_of == now).cloned()
    }

    /// Keeps a value that was read after `before` was.
    pub(super) fn keep(&self, before: Changed, key: &K, value: V) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_of < before || known.values.len() >= VALUES_MAX {
            known.values.clear();
            known.as_of = known.as_of.max(before);
        }
        if known.as_of == before {
            known.values.insert(*key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_until_something_changes() {
        let memo = Memo::default();
        memo.keep(Changed(1), &"flow", 7);
        assert_eq!(memo.get(Changed(1), &"flow"), Some(7));
        assert_eq!(memo.get(Changed(1), &"other"), None);
        assert_eq!(memo.get(Changed(2), &"flow"), None);
        memo.keep(Changed(2), &"other", 8);
        assert_eq!(
            memo.get(Changed(2), &"flow"),
            None,
            "what was known before a change is not known after it"
        );
    }

    #[test]
    fn a_value_read_before_a_change_is_not_kept_after_it() {
        let memo = Memo::default();
        memo.keep(Changed(2), &"flow", 8);
        memo.keep(Changed(1), &"flow", 7);
        assert_eq!(memo.get(Changed(2), &"flow"), Some(8));
        assert_eq!(memo.get(Changed(1), &"flow"), None);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let memo = Memo::default();
        for number in 0..10 * VALUES_MAX {
            memo.keep(Changed(1), &number, number);
            assert_eq!(memo.get(Changed(1), &number), Some(number));
        }
        assert!(memo.0.lock().unwrap().values.len() <= VALUES_MAX);
    }
}
