//! The files of a question on disk, for as long as its message is.

use super::accepted;
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::domain::prediction::{Upload, UploadContent};
use crate::files::chat_files::StoredName;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// Files that were stored for a question. They go again when it comes to no message.
pub struct KeptFiles {
    app: App,
    workspace: WorkspaceId,
    flow: FlowId,
    chat: ChatId,
    names: Vec<StoredName>,
    entries: Vec<Value>,
    has_message: AtomicBool,
}

impl KeptFiles {
    /// Stores the files of a question under its conversation.
    ///
    /// # Errors
    /// 413 when the conversation is full, 507 when the workspace or the disk is; nothing is left behind then.
    pub fn keep(
        app: &App,
        workspace: WorkspaceId,
        flow: FlowId,
        chat: ChatId,
        uploads: &[Upload],
    ) -> Result<Self> {
        let mut kept = Self {
            app: app.clone(),
            workspace,
            flow,
            chat,
            names: Vec::new(),
            entries: Vec::new(),
            has_message: AtomicBool::new(false),
        };
        for upload in uploads {
            let entry = kept.one(upload)?;
            kept.entries.push(entry);
        }
        Ok(kept)
    }

    /// As the message of the question lists them (reference 3.8): never with their data. Pages fetch a picture by its
    /// `name`; of a document they show it.
    #[must_use]
    pub fn entries(&self) -> &[Value] {
        &self.entries
    }

    /// The question has a message, and its files stay with it.
    pub fn settle(&self) {
        self.has_message.store(true, Ordering::Relaxed);
    }

    fn one(&mut self, upload: &Upload) -> Result<Value> {
        let (label, mime) = (&upload.name, &upload.mime);
        Ok(match &upload.content {
            UploadContent::Image { base64 } => {
                let stored = self.store(mime, &STANDARD.decode(base64).unwrap_or_default())?;
                json!({"type": "stored-file", "name": stored, "label": label, "mime": mime})
            }
            UploadContent::Document(bytes) => {
                let stored = self.store(mime, bytes)?;
                json!({"type": "stored-file:full", "name": label, "fileName": stored, "mime": mime})
            }
            UploadContent::Text(_) => json!({"type": "stored-file:full", "name": label, "mime": mime}),
            UploadContent::Url(url) => json!({"type": "url", "name": label, "mime": mime, "data": url}),
        })
    }

    fn store(&mut self, mime: &str, bytes: &[u8]) -> Result<String> {
        let files = &self.app.chat_files;
        let name = files.keep(&self.workspace, &self.flow, &self.chat, accepted::ending_of(mime), bytes)?;
        let text = name.as_str().to_owned();
        self.names.push(name);
        Ok(text)
    }
}

impl Drop for KeptFiles {
    fn drop(&mut self) {
        if *self.has_message.get_mut() {
            return;
        }
        for name in &self.names {
            self.app.chat_files.remove(&self.workspace, &self.flow, &self.chat, name);
        }
    }
}
