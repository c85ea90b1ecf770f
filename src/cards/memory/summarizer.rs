//! A session whose older part is notes of a model.

use super::buffer::Buffer;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::kit::models::model_tally::ModelTally;
use crate::kit::models::notes::NoteTaker;
use crate::kit::{Grant, Inputs, Memory as _, Model, ReplyStore, RunContext};
use crate::limits::MEMORY_MESSAGES_MAX;
use std::sync::Arc;

/// The older part of a session as notes.
pub(crate) struct Summarizer {
    model: Arc<Model>,
    /// The session as it was said.
    pub session: Buffer,
    replies: Grant<dyn ReplyStore>,
}

impl Summarizer {
    /// From the inputs `model` and `sessionId`.
    ///
    /// # Errors
    /// When no model is wired.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let session = Buffer {
            session: inputs.optional_text("sessionId"),
            newest: MEMORY_MESSAGES_MAX,
            conversations: inputs.need()?,
        };
        Ok(Self { model: inputs.model("model")?, session, replies: inputs.need()? })
    }

    /// Notes of the older messages, and the newer ones as they are. `newer_from` tells where the newer ones begin.
    ///
    /// # Errors
    /// When the messages cannot be read or the model fails.
    pub(crate) fn messages(
        &self,
        turn: &RunContext<'_>,
        newer_from: impl FnOnce(&[HistoryMessage]) -> usize,
    ) -> Result<Vec<HistoryMessage>> {
        let mut messages = self.session.messages(turn)?;
        let newer = messages.split_off(newer_from(&messages).min(messages.len()));
        let notes = NoteTaker { model: &self.model, replies: Some(self.replies) };
        // The host counts the tokens of every model already; a memory has no record of its own.
        let told = notes.message(&messages, turn.host, &mut ModelTally::default())?;
        Ok(told.into_iter().chain(newer).collect())
    }
}
