//! The file that the passphrase of backups stands in: the operator's, and read whenever it is needed, so no setting holds it.

use super::BackupError;
use crate::domain::service::passphrase::{PASSPHRASE_MAX_BYTES, Passphrase, PassphraseError};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;
use zeroize::Zeroizing;

/// Why the file gives no passphrase, as the end of a sentence about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PassphraseFileError {
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    #[error("is a folder")]
    Folder,
    #[error("is open to other users of this machine; close it to them with chmod 600")]
    Open,
    #[error(transparent)]
    Content(#[from] PassphraseError),
}

/// Reads the passphrase in a file (manual 13.13 r11).
///
/// # Errors
/// [`BackupError::Passphrase`] when the file cannot be read, is open to others, or holds no passphrase.
pub(crate) fn load(path: &Path) -> Result<Passphrase, BackupError> {
    read(path).map_err(|fault| BackupError::Passphrase(path.to_owned(), fault))
}

/// As [`load`], of any file with a secret of the operator.
///
/// # Errors
/// As the end of a sentence about the file.
pub(crate) fn read(path: &Path) -> Result<Passphrase, PassphraseFileError> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(PassphraseFileError::Folder);
    }
    if is_open_to_others(&about) {
        return Err(PassphraseFileError::Open);
    }
    // A longer one is told from the longest by one byte, behind its line end.
    let most = PASSPHRASE_MAX_BYTES + "\r\n".len() + 1;
    let mut text = Zeroizing::new(Vec::with_capacity(most));
    file.take(most as u64).read_to_end(&mut text)?;
    Ok(Passphrase::parse(text)?)
}

/// True where anybody may read the file, or others than its owner may write it. A group may read it, because a service that is given
/// the file by its operator is often in its group alone. What is no file, such as a pipe of a shell, has nobody but its two ends.
#[cfg(unix)]
fn is_open_to_others(about: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    about.is_file() && about.mode() & 0o027 != 0
}

/// Elsewhere files of a user are in the user's own profile, which other users cannot read.
#[cfg(not(unix))]
const fn is_open_to_others(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_or_change_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("passphrase");
        fs::write(&path, "correct horse\n").unwrap();
        for (mode, is_good) in [(0o600, true), (0o400, true), (0o440, true), (0o640, true)]
            .into_iter()
            .chain([(0o644, false), (0o604, false), (0o660, false), (0o602, false), (0o601, false)])
        {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match read(&path) {
                Ok(passphrase) => assert!(is_good && passphrase.bytes() == b"correct horse", "{mode:o}"),
                Err(fault) => assert!(!is_good && matches!(fault, PassphraseFileError::Open), "{mode:o}"),
            }
        }
    }

    #[test]
    fn what_is_no_file_with_a_passphrase_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read(folder.path()), Err(PassphraseFileError::Folder)));
        let missing = load(&folder.path().join("none")).unwrap_err().to_string();
        assert!(missing.starts_with("the file of the passphrase, ") && missing.contains("cannot be read"));
    }
}
