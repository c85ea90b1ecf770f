//! A backup of a data folder: one moment of database, history, files and secrets, written while the service goes on; whether one is
//! whole; and a folder made of one.

mod error;
pub(crate) mod examine;
mod moment;
pub(crate) mod passphrase_file;
pub(crate) mod restore;
pub(crate) mod scheduled;

pub(crate) use error::BackupError;

use self::moment::Moment;
use crate::app::App;
use crate::backup;
use crate::backup::writer::ArchiveWriter;
use crate::base::cancel::CancelToken;
use crate::domain::service::backup::BackupSummary;
use crate::domain::service::passphrase::Passphrase;
use crate::durable::SideFile;
use crate::files::copy;
use std::io::{self, Write};
use std::path::Path;
use std::sync::TryLockError;

/// Writes a backup as it is before it is packed. What is asked meanwhile is answered: the service waits for the moment alone, and
/// the history is not packed before the end.
///
/// # Errors
/// When another one is being made, something cannot be read, or `out` does not take it.
pub(crate) fn write(
    app: &App,
    with_secrets: bool,
    out: &mut dyn Write,
    cancel: &CancelToken,
) -> Result<BackupSummary, BackupError> {
    let _turn = match app.state.backup_turn.try_lock() {
        Ok(turn) => turn,
        Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        Err(TryLockError::WouldBlock) => return Err(BackupError::Busy),
    };
    copy::remove_old_links(&app.files)?;
    let packing = app.history.hold_packing();
    let moment = Moment::take(app, &packing, with_secrets)?;
    let mut out = StoppableWriter { out, cancel };
    let written = moment.prepare(app, cancel).and_then(|ready| {
        let mut archive = ArchiveWriter::begin(&mut out, ready.head(with_secrets), ready.spool(app)?)?;
        ready.add_to(&mut archive, packing.folder(), &app.settings.data_dir)?;
        Ok(archive.finish()?)
    });
    let summary = match written {
        Err(_) if cancel.reason().is_some() => return Err(BackupError::Stopped),
        written => written?,
    };
    tracing::info!(files = summary.files, bytes = summary.bytes, secrets = with_secrets, "a backup was made");
    Ok(summary)
}

/// Writes a file that appears under its name when it is whole; what `write` writes is packed, and with a passphrase encrypted.
///
/// # Errors
/// What `write` returns, or when the disk does not take it.
pub(crate) fn write_file<T, E: From<BackupError>>(
    path: &Path,
    passphrase: Option<&Passphrase>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    let failed = |cause| BackupError::Folder(path.to_owned(), cause);
    let mut file = SideFile::create(path).map_err(failed)?;
    let done = write_packed(&mut file, passphrase, write)?;
    file.finish().map_err(failed)?;
    Ok(done)
}

/// Packs what `write` writes to `out`, and encrypts it where there is a passphrase.
///
/// # Errors
/// As [`write_file`].
pub(crate) fn write_packed<T, E: From<BackupError>>(
    out: &mut dyn Write,
    passphrase: Option<&Passphrase>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    backup::pack(out, passphrase, write).map_err(BackupError::Io)?
}

/// Removes what backups left that were killed.
///
/// # Errors
/// When the folder of the files cannot be read or written.
pub(crate) fn sweep(app: &App) -> io::Result<()> {
    // Whoever makes one has done it.
    let Ok(_turn) = app.state.backup_turn.try_lock() else { return Ok(()) };
    copy::remove_old_links(&app.files)
}

/// Takes nothing more once it is to stop.
struct StoppableWriter<'a> {
    out: &'a mut dyn Write,
    cancel: &'a CancelToken,
}

impl Write for StoppableWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cancel.reason().is_some() {
            return Err(io::Error::other("it was stopped"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
