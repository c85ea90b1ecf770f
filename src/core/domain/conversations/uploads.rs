//! What people send in a conversation and vector stores take in: what is counted of it, and how whoever stores some of it
//! knows that the conversation was not deleted meanwhile (manual 10.8).

use super::conversation::Conversation;
use crate::domain::ids::ConversationUploadsId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// How many chunks there are, and what they take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkUsage {
    // The name under which it is stored.
    #[serde(rename = "passages")]
    pub chunks: usize,
    /// Bytes of their texts and metadata.
    pub bytes: usize,
}

impl ChunkUsage {
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            chunks: self.chunks.saturating_add(other.chunks),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// What a conversation sent. It is there before anything of it is stored, and goes with the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationUploads {
    pub conversation: Conversation,
    /// Another one when something is sent after the conversation was deleted.
    pub stamp: Uuid,
    /// What went to databases on other servers, which keep it.
    pub elsewhere: ChunkUsage,
    /// When something was last sent.
    pub changed: Timestamp,
}

/// Leave to store what a conversation sent, until it is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoragePermit {
    pub conversation: Conversation,
    /// That of its [`ConversationUploads`].
    pub stamp: Uuid,
}

impl Conversation {
    /// Where what it sent is counted.
    #[must_use]
    pub fn uploads_id(&self) -> ConversationUploadsId {
        let mut hash = Sha256::new();
        hash.update(self.flow.bytes());
        hash.update(self.chat.bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        ConversationUploadsId::from_bytes(bytes)
    }
}
