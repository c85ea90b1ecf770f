//! The text of documents, as a model reads it before the question (reference 4.2 `file:full`).

use crate::app::App;
use crate::documents::{DocumentError, Kind, Part};
use crate::domain::cancel::Cancel;
use crate::domain::error::{Error, Result, Unavailable};
use crate::domain::prediction::{Upload, UploadContent};
use crate::limits::ATTACHED_TEXT_BYTES_MAX;
use serde_json::{Value, json};

/// A document and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    name: String,
    mime: String,
    size: usize,
    text: String,
}

impl Extracted {
    /// As `/attachments` answers it (reference 1.2).
    #[must_use]
    pub fn wire(&self) -> Value {
        json!({"name": self.name, "mimeType": self.mime, "size": self.size, "content": self.text})
    }
}

/// Reads the text of every document among the uploads, in workers; other uploads are passed over.
///
/// # Errors
/// 400 naming a document that cannot be read, 503 when too many are being read.
pub fn extract(app: &App, uploads: &[Upload], cancel: &Cancel) -> Result<Vec<Extracted>> {
    let mut found = Vec::new();
    let mut room = ATTACHED_TEXT_BYTES_MAX;
    for upload in uploads {
        let (size, text) = match &upload.content {
            UploadContent::Document(bytes) => (bytes.len(), document(app, &upload.name, bytes, cancel)?),
            UploadContent::Text(text) => (text.len(), text.clone()),
            UploadContent::Image { .. } | UploadContent::Url(_) => continue,
        };
        // Small files can hold a great deal of text: all of it together stands in memory and goes to a model.
        room = room.checked_sub(text.len()).ok_or_else(|| {
            let most = ATTACHED_TEXT_BYTES_MAX / (1024 * 1024);
            Error::Invalid(format!("The documents have more than {most} MB of text together."))
        })?;
        found.push(Extracted { name: upload.name.clone(), mime: upload.mime.clone(), size, text });
    }
    Ok(found)
}

fn document(app: &App, name: &str, bytes: &[u8], cancel: &Cancel) -> Result<String> {
    let read = Kind::of(name, bytes).and_then(|kind| app.documents.text_of(kind, bytes, cancel));
    match read {
        Ok(parts) => Ok(parts.iter().map(part).collect::<Vec<_>>().join("\n\n")),
        Err(DocumentError::Busy) => Err(Error::Unavailable(Unavailable::Busy)),
        Err(DocumentError::Cancelled(_)) => Err(Error::Cancelled),
        Err(fault @ DocumentError::Unavailable) => {
            Err(Error::internal(std::io::Error::other(fault.to_string())))
        }
        Err(fault) => Err(super::wrong(name, &fault.to_string())),
    }
}

fn part(part: &Part) -> String {
    match &part.title {
        Some(title) => format!("{title}\n{}", part.text),
        None => part.text.clone(),
    }
}

/// The documents as one text, a block each. No name and no text can end its block early.
pub(in crate::ops::predict) fn attached(documents: &[Extracted]) -> String {
    let block = |document: &Extracted| {
        let name: String = document.name.chars().filter(|c| !matches!(c, '\'' | '<' | '>')).collect();
        format!("<doc name='{name}'>{}</doc>", document.text.replace("</doc", "<\\/doc"))
    };
    documents.iter().map(block).collect::<Vec<_>>().join("\n")
}
