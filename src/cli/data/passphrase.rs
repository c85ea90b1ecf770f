//! The passphrase of a backup: never on the command line, where every user of the machine can read it.

use super::STANDARD_STREAM;
use crate::cli::{CliError, Context, prompt};
use crate::domain::service::passphrase::Passphrase;
use crate::ops::service::backup::passphrase_file;
use std::path::Path;

/// Where the passphrase of a backup stands.
#[derive(clap::Args)]
pub(super) struct PassphraseArgs {
    /// File with the passphrase of the backup, or - to be asked for it [env: SERVICE_BACKUP_PASSPHRASE_FILE]
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<String>,
}

impl PassphraseArgs {
    /// The passphrase that a new backup is encrypted with; `None` where none is named.
    pub(super) fn for_new(&self, context: &Context<'_>) -> Result<Option<Passphrase>, CliError> {
        self.read(context, prompt::new_passphrase)
    }

    /// The passphrase that opens this backup; `None` where none is named.
    pub(super) fn for_archive(
        &self,
        context: &Context<'_>,
        archive: &Path,
    ) -> Result<Option<Passphrase>, CliError> {
        self.read(context, || {
            if archive == Path::new(STANDARD_STREAM) {
                return Err(CliError::Usage(
                    "the backup and its passphrase cannot both come from standard input: name a file for one of them".to_owned(),
                ));
            }
            prompt::passphrase()
        })
    }

    fn read(
        &self,
        context: &Context<'_>,
        ask: impl FnOnce() -> Result<Passphrase, CliError>,
    ) -> Result<Option<Passphrase>, CliError> {
        match context.text(&self.passphrase_file, "SERVICE_BACKUP_PASSPHRASE_FILE").as_deref() {
            None => Ok(None),
            Some(STANDARD_STREAM) => ask().map(Some),
            Some(file) => Ok(Some(passphrase_file::load(Path::new(file))?)),
        }
    }
}
