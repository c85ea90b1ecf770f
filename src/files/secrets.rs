//! The server's own secrets: random, made at first start, one file for each use, in a folder only the service's
//! user can enter (security rules 3). A damaged one is an error: a new one in its place would silently make
//! every stored credential, or every conversation's proof, worthless.

use super::vault::Vault;
use crate::domain::conversation::SessionTokens;
use crate::domain::file_link::FileLinks;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

const SECRET_BYTES: usize = 32;
/// What an unfinished file is called, until it is whole and gets its name.
const UNFINISHED: &str = ".new-";

/// The secrets, read once at start.
pub struct Secrets {
    /// Proofs of conversations.
    pub tokens: SessionTokens,
    /// Encryption of credentials.
    pub vault: Vault,
    /// Signing of file links.
    pub links: FileLinks,
}

/// Why the secrets cannot be used. Each text is one line that says what to do next.
#[derive(Debug)]
pub enum SecretsError {
    /// A file has not the size of a secret.
    Damaged {
        /// Its name in the folder `secrets`.
        name: &'static str,
    },
    /// The disk or the folder did not allow it.
    Io(io::Error),
}

impl fmt::Display for SecretsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { name } => write!(
                f,
                "the file secrets/{name} in the data folder is damaged (it must have {SECRET_BYTES} bytes); restore \
                 it from a backup. It is not made anew, because what it protects would be lost"
            ),
            Self::Io(cause) => write!(
                f,
                "the folder secrets in the data folder cannot be used: {cause}; check the disk and who may write there"
            ),
        }
    }
}

impl std::error::Error for SecretsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(cause) => Some(cause),
            Self::Damaged { .. } => None,
        }
    }
}

impl From<io::Error> for SecretsError {
    fn from(cause: io::Error) -> Self {
        Self::Io(cause)
    }
}

impl Secrets {
    /// Reads the secrets in `<data_dir>/secrets`, making those that do not exist yet. `encryption_key` (the
    /// setting `SERVICE_ENCRYPTION_KEY`) is used for credentials in place of a file.
    ///
    /// # Errors
    /// Says what is wrong and what to do next.
    pub fn open(data_dir: &Path, encryption_key: Option<[u8; 32]>) -> Result<Self, SecretsError> {
        let folder = data_dir.join("secrets");
        prepare(&folder)?;
        let vault_key = match encryption_key {
            Some(key) => key,
            None => secret(&folder, "credentials.key")?,
        };
        Ok(Self {
            tokens: SessionTokens::new(secret(&folder, "conversations.key")?),
            vault: Vault::new(&vault_key),
            links: FileLinks::new(secret(&folder, "links.key")?),
        })
    }
}

fn prepare(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    restrict(folder, 0o700)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Left by a process that was killed between making a secret and naming it.
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn restrict(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Elsewhere the folder is in the user's own profile, which other users cannot read.
#[cfg(not(unix))]
fn restrict(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

fn secret(folder: &Path, name: &'static str) -> Result<[u8; SECRET_BYTES], SecretsError> {
    let path = folder.join(name);
    if !path.try_exists()? {
        make(folder, &path)?;
    }
    restrict(&path, 0o600)?;
    fs::read(&path)?.try_into().map_err(|_| SecretsError::Damaged { name })
}

/// The file gets its name only when it is whole and on disk, and never in place of another one.
fn make(folder: &Path, path: &Path) -> io::Result<()> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    // Readable by its owner only, from the first moment.
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(&bytes)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => {}
        Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(failed) => return Err(failed.error),
    }
    #[cfg(unix)]
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::chat_file::{ChatFile, StoredName};
    use crate::domain::ids::{ChatId, CredentialId, FlowId, WorkspaceId};
    use jiff::Timestamp;
    use serde_json::Map;

    #[test]
    fn secrets_are_made_once_and_differ() {
        let data = tempfile::tempdir().unwrap();
        let (first, second) =
            (Secrets::open(data.path(), None).unwrap(), Secrets::open(data.path(), None).unwrap());
        let (flow, chat) = (FlowId::random(), ChatId::random());
        assert!(second.tokens.prove(&flow, &chat, &first.tokens.mint(&flow, &chat)));
        let file = ChatFile { flow, chat, name: StoredName::random("txt") };
        let (link, now) = (first.links.sign(&file, Timestamp::UNIX_EPOCH), Timestamp::UNIX_EPOCH);
        assert_eq!(second.links.judge(link.split_once('?').unwrap().1, now), Some(file));
        let files: Vec<_> =
            fs::read_dir(data.path().join("secrets")).unwrap().map(|file| file.unwrap().path()).collect();
        let contents: std::collections::HashSet<_> =
            files.iter().map(|path| fs::read(path).unwrap()).collect();
        assert_eq!((files.len(), contents.len()), (3, 3));
    }

    #[test]
    fn the_setting_takes_the_place_of_the_file() {
        let data = tempfile::tempdir().unwrap();
        let set = Secrets::open(data.path(), Some([9; 32])).unwrap();
        assert!(!data.path().join("secrets/credentials.key").exists());
        let (workspace, id) = (WorkspaceId::random(), CredentialId::random());
        let sealed = Vault::new(&[9; 32]).seal(&workspace, &id, &Map::new());
        assert!(set.vault.open(&workspace, &id, &sealed).is_ok());
    }

    #[test]
    fn a_damaged_secret_is_an_error_and_stays() {
        let data = tempfile::tempdir().unwrap();
        drop(Secrets::open(data.path(), None).unwrap());
        let path = data.path().join("secrets/credentials.key");
        for damage in [&b""[..], b"short", &[0; 33]] {
            fs::write(&path, damage).unwrap();
            let refused = Secrets::open(data.path(), None).err().unwrap();
            assert!(matches!(refused, SecretsError::Damaged { name: "credentials.key" }), "{refused}");
            assert_eq!(fs::read(&path).unwrap(), damage);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("secrets");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(".new-left"), "x").unwrap();
        fs::write(folder.join("links.key"), [1; 32]).unwrap();
        drop(Secrets::open(data.path(), None).unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert!(!folder.join(".new-left").exists());
        for file in fs::read_dir(&folder).unwrap() {
            assert_eq!(mode(&file.unwrap().path()), 0o600);
        }
    }
}
