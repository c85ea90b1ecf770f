//! Calls of flows as tools that are under way, so that their callers can take them back with another request. As many as
//! there are requests.

use crate::base::cancel::{CancelReason, CancelToken};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a caller names a call by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallKey {
    pub endpoint: String,
    /// SHA-256 of what opened the endpoint: nobody takes back the call of somebody else.
    pub opener: [u8; 32],
    pub session: String,
    /// The id of its request, as JSON.
    pub request: String,
}

type Calls = HashMap<CallKey, Vec<(u64, CancelToken)>>;

/// The calls under way.
#[derive(Default)]
pub struct ActiveCalls(Arc<Mutex<(u64, Calls)>>);

/// A call, until this is dropped.
pub struct CallGuard {
    active: Arc<Mutex<(u64, Calls)>>,
    key: CallKey,
    number: u64,
}

impl ActiveCalls {
    /// Registers a call for as long as the answer lives.
    #[must_use]
    pub fn register(&self, key: CallKey, cancel: &CancelToken) -> CallGuard {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = listed.0;
        listed.0 += 1;
        listed.1.entry(key.clone()).or_default().push((number, cancel.clone()));
        CallGuard { active: self.0.clone(), key, number }
    }

    /// Ends what a caller takes back.
    pub fn cancel(&self, key: &CallKey) {
        let listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<CancelToken> =
            listed.1.get(key).into_iter().flatten().map(|(_, cancel)| cancel.clone()).collect();
        // A hook may end a call, which takes it out of the list.
        drop(listed);
        found.iter().for_each(|cancel| cancel.cancel(CancelReason::Aborted));
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        let mut listed = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = &mut listed.1;
        if let Some(same) = calls.get_mut(&self.key) {
            same.retain(|(number, _)| *number != self.number);
            if same.is_empty() {
                calls.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(opener: u8, request: &str) -> CallKey {
        let (endpoint, session) = ("flow".to_owned(), String::new());
        CallKey { endpoint, opener: [opener; 32], session, request: request.to_owned() }
    }

    #[test]
    fn a_call_is_taken_back_by_whoever_made_it_alone() {
        let (calls, cancel) = (ActiveCalls::default(), CancelToken::new(None));
        let guard = calls.register(key(1, "7"), &cancel);
        calls.cancel(&key(2, "7"));
        calls.cancel(&key(1, "\"7\""));
        assert_eq!(cancel.reason(), None);
        calls.cancel(&key(1, "7"));
        assert_eq!(cancel.reason(), Some(CancelReason::Aborted));
        drop(guard);
        assert!(calls.0.lock().unwrap().1.is_empty());
    }
}
