//! What a backup holds, looked at where it was unpacked: whether its database and its history open, and what is damaged in them.

use super::BackupError;
use crate::backup::reader::{ExtractResult, extract};
use crate::backup::{ArchiveError, DATABASE, FILES};
use crate::base::cancel::CancelToken;
use crate::domain::error::Error;
use crate::domain::service::backup::BackupSummary;
use crate::domain::service::passphrase::Passphrase;
use crate::durable::Scratch;
use crate::files::integrity;
use crate::files::secrets::{CONVERSATIONS, CREDENTIALS, lacking_secrets};
use crate::ops::flows::versions;
use crate::ops::service::{history, server_secrets};
use crate::settings::Settings;
use crate::store::Store;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// What was found in a backup.
pub(crate) struct BackupFindings {
    pub summary: BackupSummary,
    /// It was encrypted, and the passphrase opened it.
    pub is_encrypted: bool,
    pub rows: u64,
    pub versions: usize,
    /// A sentence for each thing that was damaged when it was backed up.
    pub damages: Vec<String>,
    /// What does not open with the secrets that are there, in words.
    pub closed: Vec<&'static str>,
}

/// Checks a backup to its last byte, without restoring it: it is unpacked into `folder`, and removed from there. `passphrase` opens it
/// where it is encrypted.
///
/// # Errors
/// When it is not whole or does not open, its database cannot be opened, or there is no room.
pub(crate) fn verify(
    input: impl Read,
    passphrase: Option<&Passphrase>,
    folder: &Path,
    settings: &Settings,
) -> Result<BackupFindings, BackupError> {
    let name = format!("flowkeep-verify-{}", uuid::Uuid::new_v4().simple());
    let place =
        Scratch::create(folder, &name).map_err(|cause| BackupError::Folder(folder.to_owned(), cause))?;
    let extracted = extract(input, passphrase, &place)?;
    examine(extracted, place.path(), place.path(), settings)
}

/// Looks at what was unpacked at `data`; `secrets` is the data folder whose secrets will be used with it.
pub(super) fn examine(
    extracted: ExtractResult,
    data: &Path,
    secrets: &Path,
    settings: &Settings,
) -> Result<BackupFindings, BackupError> {
    if !data.join(DATABASE).exists() {
        return Err(ArchiveError::Damaged("it has no database".to_owned()).into());
    }
    let store = Store::open_read_only(&data.join(DATABASE))
        .map_err(|error| BackupError::Database(error.to_string()))?;
    let rows = store.verify(&|| false)?;
    let files = integrity::verify(&data.join(FILES), &|| false).map_err(BackupError::Look)?;
    let mut damages: Vec<String> =
        rows.damages.iter().chain(&files.damages).map(|damage| format!("the {}", damage.place())).collect();
    let known = server_secrets::load_fingerprints(&store)?;
    let lacking = lacking_secrets(secrets, settings.encryption_key, &known).map_err(BackupError::Look)?;
    let store = Arc::new(store);
    let mut place = settings.clone();
    place.data_dir = data.to_owned();
    place.versions_dir = None;
    place.history = true;
    let looked = history::open_read_only(&place, &store)
        .and_then(|history| versions::verify(&history, &CancelToken::new(None)));
    let versions = match looked {
        Ok(report) => {
            damages.extend(report.problems);
            report.versions
        }
        Err(Error::Cancelled) => return Err(BackupError::Stopped),
        Err(error) => {
            damages.push(format!("the history: {error}"));
            0
        }
    };
    Ok(BackupFindings {
        summary: extracted.summary,
        is_encrypted: extracted.is_encrypted,
        rows: rows.rows,
        versions,
        damages,
        closed: lacking.into_iter().map(protected).collect(),
    })
}

/// What a secret opens.
fn protected(secret: &'static str) -> &'static str {
    match secret {
        CREDENTIALS => "stored credentials",
        CONVERSATIONS => "conversations that callers hold a token of",
        _ => "links to files that were given out",
    }
}
