//! What was said before.

use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::HistoryMessage;

pub trait Conversations: Send + Sync {
    /// The stored messages of a memory session, oldest first; at most the newest `newest`.
    /// `session` is `None` for the conversation the question belongs to.
    ///
    /// # Errors
    /// When they cannot be read.
    fn history(&self, session: Option<&str>, newest: usize) -> Result<Vec<HistoryMessage>>;

    /// As [`Self::history`], with the text of the documents that came with the messages: what a model is told.
    ///
    /// # Errors
    /// As [`Self::history`], and when the run ends while a document is read.
    fn told_history(&self, session: Option<&str>, newest: usize) -> Result<Vec<HistoryMessage>> {
        self.history(session, newest)
    }

    /// A picture of the conversation that the question belongs to. `None` where nothing is stored, for one that is gone, and for
    /// one that is larger.
    ///
    /// # Errors
    /// When it cannot be read.
    fn picture(&self, _file: &MessageFile, _bytes_max: usize) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// The name under which a memory outside of this service keeps the conversation: `session`, which the flow's owner
    /// fixed, or the one that the question belongs to.
    ///
    /// # Errors
    /// When it names a conversation of somebody else, or none is known.
    fn memory_session(&self, session: Option<&str>) -> Result<String>;
}

/// One question that belongs to no conversation: nothing was said before.
pub struct LoneQuestion;

impl Conversations for LoneQuestion {
    fn history(&self, _session: Option<&str>, _newest: usize) -> Result<Vec<HistoryMessage>> {
        Ok(Vec::new())
    }

    fn memory_session(&self, session: Option<&str>) -> Result<String> {
        session.map(str::to_owned).ok_or_else(|| {
            Error::RunFailed("There is no conversation here that a memory could keep.".to_owned())
        })
    }
}
