//! The data folder itself.

use crate::store::Store;
use std::io;
use std::path::Path;

/// Makes the folder, readable by its owner only.
///
/// # Errors
/// When it cannot be made or is no folder.
pub fn prepare(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// True for a folder that a service has used and whose database is empty or gone: a new one in its place would be a
/// server without an owner, which the first who comes may register. At a first start the database is made before
/// anything else, so that a start which was interrupted leaves none of what is looked for here.
///
/// # Errors
/// When the folder cannot be read.
pub fn lacks_its_database(folder: &Path, database: &Path) -> io::Result<bool> {
    match std::fs::metadata(database) {
        Ok(found) if found.len() > 0 => return Ok(false),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(_) | Err(_) => {}
    }
    let [_, journals @ ..] = Store::files(database);
    let journal = journals.iter().any(|journal| journal.exists());
    Ok(journal || holds_something(&folder.join("secrets"))? || holds_something(&folder.join("versions"))?)
}

fn holds_something(folder: &Path) -> io::Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{App, OpenError};
    use std::fs;

    fn open(folder: &Path) -> Result<App, OpenError> {
        let folder = folder.to_str();
        let flags = crate::settings::Flags::default().with("SERVICE_DATA_DIR", "--data-dir", folder);
        let settings = crate::settings::Settings::from_vars(|_| None, flags).unwrap();
        App::open(settings, crate::settings::Environment::new(|_| None))
    }

    #[test]
    fn a_used_folder_without_its_database_is_refused_and_left_alone() {
        let (folder, app, _) = App::owned();
        drop(app);
        let database = folder.path().join("flowkeep.redb");
        for remains in ["flowkeep.journal", "flowkeep.journal2", "secrets/links.key", "versions/HEAD"] {
            let used = tempfile::tempdir().unwrap();
            let rest = used.path().join(remains);
            fs::create_dir_all(rest.parent().unwrap()).unwrap();
            fs::write(&rest, "x").unwrap();
            for emptied in [false, true] {
                if emptied {
                    fs::write(used.path().join("flowkeep.redb"), "").unwrap();
                }
                assert!(matches!(open(used.path()), Err(OpenError::NoDatabase)), "{remains}");
                assert_eq!(used.path().join("flowkeep.redb").exists(), emptied, "{remains}");
            }
        }
        fs::remove_file(&database).unwrap();
        assert!(matches!(open(folder.path()), Err(OpenError::NoDatabase)));
    }

    #[test]
    fn a_first_start_that_was_interrupted_can_be_made_again() {
        let begun = tempfile::tempdir().unwrap();
        fs::write(begun.path().join("flowkeep.redb"), "").unwrap();
        fs::create_dir(begun.path().join("databases")).unwrap();
        fs::create_dir(begun.path().join("versions")).unwrap();
        drop(open(begun.path()).unwrap());
        // The database was there before its secrets were.
        fs::remove_dir_all(begun.path().join("secrets")).unwrap();
        let lost = open(begun.path()).err().unwrap();
        assert!(matches!(lost, OpenError::Secrets(_)), "{lost}");
    }
}
