//! Text of documents ahead of the question that will carry it (reference 1.2). Nothing is stored, whoever asks: what a
//! question carries is stored with it.

use super::carried::read;
use super::offer::Offer;
use super::uploads::{self, Admitted};
use crate::app::App;
use crate::domain::cancel::Cancel;
use crate::domain::content::Readable as _;
use crate::domain::error::{Error, Result};
use crate::domain::flow::Flow;
use crate::domain::prediction::{SentFile, SentUpload};
use crate::limits::DOCUMENT_TEXT_BYTES_MAX;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// A document and its text.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// The caller's name for it.
    pub name: String,
    /// Its media type.
    pub mime_type: &'static str,
    /// Bytes of the file.
    pub size: u64,
    /// Its text, or the file itself as base64.
    pub content: String,
}

/// What is wanted of each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentContent {
    /// Its text.
    Text,
    /// The file itself, as base64.
    Base64,
}

/// The text of each file, or the file itself.
///
/// # Errors
/// 403 when the flow's chat takes no documents; 400 for what is no document that can be read.
pub fn extract(
    app: &App,
    flow: &Flow,
    files: Vec<SentFile>,
    wanted: AttachmentContent,
    cancel: &Cancel,
) -> Result<Vec<Attachment>> {
    let offer = Offer::of(&flow.settings, None).documents_only();
    offer.admit(super::media::Family::Document)?;
    let admitted = uploads::admit(&offer, files.into_iter().map(SentUpload::File).collect())?;
    let mut attachments = Vec::new();
    let mut bytes = 0;
    for upload in admitted {
        let Admitted::Document(file, kind) = upload else {
            return Err(Error::invalid("Only documents have text to extract."));
        };
        let (file, content) = match wanted {
            AttachmentContent::Text => {
                let read = read(app, file, kind, cancel)?;
                bytes += read.text.len();
                if bytes > DOCUMENT_TEXT_BYTES_MAX {
                    return Err(uploads::too_much_text());
                }
                (read.file, read.text)
            }
            AttachmentContent::Base64 => {
                let content = STANDARD.encode(file.content.bytes().map_err(Error::internal)?);
                (file, content)
            }
        };
        attachments.push(Attachment {
            size: file.content.length(),
            name: file.name,
            mime_type: file.mime,
            content,
        });
    }
    Ok(attachments)
}
