//! How many files a repository is, and how large.

use super::{list_loose, list_packs};
use crate::history::error::Result;
use std::fs;
use std::path::Path;

/// What the objects of a repository take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RepositorySize {
    /// Of the files of all objects and packs.
    pub bytes: u64,
    /// Objects with a file of their own.
    pub loose: usize,
    pub packs: usize,
}

/// Measures the repository in `folder`; one that is not there takes nothing.
pub(super) fn measure(folder: &Path) -> Result<RepositorySize> {
    let objects = folder.join("objects");
    if !objects.is_dir() {
        return Ok(RepositorySize::default());
    }
    let packs = objects.join("pack");
    let packs = if packs.is_dir() { list_packs(&packs)?.len() } else { 0 };
    Ok(RepositorySize { bytes: bytes_below(&objects), loose: list_loose(&objects)?.len(), packs })
}

/// Bytes of the files in the folders of objects; what goes away meanwhile counts nothing.
fn bytes_below(objects: &Path) -> u64 {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries(objects).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let files = folders.flat_map(|folder| entries(&folder.path()).collect::<Vec<_>>());
    files.filter_map(|file| file.metadata().ok()).filter(fs::Metadata::is_file).map(|about| about.len()).sum()
}
