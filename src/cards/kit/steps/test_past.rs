//! What was said before, in tests of steps and of whoever runs them.

use super::context::ConversationPast;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;

impl ConversationPast for Vec<HistoryMessage> {
    fn messages(&self) -> Result<Vec<HistoryMessage>> {
        Ok(self.clone())
    }

    /// In a test a picture is its name.
    fn picture(&self, file: &MessageFile, bytes_max: usize) -> Result<Option<Vec<u8>>> {
        Ok(file.file_name.clone().map(String::into_bytes).filter(|bytes| bytes.len() <= bytes_max))
    }
}
