//! Documents of earlier questions: models are told their text again where they are told the words that it came with.

use super::check;
use super::kept_files::read_at_most;
use super::request_files::document_text;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::documents::DocumentKind;
use crate::domain::conversations::conversation::{MessageFile, Utterance};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::{HistoryMessage, push_document};
use crate::limits::DOCUMENT_BYTES_MAX;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Documents of earlier questions that models are told again, the newest (manual 14.5).
const PAST_DOCUMENTS_MAX_COUNT: usize = 20;
/// Text of all documents of earlier questions that models are told again (manual 14.5).
const PAST_DOCUMENTS_BYTES_MAX: usize = 1024 * 1024;

/// Reads the documents of earlier messages for one run.
pub(in crate::ops::predictions) struct PastDocuments<'a> {
    app: &'a App,
    flow: &'a Flow,
    cancel: CancelToken,
    /// What was read, by the names of the files: several cards of a run may remember the same conversation. There is nothing
    /// of what is gone, damaged or longer than there is ever room for.
    texts: Mutex<HashMap<String, Option<Arc<str>>>>,
}

/// What is left of the bounds.
struct Room {
    count: usize,
    bytes: usize,
}

impl<'a> PastDocuments<'a> {
    pub(in crate::ops::predictions) fn new(app: &'a App, flow: &'a Flow, cancel: CancelToken) -> Self {
        Self { app, flow, cancel, texts: Mutex::default() }
    }

    /// What was said in a conversation, oldest first, with the text of its documents: of the newest messages first, while
    /// there is room.
    ///
    /// # Errors
    /// When the run ends meanwhile, or too many other documents are being read.
    pub(in crate::ops::predictions) fn tell(
        &self,
        chat: ChatId,
        said: Vec<Utterance>,
    ) -> Result<Vec<HistoryMessage>> {
        let mut room = Room { count: PAST_DOCUMENTS_MAX_COUNT, bytes: PAST_DOCUMENTS_BYTES_MAX };
        let mut told = Vec::with_capacity(said.len());
        for said in said.into_iter().rev() {
            let documents = self.blocks(chat, &said.files, &mut room)?;
            told.push(HistoryMessage { documents, ..HistoryMessage::from(said) });
        }
        told.reverse();
        Ok(told)
    }

    /// The documents of one message, as its question was told with them.
    fn blocks(&self, chat: ChatId, files: &[MessageFile], room: &mut Room) -> Result<String> {
        let mut blocks = String::new();
        for file in files.iter().filter(|file| file.is_document()) {
            // What turns out to be too long was read as well, so it counts.
            let Some(left) = room.count.checked_sub(1) else { break };
            room.count = left;
            let text = self.text(chat, file)?.filter(|text| text.len() <= room.bytes);
            if let Some(text) = text {
                room.bytes -= text.len();
                push_document(&mut blocks, &file.name, &text);
            }
        }
        Ok(blocks)
    }

    fn text(&self, chat: ChatId, file: &MessageFile) -> Result<Option<Arc<str>>> {
        let Some(name) = &file.file_name else { return Ok(None) };
        let known = self.lock_texts().get(name).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let text: Option<Arc<str>> = match self.read(chat, file) {
            Ok(text) => text.filter(|text| text.len() <= PAST_DOCUMENTS_BYTES_MAX).map(Arc::from),
            Err(fault @ (Error::Cancelled | Error::Unavailable(_))) => return Err(fault),
            // The question is another one by now, and it can be answered without.
            Err(_) => {
                tracing::warn!(flow = %self.flow.id, "a document of an earlier question could not be read again");
                None
            }
        };
        self.lock_texts().insert(name.clone(), text.clone());
        Ok(text)
    }

    fn read(&self, chat: ChatId, file: &MessageFile) -> Result<Option<String>> {
        let bytes_max = if file.is_text() { PAST_DOCUMENTS_BYTES_MAX } else { DOCUMENT_BYTES_MAX };
        let Some(content) = read_at_most(self.app, self.flow, chat, file, bytes_max)? else {
            return Ok(None);
        };
        if file.is_text() {
            return String::from_utf8(content).map(Some).map_err(Error::internal);
        }
        let kind = DocumentKind::detect(&file.name, &content);
        let kind = kind.map_err(|fault| check::read_error(&file.name, fault))?;
        document_text(self.app, &file.name, (kind, &content), &self.cancel).map(Some)
    }

    fn lock_texts(&self) -> MutexGuard<'_, HashMap<String, Option<Arc<str>>>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
