//! Replies of models that are given again.

use crate::kit::build::component::ReplyKey;
use std::sync::Arc;

pub trait ReplyStore: Send + Sync {
    /// What was remembered under this key for the flow as it is now.
    fn recall(&self, key: &ReplyKey) -> Option<Arc<[u8]>>;

    /// Remembers bytes for later runs of the flow as it is now, for as long as there is room.
    fn remember(&self, key: &ReplyKey, bytes: Vec<u8>);
}
