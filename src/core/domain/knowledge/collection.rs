//! Chunks kept with their vectors: what a collection knows of itself.

use crate::domain::conversations::conversation::Conversation;
use crate::domain::ids::{CollectionId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// The head of a collection. Its blocks lie beside it and count only as far as it lists them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Collection {
    pub name: String,
    /// The space its vectors lie in: only vectors of the same one may be compared with them.
    pub space: [u8; 32],
    /// How many numbers a vector has.
    pub dimensions: usize,
    pub rows: usize,
    pub bytes: usize,
    /// Its blocks, in order.
    pub blocks: Vec<u64>,
    /// The number of the next block. What lies there or beyond was left behind by a change that did not come to its end.
    pub next: u64,
    /// Another one after every change: names what was read.
    pub stamp: Uuid,
    /// When it last changed.
    pub changed: Timestamp,
    /// The conversation whose files it holds; none for what is there for everybody.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub conversation: Option<Conversation>,
}

/// Blocks that count no more and are removed some at a time, so that what is large holds no other writer up. It is stored in
/// the commit that made them count no more, and goes with the last of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnlinkedBlocks {
    pub workspace: WorkspaceId,
    /// Of one collection; `None` for all that a deleted workspace had.
    pub collection: Option<CollectionId>,
    /// Which of its blocks; `None` for all of them.
    pub blocks: Option<Vec<u64>>,
}

impl CollectionId {
    /// The collection that cards of a workspace name by a text of their owner.
    #[must_use]
    pub fn from_name(kind: &str, name: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(kind);
        hash.update([0]);
        hash.update(name);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        Self::from_bytes(bytes)
    }

    /// Where the files that somebody sent in a conversation lie, beside what this collection holds for everybody.
    #[must_use]
    pub fn for_conversation(&self, conversation: &Conversation) -> Self {
        Self::from_name("conversation", &format!("{self} {}", conversation.chat))
    }
}
