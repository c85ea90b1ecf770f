//! A finished answer, with what its reader learns beside it (manual 2.6).

use super::prediction::{RunIds, RunOutput};
use crate::domain::flows::live_version::LiveVersion;
use serde_json::{Map, Value};

#[derive(Debug, Clone)]
pub struct PredictionAnswer {
    pub output: RunOutput,
    /// The text that was asked.
    pub question: String,
    /// The form that the run began with.
    pub form: Option<Map<String, Value>>,
    pub ids: RunIds,
    /// The conversation, what the caller named it, or the session that its memory card fixes.
    pub session: String,
    /// The card that remembers the conversation, where the flow has one.
    pub memory_type: Option<String>,
    /// Proof of the conversation.
    pub session_token: String,
    /// What of Live answered.
    pub version: Option<LiveVersion>,
    /// The caller asked for a stream, and the flow can give one.
    pub is_stream_valid: bool,
}
