//! A folder in memory, to be written as often as it is wanted.

use std::fs::{self, Permissions};
use std::path::{Path, PathBuf};

pub struct FolderCopy(Vec<Entry>);

struct Entry {
    /// Within the folder.
    path: PathBuf,
    permissions: Permissions,
    /// None for a folder.
    bytes: Option<Vec<u8>>,
}

impl FolderCopy {
    /// Files and folders in `folder`, each folder before what lies in it.
    pub fn read(folder: &Path) -> Self {
        let mut entries = Vec::new();
        let mut open = vec![folder.to_owned()];
        while let Some(parent) = open.pop() {
            for entry in fs::read_dir(parent).unwrap() {
                let path = entry.unwrap().path();
                let metadata = fs::symlink_metadata(&path).unwrap();
                if !metadata.is_file() && !metadata.is_dir() {
                    continue;
                }
                let bytes = metadata.is_file().then(|| fs::read(&path).unwrap());
                entries.push(Entry {
                    path: path.strip_prefix(folder).unwrap().to_owned(),
                    permissions: metadata.permissions(),
                    bytes,
                });
                if metadata.is_dir() {
                    open.push(path);
                }
            }
        }
        Self(entries)
    }

    /// Writes all of it into `folder`, which is there and empty.
    pub fn copy_to(&self, folder: &Path) {
        for Entry { path, permissions, bytes } in &self.0 {
            let path = folder.join(path);
            match bytes {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => fs::create_dir(&path).unwrap(),
            }
            fs::set_permissions(&path, permissions.clone()).unwrap();
        }
    }
}
