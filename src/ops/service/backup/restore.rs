//! A data folder made of a backup: the old one or the new one, whatever instant ends the process.

use super::BackupError;
use super::examine::{BackupFindings, examine};
use crate::backup::reader::extract;
use crate::backup::{DATABASE, DATABASES, FILES, SECRETS, VERSIONS};
use crate::domain::service::passphrase::Passphrase;
use crate::durable::{Replacement, ReplacementState, is_pending, settle};
use crate::settings::Settings;
use crate::store::{DatabaseLock, Store};
use jiff::Timestamp;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// What may be in a folder that counts as empty: of the disk, and of earlier restores.
const HARMLESS: [&str; 3] = ["lost+found", "control.sock", ".restore"];
/// How the name of the folder begins that keeps what was there before.
const KEPT: &str = "before-restore-";

/// What became of a restore.
pub(crate) struct RestoreResult {
    pub findings: BackupFindings,
    /// The folder in the data folder that has what was there before.
    pub kept: Option<String>,
    /// The secrets that were there stay, because the backup has none.
    pub keeps_secrets: bool,
}

/// Makes the data folder of `settings` what the backup holds, which `passphrase` opens where it is encrypted. `replaces` allows that
/// there is one already.
///
/// # Errors
/// When the backup or the folder is not fit for it: then nothing was changed. A disk that fails at the very end leaves the rest to
/// the next start.
pub(crate) fn restore(
    input: impl Read,
    passphrase: Option<&Passphrase>,
    settings: &Settings,
    replaces: bool,
) -> Result<RestoreResult, BackupError> {
    let folder = settings.data_dir.as_path();
    let refused = |cause: io::Error| BackupError::Folder(folder.to_owned(), cause);
    if settings.versions_dir.is_some() {
        return Err(BackupError::HistoryElsewhere);
    }
    let state = settle(folder).map_err(refused)?;
    report(&state);
    if state == ReplacementState::UnderWay {
        return Err(BackupError::UnderWay(folder.to_owned()));
    }
    let is_occupied = judge_folder(folder)?;
    let held = lock(folder)?;
    if is_occupied && !replaces {
        return Err(BackupError::Occupied(folder.to_owned()));
    }
    let replacement =
        Replacement::begin(folder).map_err(|error| BackupError::replacement(folder.to_owned(), error))?;
    let place = replacement.scratch().map_err(refused)?;
    let extracted = extract(input, passphrase, place)?;
    let has_secrets = place.path().join(SECRETS).is_dir();
    let secrets = if has_secrets { place.path() } else { folder }.to_owned();
    let findings = examine(extracted, place.path(), &secrets, settings)?;
    // One that started meanwhile, where there was no database to lock, has one now.
    let _late = if held.has_database() { None } else { Some(lock(folder)?) };
    let keeps_secrets = !has_secrets && folder.join(SECRETS).is_dir();
    let database = Path::new(DATABASE);
    let names = Store::files(database).map(|path| path.display().to_string());
    let loss_marker = Path::new(DATABASE).with_extension("journal.lost").display().to_string();
    let mut replaced: Vec<&str> = names.iter().map(String::as_str).collect();
    replaced.extend([loss_marker.as_str(), VERSIONS, FILES, DATABASES]);
    replaced.extend(has_secrets.then_some(SECRETS));
    let kept = format!("{KEPT}{}", Timestamp::now().strftime("%Y-%m-%dT%H%M%S%.3fZ"));
    let was_there = replacement.complete(&replaced, &kept).map_err(refused)?;
    Ok(RestoreResult { findings, kept: was_there.then_some(kept), keeps_secrets })
}

/// Sees to what a restore left that was killed; true while one is under way.
///
/// # Errors
/// When the folder cannot be read or written.
pub(crate) fn settle_interrupted(folder: &Path) -> io::Result<bool> {
    let state = settle(folder)?;
    report(&state);
    Ok(state == ReplacementState::UnderWay)
}

/// True while a restore is under way, or waits for the next start.
pub(crate) fn is_under_way(folder: &Path) -> bool {
    is_pending(folder)
}

fn report(state: &ReplacementState) {
    match state {
        ReplacementState::Completed(kept) => {
            tracing::warn!(
                "a restore that was interrupted was completed; what was there before, if anything was, is in {kept}"
            );
        }
        ReplacementState::Undone => {
            tracing::warn!(
                "a restore that was interrupted was undone; the data folder is as it was before it"
            );
        }
        ReplacementState::None | ReplacementState::UnderWay => {}
    }
}

/// True for a folder with data of a service, false for one that is empty or not there.
fn judge_folder(folder: &Path) -> Result<bool, BackupError> {
    let refused = |cause: io::Error| BackupError::Folder(folder.to_owned(), cause);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        entries => entries.map_err(refused)?,
    };
    let (mut is_occupied, mut is_strange) = (false, false);
    for entry in entries {
        let name = entry.map_err(refused)?.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("flowkeep.") || [VERSIONS, FILES, SECRETS, DATABASES].contains(&&*name) {
            is_occupied = true;
        } else if !HARMLESS.contains(&&*name) && !name.starts_with(KEPT) {
            is_strange = true;
        }
    }
    // Folders with these names alone may be anybody's.
    let is_ours = folder.join(DATABASE).exists() || !is_strange;
    match (is_occupied && is_ours, is_strange) {
        (true, _) => Ok(true),
        (false, true) => Err(BackupError::Strange(folder.to_owned())),
        (false, false) => Ok(false),
    }
}

/// Keeps services away from what is there.
fn lock(folder: &Path) -> Result<DatabaseLock, BackupError> {
    let lock =
        Store::lock(&folder.join(DATABASE)).map_err(|cause| BackupError::Folder(folder.to_owned(), cause))?;
    lock.ok_or_else(|| BackupError::InUse(folder.to_owned()))
}
