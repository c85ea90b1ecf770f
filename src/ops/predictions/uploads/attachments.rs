//! Text of documents ahead of the question that will carry it (manual 4.3). Nothing is stored, whoever asks: what a
//! question carries is stored with it.

use super::check::{self, CheckedFile, CheckedUpload};
use super::policy::UploadPolicy;
use super::request_files::read_document;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::base::spooled_file::ByteSource as _;
use crate::documents::DocumentKind;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::predictions::attachment::Attachment;
use crate::domain::predictions::prediction::{Upload, UploadFile};
use crate::limits::DOCUMENT_TEXT_BYTES_MAX;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use serde_json::json;
use std::fs;
use std::io::{self, BufWriter, Seek as _, Write as _};

/// The text of each file.
///
/// # Errors
/// 403 when the flow's chat takes no documents; 400 for what is no document that can be read.
pub fn extract_texts(
    app: &App,
    flow: &Flow,
    files: Vec<UploadFile>,
    cancel: &CancelToken,
) -> Result<Vec<Attachment>> {
    let mut attachments = Vec::new();
    let mut bytes = 0;
    for (file, kind) in documents(flow, files)? {
        let read = read_document(app, file, kind, cancel)?;
        bytes += read.text.len();
        if bytes > DOCUMENT_TEXT_BYTES_MAX {
            return Err(check::too_much_text());
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

/// The same list with the files themselves as base64 in place of their text, as JSON in a file without a name: it is
/// larger than what came, and goes out as slowly as its reader takes it.
///
/// # Errors
/// As [`extract_texts`], and when the disk is nearly full.
pub fn encode_files(app: &App, flow: &Flow, files: Vec<UploadFile>) -> Result<(fs::File, u64)> {
    let documents = documents(flow, files)?;
    let mut out = BufWriter::new(app.chat_files.spool()?);
    let length = write_encoded(&mut out, &documents).map_err(Error::internal)?;
    Ok((out.into_inner().map_err(Error::internal)?, length))
}

fn write_encoded(
    out: &mut BufWriter<fs::File>,
    documents: &[(CheckedFile, DocumentKind)],
) -> io::Result<u64> {
    for (at, (file, _)) in documents.iter().enumerate() {
        out.write_all(if at == 0 { b"[" } else { b"," })?;
        let head =
            json!({"name": file.name, "mimeType": file.mime, "size": file.content.length()}).to_string();
        // The object is left open for its longest field.
        out.write_all(head.trim_end_matches('}').as_bytes())?;
        out.write_all(b",\"content\":\"")?;
        let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
        file.content.copy_to(&mut encoder)?;
        encoder.finish()?;
        drop(encoder);
        out.write_all(b"\"}")?;
    }
    out.write_all(b"]")?;
    let length = out.stream_position()?;
    out.rewind()?;
    Ok(length)
}

/// The files, where the flow's chat takes documents and they are some.
fn documents(flow: &Flow, files: Vec<UploadFile>) -> Result<Vec<(CheckedFile, DocumentKind)>> {
    let offer = UploadPolicy::from_settings(&flow.settings, None).documents_only();
    offer.check_kind(super::media::MediaKind::Document)?;
    let admitted = check::check(&offer, files.into_iter().map(Upload::File).collect())?;
    let documents = admitted.into_iter().map(|upload| match upload {
        CheckedUpload::Document(file, kind) => Ok((file, kind)),
        _ => Err(Error::invalid("Only documents have text to extract.")),
    });
    documents.collect()
}
