//! The data folder itself.

use crate::app::AppOpenError;
use crate::durable::{Access, Folder, Tree, enforce, restrict_umask};
use crate::history::History;
use crate::ops::service::backup::restore::settle_interrupted;
use crate::settings::Settings;
use crate::store::Store;
use std::io;
use std::path::{Path, PathBuf};

/// The folders of a service, each readable by those who may.
pub(crate) struct DataFolders {
    pub data: Tree,
    /// The history repository, in the data folder or elsewhere. It is made when the first version comes.
    pub versions: Tree,
}

/// Makes the data folder and closes what is more open than it should be.
///
/// # Errors
/// When it cannot be made, is no folder, or cannot be closed to others.
pub(crate) fn prepare(settings: &Settings) -> Result<DataFolders, AppOpenError> {
    restrict_umask();
    let trees = Trees::new(settings);
    trees.data.make(&[]).map_err(AppOpenError::Folder)?;
    if settle_interrupted(trees.data.root()).map_err(AppOpenError::Folder)? {
        return Err(AppOpenError::Restoring);
    }
    trees.restrict(settings)?;
    Ok(DataFolders { data: trees.data, versions: trees.versions })
}

/// Closes to other users what should be closed to them.
///
/// # Errors
/// [`AppOpenError::Loose`] when it cannot be closed.
pub(crate) fn restrict(settings: &Settings) -> Result<(), AppOpenError> {
    Trees::new(settings).restrict(settings)
}

/// Folders of the data folder that other users may enter, though nobody but the service's user has business there.
#[cfg(unix)]
pub(crate) fn open_folders(settings: &Settings) -> Vec<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    let of_data = if Trees::new(settings).of_data == Access::Traverse { 0o067 } else { 0o077 };
    let folders = [(settings.data_dir.clone(), of_data), (settings.data_dir.join("secrets"), 0o077)];
    let is_open =
        |(path, mask): &(PathBuf, u32)| std::fs::metadata(path).is_ok_and(|found| found.mode() & mask != 0);
    folders.into_iter().filter(is_open).map(|(path, _)| path).collect()
}

/// Elsewhere the data folder is in the user's own profile, which other users cannot read.
#[cfg(not(unix))]
pub(crate) const fn open_folders(_: &Settings) -> Vec<PathBuf> {
    Vec::new()
}

/// The data folder and the one of the history, and who may read each.
struct Trees {
    data: Tree,
    of_data: Access,
    versions: Tree,
    of_versions: Access,
}

impl Trees {
    fn new(settings: &Settings) -> Self {
        let of_versions = if settings.versions_group_read { Access::Group } else { Access::Owner };
        let of_data = match settings.versions_dir {
            // The group must get to what it may read.
            None if settings.versions_group_read => Access::Traverse,
            _ => Access::Owner,
        };
        let data = Tree::new(&settings.data_dir, of_data);
        let versions = match &settings.versions_dir {
            Some(folder) => Tree::new(folder, of_versions),
            None => Tree::within(&data, "versions", of_versions),
        };
        Self { data, of_data, versions, of_versions }
    }

    fn restrict(&self, settings: &Settings) -> Result<(), AppOpenError> {
        let versions = self.versions.root();
        enforce(self.data.root(), self.of_data, Some(versions)).map_err(AppOpenError::Loose)?;
        // A folder that is somebody else's repository is not touched.
        if settings.history && !History::is_foreign(versions) {
            enforce(versions, self.of_versions, None).map_err(AppOpenError::Loose)?;
        }
        Ok(())
    }
}

/// True for a folder that a service has used and whose database is empty, unfinished or gone: a new one in its place would
/// be a server without an owner, which the first who comes may register. At a first start the database is made before
/// anything else, so that a start which was interrupted leaves none of what is looked for here.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn is_missing_database(folder: &Path, database: &Path) -> io::Result<bool> {
    if Store::exists(database)? {
        return Ok(false);
    }
    let [_, journals @ ..] = Store::files(database);
    let journal = journals.iter().any(|journal| journal.exists());
    Ok(journal || has_content(&folder.join("secrets"))? || has_content(&folder.join("versions"))?)
}

fn has_content(folder: &Path) -> io::Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Bytes that may still be written where a data folder lies; `None` when it is not there.
///
/// # Errors
/// When the system does not say.
pub(crate) fn free_bytes(data: &Path) -> io::Result<Option<u64>> {
    Folder::open(data, &[])?.map(|folder| folder.free_bytes()).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{App, AppOpenError};
    use std::fs;

    fn open(folder: &Path) -> Result<App, AppOpenError> {
        let folder = folder.to_str();
        let flags = crate::settings::Flags::default().with("SERVICE_DATA_DIR", "--data-dir", folder);
        let settings = crate::settings::Settings::from_vars(|_| None, flags).unwrap();
        App::open(settings, crate::settings::Environment::new(|_| None))
    }

    #[test]
    fn a_used_folder_without_its_database_is_refused_and_left_alone() {
        let (folder, app, _) = App::with_owner();
        drop(app);
        let database = folder.path().join("flowkeep.redb");
        for remains in ["flowkeep.journal", "flowkeep.journal2", "secrets/links.key", "versions/HEAD"] {
            let used = tempfile::tempdir().unwrap();
            let rest = used.path().join(remains);
            fs::create_dir_all(rest.parent().unwrap()).unwrap();
            fs::write(&rest, "x").unwrap();
            for emptied in [false, true] {
                if emptied {
                    fs::write(used.path().join("flowkeep.redb"), [0; 100]).unwrap();
                }
                assert!(matches!(open(used.path()), Err(AppOpenError::NoDatabase)), "{remains}");
                assert_eq!(used.path().join("flowkeep.redb").exists(), emptied, "{remains}");
            }
        }
        fs::remove_file(&database).unwrap();
        assert!(matches!(open(folder.path()), Err(AppOpenError::NoDatabase)));
    }

    #[test]
    fn a_first_start_that_was_interrupted_can_be_made_again() {
        let begun = tempfile::tempdir().unwrap();
        // As programs left it that made the database in its place.
        fs::write(begun.path().join("flowkeep.redb"), [0; 4096]).unwrap();
        fs::write(begun.path().join("flowkeep.redb.new-a1b2c3"), "").unwrap();
        fs::create_dir(begun.path().join("databases")).unwrap();
        fs::create_dir(begun.path().join("versions")).unwrap();
        drop(open(begun.path()).unwrap());
        // The database was there before its secrets were.
        fs::remove_dir_all(begun.path().join("secrets")).unwrap();
        let lost = open(begun.path()).err().unwrap();
        assert!(matches!(lost, AppOpenError::Secrets(_)), "{lost}");
    }
}
