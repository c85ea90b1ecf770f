//! What a question carries beside its text, ready for a run: documents read, recordings written down, files stored.

use super::offer::Offer;
use super::transcribe;
use super::uploads::{self, Admitted, File};
use crate::app::App;
use crate::documents::Part;
use crate::domain::cancel::Cancel;
use crate::domain::content::Readable;
use crate::domain::error::{Error, Result};
use crate::domain::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::prediction::{SentUpload, Upload, UploadContent};
use crate::files::chat_files::StoredName;
use crate::limits::DOCUMENT_TEXT_BYTES_MAX;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Uploads that were admitted and read, and of which nothing is stored yet.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// What goes to the model beside text.
    pub images: Vec<Upload>,
    /// Text of all documents, each in a block of its own.
    pub documents: String,
    /// What recordings say; it takes the place of the question.
    pub spoken: Option<String>,
    keep: Vec<ToKeep>,
}

/// A file that is stored when nothing can refuse the question any more.
#[derive(Debug)]
enum ToKeep {
    File(File),
    Text { name: String, mime: &'static str, text: String },
    Link { name: String, mime: String, url: String },
}

/// A document of a question, read.
#[derive(Debug)]
pub(super) struct ReadDocument {
    pub file: File,
    pub text: String,
}

/// Reads what was sent with a question to `flow`.
///
/// # Errors
/// As [`uploads::admit`]; 400 for a document that cannot be read; what a transcription failed with.
pub(super) fn take(
    app: &App,
    flow: &Flow,
    offer: &Offer,
    sent: Vec<SentUpload>,
    cancel: &Cancel,
) -> Result<Carried> {
    let mut carried = Carried::default();
    let mut spoken = Vec::new();
    // Everything is judged before the first of them is read.
    for upload in uploads::admit(offer, sent)? {
        match upload {
            Admitted::Image(file) => {
                let content = UploadContent::Image {
                    base64: STANDARD.encode(file.content.bytes().map_err(Error::internal)?),
                };
                carried.images.push(Upload { name: file.name.clone(), mime: file.mime.to_owned(), content });
                carried.keep.push(ToKeep::File(file));
            }
            Admitted::Link { name, mime, url } => {
                let content = UploadContent::Url(url.clone());
                carried.images.push(Upload { name: name.clone(), mime: mime.clone(), content });
                carried.keep.push(ToKeep::Link { name, mime, url });
            }
            Admitted::Audio(file) => {
                spoken.push(transcribe::transcribe(app, flow, &file, cancel)?);
                carried.keep.push(ToKeep::File(file));
            }
            Admitted::Document(file, kind) => {
                let read = read(app, file, kind, cancel)?;
                carried.add_document(&read.file.name, &read.text)?;
                carried.keep.push(ToKeep::File(read.file));
            }
            Admitted::Stored(file) => carried.keep.push(ToKeep::File(file)),
            Admitted::Text { name, mime, text } => {
                carried.add_document(&name, &text)?;
                carried.keep.push(ToKeep::Text { name, mime, text });
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
pub(super) fn read(
    app: &App,
    file: File,
    kind: crate::documents::Kind,
    cancel: &Cancel,
) -> Result<ReadDocument> {
    let parts = app.documents.text_of(kind, &file.content, cancel);
    let parts = parts.map_err(|fault| uploads::unread(&file.name, fault))?;
    Ok(ReadDocument { text: joined(&parts), file })
}

/// Pages, sheets and chapters one after the other, under their titles.
fn joined(parts: &[Part]) -> String {
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

impl Carried {
    fn add_document(&mut self, name: &str, text: &str) -> Result<()> {
        if self.documents.len() + text.len() > DOCUMENT_TEXT_BYTES_MAX {
            return Err(uploads::too_much_text());
        }
        if !self.documents.is_empty() {
            self.documents.push('\n');
        }
        // A name must not end the tag it stands in.
        let name = name.replace(['\'', '<', '>'], "_");
        self.documents.push_str(&format!("<doc name='{name}'>{text}</doc>"));
        Ok(())
    }

    /// The question as the flow reads it: text of documents first. Takes the documents along.
    pub(super) fn before(&mut self, question: &str) -> String {
        let mut prompt = std::mem::take(&mut self.documents);
        if !prompt.is_empty() {
            prompt.push_str("\n\n");
        }
        prompt.push_str(question);
        prompt
    }

    /// Stores the files under their conversation.
    ///
    /// # Errors
    /// When a quota is reached; nothing is left behind then.
    pub(super) fn store(&mut self, app: &App, flow: &Arc<Flow>, chat: ChatId) -> Result<KeptFiles> {
        let mut kept = KeptFiles {
            app: app.clone(),
            flow: flow.clone(),
            chat,
            names: Vec::new(),
            listed: Vec::new(),
            wanted: AtomicBool::new(false),
        };
        for file in self.keep.drain(..) {
            match file {
                ToKeep::File(file) => {
                    let stored = kept.keep(file.stored_extension(), &file.content)?;
                    kept.list("stored-file", &file.name, file.mime, &stored);
                }
                ToKeep::Text { name, mime, text } => {
                    let stored = kept.keep("txt", &text.as_bytes())?;
                    kept.list("stored-file:full", &name, mime, &stored);
                }
                ToKeep::Link { name, mime, url } => {
                    kept.listed.push(json!({"type": "url", "name": name, "mime": mime, "data": url}));
                }
            }
        }
        Ok(kept)
    }
}

/// The stored files of one question. They go away with it unless its messages were stored.
pub(super) struct KeptFiles {
    app: App,
    flow: Arc<Flow>,
    chat: ChatId,
    names: Vec<StoredName>,
    listed: Vec<Value>,
    wanted: AtomicBool,
}

impl KeptFiles {
    fn keep(&mut self, extension: &str, content: &dyn Readable) -> Result<StoredName> {
        let flow = &self.flow;
        let name = self.app.chat_files.keep(&flow.workspace, &flow.id, &self.chat, extension, content)?;
        self.names.push(name.clone());
        Ok(name)
    }

    fn list(&mut self, kind: &str, name: &str, mime: &str, stored: &StoredName) {
        self.listed.push(json!({"type": kind, "name": name, "mime": mime, "fileName": stored.as_str()}));
    }

    /// What a message says of its files: never their data (manual 3.4).
    pub(super) fn listed(&self) -> Vec<Value> {
        self.listed.clone()
    }

    /// The messages that name the files are stored.
    pub(super) fn are_wanted(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }
}

impl Drop for KeptFiles {
    fn drop(&mut self) {
        if *self.wanted.get_mut() {
            return;
        }
        for name in &self.names {
            self.app.chat_files.remove(&self.flow.workspace, &self.flow.id, &self.chat, name);
        }
    }
}
