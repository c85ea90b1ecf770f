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
    /// Its text.
    pub content: String,
}

/// The text of each file.
///
/// # Errors
/// 403 when the flow's chat takes no documents; 400 for what is no document that can be read.
pub fn extract(app: &App, flow: &Flow, files: Vec<SentFile>, cancel: &Cancel) -> Result<Vec<Attachment>> {
    let offer = Offer::of(&flow.settings, None).documents_only();
    offer.admit(super::media::Family::Document)?;
    let admitted = uploads::admit(&offer, files.into_iter().map(SentUpload::File).collect())?;
    let mut attachments = Vec::new();
    let mut bytes = 0;
    for upload in admitted {
        let Admitted::Document(file, kind) = upload else {
            return Err(Error::invalid("Only documents have text to extract."));
        };
        let read = read(app, file, kind, cancel)?;
        bytes += read.text.len();
        if bytes > DOCUMENT_TEXT_BYTES_MAX {
            return Err(uploads::too_much_text());
        }
        attachments.push(Attachment {
            size: read.file.content.length(),
            name: read.file.name,
            mime_type: read.file.mime,
            content: read.text,
        });
    }
    Ok(attachments)
}
