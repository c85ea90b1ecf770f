//! Bringing the data of an older program to what this one writes, without starting it.

use crate::settings::Settings;
use crate::store::{OpenError, Store, UpgradeState};
use std::path::PathBuf;

/// What an upgrade of a data folder would be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UpgradePlan {
    /// The data is in this format, which the program writes.
    None { format: u32 },
    Due {
        found: u32,
        known: u32,
        /// Bytes of the copy that is made before.
        copy_bytes: u64,
    },
}

/// Says what [`run`] would do, and changes nothing.
///
/// # Errors
/// When a service uses the folder, and when this program does not know the format.
pub(crate) fn plan(settings: &Settings) -> Result<UpgradePlan, OpenError> {
    let database = settings.database();
    Ok(match Store::upgrade_state(&database)? {
        UpgradeState::Ready { format } => UpgradePlan::None { format },
        UpgradeState::Due { found, known } => {
            let files = Store::files(&database).into_iter().filter_map(|file| std::fs::metadata(file).ok());
            UpgradePlan::Due { found, known, copy_bytes: files.map(|file| file.len()).sum() }
        }
    })
}

/// Brings the data to the format of this program, and keeps the database as it was in [`copy_folder`].
///
/// # Errors
/// As [`plan`], and when the copy cannot be made; nothing changed then.
pub(crate) fn run(settings: &Settings) -> Result<(), OpenError> {
    Store::open(&settings.database()).map(drop)
}

/// Where the database lies as it was before its last upgrade; there need not have been one.
pub(crate) fn copy_folder(settings: &Settings) -> PathBuf {
    Store::upgrade_copy(&settings.database())
}
