//! Calls of webhooks that are being answered and that may be repeated.

use crate::domain::ids::FlowId;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

/// The flow that is called, and the hash of what names the call.
type CallKey = (FlowId, [u8; 32]);

/// What is being answered, with the hash of each body. As many as there are requests under way.
#[derive(Default)]
pub struct RunningCalls(Arc<Mutex<HashMap<CallKey, [u8; 32]>>>);

/// A call, until it is answered.
pub struct RunningCallGuard {
    calls: Arc<Mutex<HashMap<CallKey, [u8; 32]>>>,
    key: CallKey,
}

impl RunningCalls {
    /// Notes a call.
    ///
    /// # Errors
    /// The body of the call with this name that is being answered.
    pub fn begin(&self, flow: FlowId, name: [u8; 32], body: [u8; 32]) -> Result<RunningCallGuard, [u8; 32]> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).entry((flow, name)) {
            Entry::Occupied(first) => Err(*first.get()),
            Entry::Vacant(free) => {
                free.insert(body);
                Ok(RunningCallGuard { calls: self.0.clone(), key: (flow, name) })
            }
        }
    }
}

impl Drop for RunningCallGuard {
    fn drop(&mut self) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_noted_until_it_is_answered() {
        let (calls, flow) = (RunningCalls::default(), FlowId::random());
        let first = calls.begin(flow, [1; 32], [2; 32]).ok().unwrap();
        assert_eq!(calls.begin(flow, [1; 32], [3; 32]).err(), Some([2; 32]));
        assert!(calls.begin(FlowId::random(), [1; 32], [2; 32]).is_ok());
        drop(first);
        assert!(calls.begin(flow, [1; 32], [3; 32]).is_ok());
    }
}
