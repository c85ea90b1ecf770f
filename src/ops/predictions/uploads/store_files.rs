//! Files of a chat for the vector store that its flow answers from (manual 10.8): judged as those of a question.

use super::check;
use super::policy::UploadPolicy;
use crate::canvas::files::InlineFile;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::UploadFile;
use crate::engine::LoaderFiles;
use crate::limits::UPLOADS_MAX;

/// The node of the store, and the files by the loaders that read them.
///
/// # Errors
/// 403 when the chat takes no such files; 400 for none, too many, a type that no loader reads, and what is too large or not
/// what its name says.
pub(in crate::ops) fn assign_store_files(
    offer: &UploadPolicy,
    sent: Vec<UploadFile>,
) -> Result<(String, Vec<LoaderFiles>)> {
    let uploading = offer.require_store()?;
    if sent.is_empty() {
        return Err(Error::invalid("Send at least one file in a part named 'files'."));
    }
    if sent.len() > UPLOADS_MAX {
        return Err(Error::Invalid(format!("A request can carry at most {UPLOADS_MAX} files.")));
    }
    let judged: Vec<check::CheckedFile> =
        sent.into_iter().map(|file| check::check_store_file(uploading, file)).collect::<Result<_>>()?;
    let mut files = Vec::with_capacity(judged.len());
    for file in judged {
        files.push(InlineFile { name: file.name, bytes: file.content.read_all().map_err(Error::internal)? });
    }
    Ok((uploading.store.clone(), uploading.assign_to_loaders(files)))
}
