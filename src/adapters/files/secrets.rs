//! The server's own secrets: random, made at first start, one file for each use, in a folder only the service's
//! user can enter (manual 12.7 r1). A damaged or lost one is an error, and so is one that belongs to another
//! database: with another secret every stored credential, or every conversation's proof, is silently worthless.
//! Whoever has lost one for good says so with a file beside it (`LOST`).

use super::vault::Vault;
use crate::base::hex::to_hex;
use crate::base::hmac::hmac_sha256;
use crate::domain::conversations::conversation::OwnershipTokens;
use crate::domain::conversations::file_link::FileLinks;
use crate::durable::{Access, DurableFolder, EntryKind, Tree, enforce};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the secrets in the data folder.
const FOLDER: &str = "secrets";
const SECRET_BYTES: usize = 32;
/// The names of all secrets' files.
pub const NAMES: [&str; 3] = [CREDENTIALS, CONVERSATIONS, LINKS];
pub const CREDENTIALS: &str = "credentials.key";
pub const CONVERSATIONS: &str = "conversations.key";
const LINKS: &str = "links.key";
/// What follows the name of a secret in the name of the file that gives it up.
const LOST: &str = ".lost";

/// The secrets, read once at start.
pub struct Secrets {
    pub tokens: OwnershipTokens,
    pub vault: Vault,
    pub links: FileLinks,
}

/// What the database knows of the secrets it was used with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretFingerprints {
    /// By the name of a secret's file: a hash under that secret, which says nothing about it.
    pub by_name: BTreeMap<String, String>,
    /// True when it holds what is sealed with the secret of credentials.
    pub holds_credentials: bool,
}

/// Why the secrets cannot be used. Each text is one line that says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// A file has not the size of a secret.
    #[error(
        "the file secrets/{name} in the data folder is damaged (it must have {SECRET_BYTES} bytes); restore \
         it from a backup. It is not made anew, because what it protects would be lost"
    )]
    Damaged {
        /// Its name in the folder `secrets`.
        name: &'static str,
    },
    /// A file is not there that the database was used with.
    #[error(
        "the file secrets/{name} in the data folder is missing; restore it from a backup, or, if it is lost \
         for good, make an empty file secrets/{name}{LOST}: what it protected is lost then"
    )]
    Missing {
        /// Its name in the folder `secrets`.
        name: &'static str,
    },
    /// A secret is not the one that the database was used with.
    #[error("{}", mismatch(name, *is_set))]
    Mismatch {
        /// The name of its file in the folder `secrets`.
        name: &'static str,
        /// True when it comes from the settings and not from the file.
        is_set: bool,
    },
    /// The disk or the folder did not allow it.
    #[error(
        "the folder secrets in the data folder cannot be used: {0}; check the disk and who may write there"
    )]
    Io(#[from] io::Error),
}

fn mismatch(name: &str, is_set: bool) -> String {
    if is_set {
        format!(
            "SERVICE_ENCRYPTION_KEY is not the key that credentials were stored with; set that one, or, if it is \
             lost for good, make an empty file secrets/{name}{LOST} in the data folder: the values of stored \
             credentials must then be typed in again"
        )
    } else {
        format!(
            "the file secrets/{name} in the data folder is not the one this database was used with; restore the \
             one from the same backup as the database, or, if it is lost for good, make an empty file \
             secrets/{name}{LOST}: what it protected is lost then"
        )
    }
}

impl Secrets {
    /// Reads the secrets in `<data_dir>/secrets`, making those that the database was never used with. `encryption_key` (the
    /// setting `SERVICE_ENCRYPTION_KEY`) is used for credentials in place of a file. Comes with the fingerprints that the
    /// database shall know from now on; what gives a lost secret up is removed by [`Self::remove_loss_markers`] when it
    /// does.
    ///
    /// # Errors
    /// Says what is wrong and what to do next.
    pub fn open(
        data_dir: &Path,
        encryption_key: Option<[u8; 32]>,
        known: &SecretFingerprints,
    ) -> Result<(Self, BTreeMap<String, String>), SecretsError> {
        let folder = open_folder(data_dir)?;
        let folder = &SecretsFolder { path: data_dir.join(FOLDER), folder };
        let mut fingerprints = BTreeMap::new();
        let mut take = |name, set| {
            let secret = load_secret(folder, name, set, known)?;
            fingerprints.insert(name.to_owned(), fingerprint(&secret, name));
            Ok::<_, SecretsError>(secret)
        };
        let secrets = Self {
            vault: Vault::new(&take(CREDENTIALS, encryption_key)?),
            tokens: OwnershipTokens::new(take(CONVERSATIONS, None)?),
            links: FileLinks::new(take(LINKS, None)?),
        };
        Ok((secrets, fingerprints))
    }

