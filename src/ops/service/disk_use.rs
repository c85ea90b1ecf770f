//! What the service takes on disk. A folder of many files is walked once in some minutes, however often somebody asks.

use crate::app::App;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long sizes of folders count that were once added up (manual 14.2).
const FOLDER_SIZES_KEPT_SECONDS: u64 = 600;

/// Bytes of all files in two folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FolderSizes {
    pub data: u64,
    pub history: u64,
}

/// Sizes of folders, and when they were added up.
#[derive(Default)]
pub(crate) struct DiskUseCache(Mutex<Option<(Instant, FolderSizes)>>);

/// What the folders take. Whoever asks while somebody adds up waits for that.
#[must_use]
pub(crate) fn folder_sizes(app: &App) -> FolderSizes {
    let mut kept = app.disk_use.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, sizes)) = *kept
        && at.elapsed() < Duration::from_secs(FOLDER_SIZES_KEPT_SECONDS)
    {
        return sizes;
    }
    let sizes = FolderSizes {
        data: size_of_folder(&app.settings.data_dir),
        history: size_of_folder(app.history.folder()),
    };
    *kept = Some((Instant::now(), sizes));
    sizes
}

/// Bytes of the files in a folder and those below it; what goes away meanwhile, or cannot be read, counts nothing. No link is
/// followed.
fn size_of_folder(folder: &Path) -> u64 {
    let mut bytes = 0_u64;
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            match entry.metadata() {
                Ok(about) if about.is_dir() => folders.push(entry.path()),
                Ok(about) if about.is_file() => bytes = bytes.saturating_add(about.len()),
                Ok(_) | Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_folders_are_added_up_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("one"), [0; 10]).unwrap();
        fs::write(folder.path().join("a/b/two"), [0; 7]).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/round")).unwrap();
        assert_eq!(size_of_folder(folder.path()), 17);
        assert_eq!(size_of_folder(&folder.path().join("none")), 0);
    }

    #[test]
    fn a_folder_is_walked_once_in_some_minutes() {
        let (folder, app) = App::temporary();
        let before = folder_sizes(&app);
        assert!(before.data > 0);
        fs::write(folder.path().join("new"), [0; 10_000]).unwrap();
        assert_eq!(folder_sizes(&app), before);
    }
}
