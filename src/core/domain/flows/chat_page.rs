//! What a chat page may know of a flow without being signed in (manual 2.13 r3, 4.1).

use super::flow::{ChatState, FlowKind};
use crate::domain::ids::FlowId;
use serde_json::{Map, Value};

/// What a chat page needs to know of a flow.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatPage {
    /// Of the chat settings what the page draws itself with.
    pub settings: Map<String, Value>,
    pub uploads: UploadOffer,
    /// Of the canvas, the Start card's form: JSON text.
    pub start_card: String,
    pub state: ChatState,
}

/// A shared flow as anybody sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedFlow {
    pub id: FlowId,
    pub name: String,
    pub kind: FlowKind,
    /// Whether a key is needed, never which.
    pub asks_for_key: bool,
    pub settings: Map<String, Value>,
    pub start_card: String,
}

/// What a chat may upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadOffer {
    pub speech: bool,
    /// Which images; `None` when none are taken.
    pub images: Option<UploadRule>,
    /// Which files go into a vector store; `None` when none do.
    pub documents: Option<UploadRule>,
}

/// Files that may be sent along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadRule {
    /// Media types, or endings of names.
    pub file_types: Vec<String>,
    pub mebibytes_max: usize,
}
