//! The repository as it is to be copied while versions go on being recorded.
//!
//! Objects and packs are only ever added, but by packing, which is held off; so what the branch leads to at one moment is there for
//! as long as the hold lasts. References are small, and read at that moment.

use super::History;
use super::error::Result;
use super::repository::objects::OBJECTS;
use crate::durable::is_unfinished;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// A reference, or what describes the repository, is not larger; what is, is read like an object.
const SMALL_MAX_BYTES: u64 = 1 << 20;

/// Packing is held off until this is dropped.
pub struct PackingHold<'a>(&'a History);

/// The files of a repository at one moment; names are from its folder on, with `/`.
#[derive(Debug, Default)]
pub struct RepositoryFiles {
    /// What changes as versions come, with what it was at the moment.
    pub small: Vec<(String, Vec<u8>)>,
    /// What does not change, with its length.
    pub fixed: Vec<(String, u64)>,
}

impl History {
    /// Waits until nobody packs, and holds packing off. Versions are copied to the git host meanwhile: that removes nothing.
    #[must_use]
    pub fn hold_packing(&self) -> PackingHold<'_> {
        let _turn = self.pack_lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.packing_holds.fetch_add(1, Ordering::SeqCst);
        PackingHold(self)
    }
}

impl Drop for PackingHold<'_> {
    fn drop(&mut self) {
        self.0.packing_holds.fetch_sub(1, Ordering::SeqCst);
    }
}

impl PackingHold<'_> {
    /// The folder of the repository.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// What lies in it now, references before objects; nothing when there is no repository, or another program's. Whoever wants one
    /// moment of the database too takes the turn to write before.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<RepositoryFiles> {
        let mut files = RepositoryFiles::default();
        let root = self.folder();
        if !root.exists() || History::is_foreign(root) {
            return Ok(files);
        }
        let mut folders = Vec::new();
        for (name, path) in entries(root, "")? {
            if path.is_dir() {
                folders.push((name, path));
            } else {
                files.add(name, &path)?;
            }
        }
        // The newest objects may come after the references that lead to them were read, and never the other way round.
        folders.sort_by_key(|(name, _)| name == OBJECTS);
        for (name, path) in folders {
            files.add_folder(&name, &path, name == OBJECTS)?;
        }
        files.drop_lone_indexes();
        Ok(files)
    }
}

impl RepositoryFiles {
    fn add_folder(&mut self, name: &str, path: &Path, is_fixed: bool) -> Result<()> {
        for (name, path) in entries(path, name)? {
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => self.add_folder(&name, &path, is_fixed)?,
                Ok(found) if found.is_file() && is_fixed => self.fixed.push((name, found.len())),
                Ok(found) if found.is_file() => self.add(name, &path)?,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn add(&mut self, name: String, path: &Path) -> Result<()> {
        let length = fs::symlink_metadata(path)?.len();
        if length > SMALL_MAX_BYTES {
            self.fixed.push((name, length));
        } else {
            self.small.push((name, fs::read(path)?));
        }
        Ok(())
    }

    /// A pack that is just coming may be seen by its index alone, which leads to nothing then.
    fn drop_lone_indexes(&mut self) {
        let packs: std::collections::HashSet<String> =
            self.fixed.iter().filter_map(|(name, _)| name.strip_suffix(".pack").map(str::to_owned)).collect();
        self.fixed.retain(|(name, _)| name.strip_suffix(".idx").is_none_or(|stem| packs.contains(stem)));
    }
}

/// What lies in a folder, but for what is being made there.
fn entries(folder: &Path, above: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let is_passing = name.ends_with(".lock")
            || name.starts_with("tmp_")
            || name.starts_with(".tmp")
            || is_unfinished(&name);
        if !is_passing {
            let name = if above.is_empty() { name } else { format!("{above}/{name}") };
            found.push((name, entry.path()));
        }
    }
    Ok(found)
}
