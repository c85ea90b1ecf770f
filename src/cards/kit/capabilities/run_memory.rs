//! What a run without a server remembers until it ends.

use super::knowledge::VectorIndexes;
use super::replies::ReplyStore;
use crate::domain::error::Result;
use crate::kit::build::component::ReplyKey;
use crate::vectors::VectorIndex;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
pub struct RunMemory {
    indexes: Mutex<HashMap<[u8; 32], Arc<VectorIndex>>>,
    replies: Mutex<HashMap<ReplyKey, Arc<[u8]>>>,
}

impl ReplyStore for RunMemory {
    fn recall(&self, key: &ReplyKey) -> Option<Arc<[u8]>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn remember(&self, key: &ReplyKey, bytes: Vec<u8>) {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).insert(*key, bytes.into());
    }
}

impl VectorIndexes for RunMemory {
    fn index(
        &self,
        content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        let known = self.indexes.lock().unwrap_or_else(PoisonError::into_inner).get(content).cloned();
        if let Some(index) = known {
            return Ok(index);
        }
        let index = Arc::new(make()?);
        self.indexes.lock().unwrap_or_else(PoisonError::into_inner).insert(*content, index.clone());
        Ok(index)
    }
}
