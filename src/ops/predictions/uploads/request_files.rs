//! What a question carries beside its text, ready for a run: documents read, recordings written down, files stored.

use super::check::{self, CheckedFile, CheckedUpload};
use super::media;
use super::policy::UploadPolicy;
use super::transcribe;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::base::spooled_file::ByteSource;
use crate::cards::kit::NewFile;
use crate::documents::{DocumentKind, DocumentPart};
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::conversations::file::ChatFile;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::{
    ImageSource, ImageUpload, Upload, behind_documents, push_document,
};
use crate::files::chat_files::ChatFileName;
use crate::limits::DOCUMENT_TEXT_BYTES_MAX;
use crate::ops::workspace::quota;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Uploads that were admitted and read, and of which nothing is stored yet.
#[derive(Debug, Default)]
pub(in crate::ops::predictions) struct RequestFiles {
    /// What goes to the model beside text.
    pub images: Vec<ImageUpload>,
    /// Text of all documents, each in a block of its own.
    pub documents: String,
    /// What recordings say; it takes the place of the question.
    pub spoken: Option<String>,
    pending: Vec<PendingFile>,
}

/// A file that is stored when nothing can refuse the question any more.
#[derive(Debug)]
enum PendingFile {
    File(CheckedFile),
    Document(CheckedFile),
    Text { name: String, mime: &'static str, text: String },
    Link { name: String, mime: String, url: String },
}

/// A document of a question, read.
#[derive(Debug)]
pub(in crate::ops::predictions) struct ReadDocument {
    pub file: CheckedFile,
    pub text: String,
}

/// Reads what was sent with a question to `flow`.
///
/// # Errors
/// As [`check::check`]; 400 for a document that cannot be read; what a transcription failed with.
pub(in crate::ops::predictions) fn read_uploads(
    app: &App,
    flow: &Flow,
    offer: &UploadPolicy,
    sent: Vec<Upload>,
    cancel: &CancelToken,
) -> Result<RequestFiles> {
    let mut carried = RequestFiles::default();
    let mut spoken = Vec::new();
    // Everything is judged before the first of them is read.
    for upload in check::check(offer, sent)? {
        match upload {
            CheckedUpload::Image(file) => {
                let content = ImageSource::Image {
                    base64: STANDARD.encode(file.content.read_all().map_err(Error::internal)?),
                };
                carried.images.push(ImageUpload {
                    name: file.name.clone(),
                    mime: file.mime.to_owned(),
                    content,
                });
                carried.pending.push(PendingFile::File(file));
            }
            CheckedUpload::Link { name, mime, url } => {
                let content = ImageSource::Url(url.clone());
                carried.images.push(ImageUpload { name: name.clone(), mime: mime.clone(), content });
                carried.pending.push(PendingFile::Link { name, mime, url });
            }
            CheckedUpload::Audio(file) => {
                spoken.push(transcribe::transcribe(app, flow, &file, cancel)?);
                carried.pending.push(PendingFile::File(file));
            }
            CheckedUpload::Document(file, kind) => {
                let read = read_document(app, file, kind, cancel)?;
                carried.add_document(&read.file.name, &read.text)?;
                carried.pending.push(PendingFile::Document(read.file));
            }
            CheckedUpload::ForStore(file) => carried.pending.push(PendingFile::File(file)),
            CheckedUpload::Text { name, mime, text } => {
                carried.add_document(&name, &text)?;
                carried.pending.push(PendingFile::Text { name, mime, text });
            }
        }
    }
    if !spoken.is_empty() {
        let words = spoken.join(" ");
        if words.trim().is_empty() {
            return Err(Error::invalid("The recording holds no words."));
        }
        carried.spoken = Some(words);
    }
    Ok(carried)
}

/// The text of a document.
///
/// # Errors
/// 400 saying why there is none.
pub(in crate::ops::predictions) fn read_document(
    app: &App,
    file: CheckedFile,
    kind: DocumentKind,
    cancel: &CancelToken,
) -> Result<ReadDocument> {
    let text = document_text(app, &file.name, (kind, &file.content), cancel)?;
    Ok(ReadDocument { text, file })
}

/// As [`read_document`], of any content.
///
/// # Errors
/// As [`read_document`].
pub(super) fn document_text(
    app: &App,
    name: &str,
    (kind, content): (DocumentKind, &dyn ByteSource),
    cancel: &CancelToken,
) -> Result<String> {
    let parts = app.documents.read_text(kind, content, cancel);
    let parts = parts.map_err(|fault| check::read_error(name, fault))?;
    Ok(join_parts(&parts))
}

/// Pages, sheets and chapters one after the other, under their titles.
fn join_parts(parts: &[DocumentPart]) -> String {
    let mut text = String::with_capacity(parts.iter().map(|part| part.text.len() + 2).sum());
    for part in parts {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        if let Some(title) = &part.title {
            text.push_str(title);
            text.push('\n');
        }
        text.push_str(&part.text);
    }
    text
}

impl RequestFiles {
    fn add_document(&mut self, name: &str, text: &str) -> Result<()> {
        if self.documents.len() + text.len() > DOCUMENT_TEXT_BYTES_MAX {
            return Err(check::too_much_text());
        }
        push_document(&mut self.documents, name, text);
        Ok(())
    }