    /// Removes the files by which somebody gave a lost secret up.
    ///
    /// # Errors
    /// When one cannot be removed: it would give the next secret up too.
    pub fn remove_loss_markers(data_dir: &Path) -> Result<(), SecretsError> {
        for name in NAMES {
            match fs::remove_file(data_dir.join(FOLDER).join(loss_marker(name))) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The secret of this name, where it is the one the database was used with.
fn load_secret(
    drawer: &SecretsFolder,
    name: &'static str,
    set: Option<[u8; SECRET_BYTES]>,
    known: &SecretFingerprints,
) -> Result<[u8; SECRET_BYTES], SecretsError> {
    let print = known.by_name.get(name);
    // Credentials say by themselves that the secret was there, in a database from before there were fingerprints too; and
    // as long as there are none, a server may go on with another key.
    let is_needed = if name == CREDENTIALS { known.holds_credentials } else { print.is_some() };
    let is_needed = is_needed && drawer.folder.entry(&loss_marker(name))?.is_none();
    let secret = match set {
        Some(secret) => secret,
        None if is_needed && drawer.folder.entry(name)?.is_none() => {
            return Err(SecretsError::Missing { name });
        }
        None => drawer.read_or_create(name, print.is_some())?,
    };
    match print {
        Some(print) if is_needed && *print != fingerprint(&secret, name) => {
            Err(SecretsError::Mismatch { name, is_set: set.is_some() })
        }
        _ => Ok(secret),
    }
}

/// The secrets that the database was used with and that are not in `data_dir` as it knew them. Nothing is made or changed.
///
/// # Errors
/// When a file cannot be read.
pub fn lacking_secrets(
    data_dir: &Path,
    encryption_key: Option<[u8; SECRET_BYTES]>,
    known: &SecretFingerprints,
) -> io::Result<Vec<&'static str>> {
    let mut lacking = Vec::new();
    for name in NAMES {
        let print = known.by_name.get(name);
        let is_needed = if name == CREDENTIALS { known.holds_credentials } else { print.is_some() };
        let bytes = match encryption_key.filter(|_| name == CREDENTIALS) {
            Some(key) => key.to_vec(),
            None => match fs::read(data_dir.join(FOLDER).join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                read => read?,
            },
        };
        let secret: Option<[u8; SECRET_BYTES]> = bytes.try_into().ok();
        let fits =
            secret.is_some_and(|secret| print.is_none_or(|print| *print == fingerprint(&secret, name)));
        if is_needed && !fits {
            lacking.push(name);
        }
    }
    Ok(lacking)
}

fn loss_marker(name: &str) -> String {
    format!("{name}{LOST}")
}

fn fingerprint(secret: &[u8; SECRET_BYTES], name: &str) -> String {
    let print = hmac_sha256(secret, &[b"flowkeep: which secret is this?\0", name.as_bytes()]);
    to_hex(&print[..16])
}

fn open_folder(data_dir: &Path) -> Result<DurableFolder, SecretsError> {
    let path = data_dir.join(FOLDER);
    enforce(&path, Access::Owner, None).map_err(|loose| loose.cause)?;
    let folder = Tree::within(&Tree::new(data_dir, Access::Owner), FOLDER, Access::Owner).make(&[])?;
    for entry in folder.entries()? {
        // Left by a process that was killed between making a secret and naming it.
        if entry.kind == EntryKind::Unfinished {
            folder.remove(&entry.name)?;
        }
    }
    Ok(folder)
}

struct SecretsFolder {
    path: PathBuf,
    folder: DurableFolder,
}

impl SecretsFolder {
    /// The secret in the file of this name. One that the database does not know yet may be one whose maker was killed, or
    /// was told that the disk did not take it, so it is written anew, as it is.
    fn read_or_create(&self, name: &'static str, is_known: bool) -> Result<[u8; SECRET_BYTES], SecretsError> {
        let found = self.folder.entry(name)?.map(|entry| entry.kind);
        let mut secret = [0; SECRET_BYTES];
        if found.is_some() {
            // An operator's link is followed, and stays one.
            let bytes = fs::read(self.path.join(name))?;
            secret = bytes.try_into().map_err(|_| SecretsError::Damaged { name })?;
        } else {
            getrandom::fill(&mut secret).map_err(io::Error::other)?;
        }
        if found.is_none() || !is_known && matches!(found, Some(EntryKind::File(_))) {
            self.folder.write(name, &secret)?;
        }
        Ok(secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::conversations::file::{ChatFile, ChatFileName};
    use crate::domain::ids::{ChatId, CredentialId, FlowId, WorkspaceId};
    use jiff::Timestamp;
    use serde_json::Map;

    fn open(data: &Path) -> Secrets {
        Secrets::open(data, None, &SecretFingerprints::default()).unwrap().0
    }

    fn used(data: &Path, key: Option<[u8; 32]>) -> SecretFingerprints {
        SecretFingerprints {
            by_name: Secrets::open(data, key, &SecretFingerprints::default()).unwrap().1,
            holds_credentials: true,
        }
    }

    fn refused(data: &Path, key: Option<[u8; 32]>, known: &SecretFingerprints) -> SecretsError {
        Secrets::open(data, key, known).err().unwrap()
    }

    #[test]
    fn secrets_are_made_once_and_differ() {
        let data = tempfile::tempdir().unwrap();
        let (first, second) = (open(data.path()), open(data.path()));
        let (flow, chat) = (FlowId::random(), ChatId::random());
        assert!(second.tokens.verify(&flow, &chat, &first.tokens.mint(&flow, &chat)));
        let file = ChatFile { flow, chat, name: ChatFileName::generate("txt", 0) };
        let (link, now) = (first.links.sign(&file, Timestamp::UNIX_EPOCH), Timestamp::UNIX_EPOCH);
        assert_eq!(second.links.verify(link.split_once('?').unwrap().1, now), Some(file));
        let files: Vec<_> =
            fs::read_dir(data.path().join("secrets")).unwrap().map(|file| file.unwrap().path()).collect();
        let contents: std::collections::HashSet<_> =
            files.iter().map(|path| fs::read(path).unwrap()).collect();
        assert_eq!((files.len(), contents.len()), (3, 3));
    }

    #[test]
    fn the_setting_takes_the_place_of_the_file() {
        let data = tempfile::tempdir().unwrap();
        let (set, _) = Secrets::open(data.path(), Some([9; 32]), &SecretFingerprints::default()).unwrap();
        assert!(!data.path().join("secrets/credentials.key").exists());
        let (workspace, id) = (WorkspaceId::random(), CredentialId::random());
        let sealed = Vault::new(&[9; 32]).seal(&workspace, &id, &Map::new());
        assert!(set.vault.open(&workspace, &id, &sealed).is_ok());
    }

    #[test]
    fn a_damaged_secret_is_an_error_and_stays() {
        let data = tempfile::tempdir().unwrap();
        drop(open(data.path()));
        let path = data.path().join("secrets/credentials.key");
        for damage in [&b""[..], b"short", &[0; 33]] {
            fs::write(&path, damage).unwrap();
            let refused = refused(data.path(), None, &SecretFingerprints::default());
            assert!(matches!(refused, SecretsError::Damaged { name: "credentials.key" }), "{refused}");
            assert_eq!(fs::read(&path).unwrap(), damage);
        }
    }

    #[test]
    fn a_secret_the_database_was_used_with_is_never_replaced() {
        for name in NAMES {
            let data = tempfile::tempdir().unwrap();
            let known = used(data.path(), None);
            let path = data.path().join("secrets").join(name);
            let secret = fs::read(&path).unwrap();
            fs::remove_file(&path).unwrap();
            let missing = refused(data.path(), None, &known);
            assert!(matches!(missing, SecretsError::Missing { name: which } if which == name), "{missing}");
            assert!(!path.exists(), "{name}");
            fs::write(&path, [7; 32]).unwrap();
            let other = refused(data.path(), None, &known);
            assert!(
                matches!(other, SecretsError::Mismatch { name: which, is_set: false } if which == name),
                "{other}"
            );
            fs::write(&path, secret).unwrap();
            assert_eq!(Secrets::open(data.path(), None, &known).unwrap().1, known.by_name);
        }
    }

    #[test]
    fn another_encryption_key_is_refused_and_the_same_one_is_not() {
        let data = tempfile::tempdir().unwrap();
        let known = used(data.path(), Some([9; 32]));
        assert!(Secrets::open(data.path(), Some([9; 32]), &known).is_ok());
        let other = refused(data.path(), Some([8; 32]), &known);
        assert!(matches!(other, SecretsError::Mismatch { is_set: true, .. }), "{other}");
        // Without the setting there is no file to go back to.
        let gone = refused(data.path(), None, &known);
        assert!(matches!(gone, SecretsError::Missing { name: CREDENTIALS }), "{gone}");
    }

    #[test]
    fn a_server_without_credentials_may_go_on_with_another_key() {
        let data = tempfile::tempdir().unwrap();
        let known = SecretFingerprints { holds_credentials: false, ..used(data.path(), None) };
        let (_, prints) = Secrets::open(data.path(), Some([9; 32]), &known).unwrap();
        assert_ne!(prints[CREDENTIALS], known.by_name[CREDENTIALS]);
    }

    #[test]
    fn a_database_from_before_fingerprints_gets_them_and_misses_the_secret_of_its_credentials() {
        let data = tempfile::tempdir().unwrap();
        let known = SecretFingerprints { holds_credentials: true, ..SecretFingerprints::default() };
        let gone = refused(data.path(), None, &known);
        assert!(matches!(gone, SecretsError::Missing { name: CREDENTIALS }), "{gone}");
        drop(open(data.path()));
        fs::remove_file(data.path().join("secrets").join(LINKS)).unwrap();
        assert_eq!(Secrets::open(data.path(), None, &known).unwrap().1.len(), 3);
    }

    #[test]
    fn a_secret_that_is_lost_for_good_can_be_given_up() {
        let data = tempfile::tempdir().unwrap();
        let known = used(data.path(), None);
        let path = data.path().join("secrets").join(CREDENTIALS);
        fs::remove_file(&path).unwrap();
        fs::write(data.path().join("secrets").join(loss_marker(CREDENTIALS)), "").unwrap();
        let (_, prints) = Secrets::open(data.path(), None, &known).unwrap();
        assert_ne!(prints[CREDENTIALS], known.by_name[CREDENTIALS]);
        assert_eq!(prints[LINKS], known.by_name[LINKS]);
        Secrets::remove_loss_markers(data.path()).unwrap();
        let known = SecretFingerprints { by_name: prints, ..known };
        assert!(Secrets::open(data.path(), None, &known).is_ok());
        fs::remove_file(&path).unwrap();
        assert!(matches!(refused(data.path(), None, &known), SecretsError::Missing { .. }), "given up once");
    }

    #[test]
    fn a_fingerprint_says_nothing_but_whether_it_is_the_same() {
        let print = |secret: u8, name| fingerprint(&[secret; 32], name);
        assert_eq!(print(1, LINKS), print(1, LINKS));
        assert_ne!(print(1, LINKS), print(2, LINKS));
        assert_ne!(print(1, LINKS), print(1, CREDENTIALS));
        assert_eq!(print(1, LINKS).len(), 32);
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
        drop(open(data.path()));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert!(!folder.join(".new-left").exists());
        for file in fs::read_dir(&folder).unwrap() {
            assert_eq!(mode(&file.unwrap().path()), 0o600);
        }
    }
}
