//! Who may read what is made, whatever the mask of the process: the service's own user, and nobody else unless told.

use std::fs::File;
use std::io;
#[cfg(not(unix))]
use std::path::Path;
use std::path::PathBuf;

/// Who may read the folders and files of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// The service's user only.
    #[default]
    Owner,
    /// The group of the folder too, for reading.
    Group,
    /// The group may pass through the uppermost folder, to one in it that is open to it, and see nothing on its way.
    Traverse,
}

impl Access {
    pub(super) const fn folder_mode(self) -> u32 {
        match self {
            Self::Owner | Self::Traverse => 0o700,
            Self::Group => 0o750,
        }
    }

    /// The mode of a file, and of one that never changes.
    pub(super) const fn file_mode(self, is_fixed: bool) -> u32 {
        match (self, is_fixed) {
            (Self::Owner | Self::Traverse, false) => 0o600,
            (Self::Owner | Self::Traverse, true) => 0o400,
            (Self::Group, false) => 0o640,
            (Self::Group, true) => 0o440,
        }
    }

    /// Gives the mode of a file that never changes to one that other means made.
    pub(super) fn apply_to(self, file: &File) -> io::Result<()> {
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(self.file_mode(true)))?;
        #[cfg(not(unix))]
        let _no_modes = file;
        Ok(())
    }
}

/// A folder or file that others may enter or read, and that cannot be closed to them.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is open to other users and cannot be closed to them ({cause}); make the user that runs the service its \
     owner, or choose a new folder inside of it",
    .path.display()
)]
pub struct AccessError {
    pub path: PathBuf,
    pub cause: io::Error,
}

#[cfg(unix)]
pub use unix::{enforce, restrict_umask};

#[cfg(unix)]
mod unix {
    //! Modes.

    use super::{Access, AccessError};
    use rustix::fs::Mode;
    use rustix::process::umask;
    use std::fs::{self, Metadata, Permissions};
    use std::io::{self, ErrorKind};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    /// How deep a folder is looked into that is in order: what an older program made more open shows by then.
    const DEPTH: usize = 2;

    /// Lets the mask of this process take nothing from the owner of what is made, also where a library makes it.
    pub fn restrict_umask() {
        let found = umask(Mode::from_raw_mode(0o077));
        umask(found & Mode::from_raw_mode(0o077));
    }

    /// Gives `root` and all of this user's that lies in it, but for `except`, the modes of `access`. Nothing happens when
    /// there is no `root`.
    ///
    /// # Errors
    /// When `root` belongs to somebody else and is open, or the disk does not allow it.
    pub fn enforce(root: &Path, access: Access, except: Option<&Path>) -> Result<(), AccessError> {
        let refused = |cause| AccessError { path: root.to_owned(), cause };
        let about = match fs::metadata(root) {
            Ok(about) => about,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(refused(error)),
        };
        let group = if access == Access::Traverse { 0o010 } else { group_bits(&about, access) };
        let changed = set_mode(root, &about, group).map_err(refused)?;
        let depth = if changed { usize::MAX } else { DEPTH };
        walk(root, access, except, depth).map_err(|(path, cause)| AccessError { path, cause })
    }

    type FolderFailure = (std::path::PathBuf, io::Error);

    fn walk(folder: &Path, access: Access, except: Option<&Path>, depth: usize) -> Result<(), FolderFailure> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // What this user may not look into was not made by the service.
            Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound) => {
                return Ok(());
            }
            Err(error) => return Err((folder.to_owned(), error)),
        };
        let own = rustix::process::geteuid().as_raw();
        for entry in entries.flatten() {
            let path = entry.path();
            // What was just removed needs nothing.
            let Ok(about) = entry.metadata() else { continue };
            if about.uid() != own || !(about.is_dir() || about.is_file()) || except == Some(path.as_path()) {
                continue;
            }
            let changed = match set_mode(&path, &about, group_bits(&about, access)) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                changed => changed.map_err(|error| (path.clone(), error))?,
            };
            let depth = if changed { usize::MAX } else { depth };
            if about.is_dir() && depth > 1 {
                walk(&path, access, except, if depth == usize::MAX { depth } else { depth - 1 })?;
            }
        }
        Ok(())
    }

    /// What the group may do.
    fn group_bits(about: &Metadata, access: Access) -> u32 {
        let mode = if about.is_dir() { access.folder_mode() } else { access.file_mode(false) };
        mode & 0o070
    }

    /// What the owner may do stays as it is; others may nothing. True when that changed something.
    fn set_mode(path: &Path, about: &Metadata, group: u32) -> io::Result<bool> {
        let found = about.mode() & 0o7777;
        let wanted = found & 0o7700 | group;
        if found != wanted {
            fs::set_permissions(path, Permissions::from_mode(wanted))?;
        }
        Ok(found != wanted)
    }
}

/// There is no mask elsewhere.
#[cfg(not(unix))]
pub fn restrict_umask() {}

/// Elsewhere the data folder is in the user's own profile, which other users cannot read.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub fn enforce(_root: &Path, _access: Access, _except: Option<&Path>) -> Result<(), AccessError> {
    Ok(())
}