    /// The question as the flow reads it, text of documents first, and the byte where that text ends. Takes the documents
    /// along.
    pub(in crate::ops::predictions) fn prepend_documents(&mut self, question: &str) -> (String, usize) {
        let documents = std::mem::take(&mut self.documents);
        let documents_end = documents.len();
        (behind_documents(documents, question), documents_end)
    }

    /// Stores the files under their conversation.
    ///
    /// # Errors
    /// When a quota is reached; nothing is left behind then.
    pub(in crate::ops::predictions) fn store(
        &mut self,
        app: &App,
        flow: &Arc<Flow>,
        chat: ChatId,
    ) -> Result<StoredUploads> {
        let mut kept = StoredUploads::new(app, flow, chat);
        for file in self.pending.drain(..) {
            match file {
                PendingFile::File(file) => {
                    let stored = kept.store_file(file.stored_extension(), &file.content)?;
                    kept.entries.push(MessageFile::stored(&file.name, file.mime, stored.as_str()));
                }
                PendingFile::Document(file) => {
                    let stored = kept.store_file(file.stored_extension(), &file.content)?;
                    let entry = MessageFile::stored(&file.name, file.mime, stored.as_str());
                    kept.entries.push(MessageFile { is_read: true, ..entry });
                }
                PendingFile::Text { name, mime, text } => {
                    let stored = kept.store_file("txt", &text.as_bytes())?;
                    kept.entries.push(MessageFile::stored_text(&name, mime, stored.as_str()));
                }
                PendingFile::Link { name, mime, url } => {
                    kept.entries.push(MessageFile {
                        kind: "url".to_owned(),
                        name,
                        mime,
                        data: Some(url),
                        ..MessageFile::default()
                    });
                }
            }
        }
        Ok(kept)
    }
}

/// The stored files of one question. They go away with it unless its messages were stored.
pub(in crate::ops::predictions) struct StoredUploads {
    app: App,
    flow: Arc<Flow>,
    chat: ChatId,
    names: Vec<ChatFileName>,
    entries: Vec<MessageFile>,
    /// Files that the run made for its answer.
    made: Mutex<Vec<(ChatFileName, MessageFile)>>,
    is_kept: AtomicBool,
}

impl StoredUploads {
    /// Those of a question that brings none.
    pub(in crate::ops::predictions) fn new(app: &App, flow: &Arc<Flow>, chat: ChatId) -> Self {
        Self {
            app: app.clone(),
            flow: flow.clone(),
            chat,
            names: Vec::new(),
            entries: Vec::new(),
            made: Mutex::default(),
            is_kept: AtomicBool::new(false),
        }
    }

    /// Stores what a message of another conversation names.
    pub(super) fn copy_file(&mut self, from: &MessageFile, extension: &str, content: &[u8]) -> Result<()> {
        let stored = self.store_file(extension, &content)?;
        self.entries.push(MessageFile { file_name: Some(stored.as_str().to_owned()), ..from.clone() });
        Ok(())
    }

    /// A link goes along as it is.
    pub(super) fn add_link(&mut self, link: &MessageFile) {
        self.entries.push(link.clone());
    }

    fn store_file(&mut self, extension: &str, content: &dyn ByteSource) -> Result<ChatFileName> {
        let flow = &self.flow;
        let _room = quota::admit_file(&self.app, &flow.workspace, content.length())?;
        let name = self.app.chat_files.store(&flow.workspace, &flow.id, &self.chat, extension, content)?;
        self.names.push(name.clone());
        Ok(name)
    }

    /// What a message says of its files: never their data (manual 3.4).
    pub(in crate::ops::predictions) fn entries(&self) -> Vec<MessageFile> {
        self.entries.clone()
    }

    /// Stores a file that the run made.
    ///
    /// # Errors
    /// When a quota is reached or it cannot be written.
    pub(in crate::ops::predictions) fn store_made(
        &self,
        file: &NewFile<'_>,
    ) -> Result<(ChatFile, MessageFile)> {
        let name = check::clean_name(file.name);
        let extension = media::extension(&name);
        let known = media::find(Some(file.mime).filter(|mime| !mime.is_empty()), &extension);
        let mime = known.map_or(file.mime, |row| row.mime);
        let flow = &self.flow;
        let chat_files = &self.app.chat_files;
        let _room = quota::admit_file(&self.app, &flow.workspace, file.bytes.len() as u64)?;
        let stored = chat_files.store(&flow.workspace, &flow.id, &self.chat, &extension, &file.bytes)?;
        let mime = if mime.is_empty() { "application/octet-stream" } else { mime };
        let entry = MessageFile::stored(&name, mime, stored.as_str());
        self.lock_made().push((stored.clone(), entry.clone()));
        Ok((ChatFile { flow: flow.id, chat: self.chat, name: stored }, entry))
    }

    fn lock_made(&self) -> MutexGuard<'_, Vec<(ChatFileName, MessageFile)>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the answer says of the files that were made for it.
    pub(in crate::ops::predictions) fn made_entries(&self) -> Vec<MessageFile> {
        self.lock_made().iter().map(|(_, entry)| entry.clone()).collect()
    }

    /// The messages that name the files are stored.
    pub(in crate::ops::predictions) fn keep_files(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for StoredUploads {
    fn drop(&mut self) {
        if *self.is_kept.get_mut() {
            return;
        }
        let made = std::mem::take(&mut *self.lock_made());
        for name in self.names.iter().chain(made.iter().map(|(name, _)| name)) {
            self.app.chat_files.remove(&self.flow.workspace, &self.flow.id, &self.chat, name);
        }
    }
}
