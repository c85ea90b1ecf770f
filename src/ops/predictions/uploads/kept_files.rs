//! The files of a question that was asked before: for the run that goes on with them, and for one that runs it again.

use super::request_files::StoredUploads;
use crate::app::App;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::{ImageSource, ImageUpload};
use crate::files::chat_files::ChatFileName;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::Read as _;
use std::sync::Arc;

/// What models are shown of these files of a conversation. One that is gone is left out.
///
/// # Errors
/// When the disk cannot be read, or a file is not what was stored.
pub(in crate::ops::predictions) fn load_images(
    app: &App,
    flow: &Flow,
    chat: ChatId,
    files: &[MessageFile],
) -> Result<Vec<ImageUpload>> {
    let mut images = Vec::new();
    for file in files {
        if file.is_link() {
            images.extend(link(file));
        } else if is_image(file) {
            match read(app, flow, chat, file)? {
                Some((_, content)) => images.push(image(file, &content)),
                None => tracing::warn!(flow = %flow.id, "an image of a run that waited is gone"),
            }
        }
    }
    Ok(images)
}

/// Files of one conversation, stored in another as well; and what models are shown of them.
///
/// # Errors
/// 409 when one is gone; as [`load_images`], and when a quota is reached.
pub(in crate::ops::predictions) fn copy_files(
    app: &App,
    flow: &Arc<Flow>,
    (from, to): (ChatId, ChatId),
    files: &[MessageFile],
) -> Result<(StoredUploads, Vec<ImageUpload>)> {
    let mut stored = StoredUploads::new(app, flow, to);
    let mut images = Vec::new();
    for file in files {
        if file.is_link() {
            images.extend(link(file));
            stored.add_link(file);
            continue;
        }
        let (name, content) = read(app, flow, from, file)?.ok_or_else(|| is_gone(file))?;
        stored.copy_file(file, name.extension(), &content)?;
        if is_image(file) {
            images.push(image(file, &content));
        }
    }
    Ok((stored, images))
}

fn is_gone(file: &MessageFile) -> Error {
    Conflict::FileNotKept { name: file.name.clone() }.into()
}

fn is_image(file: &MessageFile) -> bool {
    file.kind == "stored-file" && file.mime.starts_with("image/")
}

/// A file that is stored with a conversation, of so many bytes at most.
///
/// # Errors
/// When the disk cannot be read, or the file is not what was stored.
pub(in crate::ops::predictions) fn read_at_most(
    app: &App,
    flow: &Flow,
    chat: ChatId,
    file: &MessageFile,
    bytes_max: usize,
) -> Result<Option<Vec<u8>>> {
    let Some(name) = file.file_name.as_deref().and_then(ChatFileName::parse) else { return Ok(None) };
    let Some(opened) = app.chat_files.open(&flow.workspace, &flow.id, &chat, &name)? else { return Ok(None) };
    let length = opened.metadata().map_err(Error::internal)?.len();
    if !usize::try_from(length).is_ok_and(|length| length <= bytes_max) {
        return Ok(None);
    }
    let mut content = Vec::new();
    opened.take(length).read_to_end(&mut content).map_err(Error::internal)?;
    Ok(Some(content))
}

fn read(app: &App, flow: &Flow, chat: ChatId, file: &MessageFile) -> Result<Option<(ChatFileName, Vec<u8>)>> {
    let Some(name) = file.file_name.as_deref().and_then(ChatFileName::parse) else { return Ok(None) };
    let content = app.chat_files.read(&flow.workspace, &flow.id, &chat, &name)?;
    Ok(content.map(|content| (name, content)))
}

fn image(file: &MessageFile, content: &[u8]) -> ImageUpload {
    let content = ImageSource::Image { base64: STANDARD.encode(content) };
    ImageUpload { name: file.name.clone(), mime: file.mime.clone(), content }
}

fn link(file: &MessageFile) -> Option<ImageUpload> {
    let content = ImageSource::Url(file.data.clone()?);
    Some(ImageUpload { name: file.name.clone(), mime: file.mime.clone(), content })
}
