//! All stored files as they are at one moment, under names of their own: what counts of a file is never written twice, so another
//! name for it is a copy that takes no room, and stays when the file is removed.

use super::flow_files::FlowFiles;
use crate::durable::{DurableFolder, EntryKind, Folder, Scratch};
use std::fs::{self, File};
use std::io;
use std::sync::RwLockWriteGuard;

/// How the name of the folder of such names begins.
const PREFIX: &str = ".backup-";

/// No file is removed until this is dropped; what is stored meanwhile is stored.
pub struct RemovalHold<'a> {
    files: &'a FlowFiles,
    _turn: RwLockWriteGuard<'a, ()>,
}

impl<'a> RemovalHold<'a> {
    /// Takes it. Nobody who has it waits for anything but the disk, so it is taken last.
    pub fn take(files: &'a FlowFiles) -> Self {
        Self { files, _turn: files.removals().hold() }
    }

    /// Gives everything that is there another name. The names are gone when what is returned is dropped.
    ///
    /// # Errors
    /// When the disk does not take them.
    pub fn link_all(&self) -> io::Result<Scratch> {
        let tree = self.files.tree();
        tree.make(&[])?;
        let name = format!("{PREFIX}{}", uuid::Uuid::new_v4().simple());
        let links = Scratch::create(tree.root(), &name)?;
        if let Some(all) = tree.open(&[])? {
            links.mirror(&all, &|name| name.starts_with(PREFIX))?;
        }
        Ok(links)
    }
}

/// Removes what backups left that were killed. Not while one is being made.
///
/// # Errors
/// When the folder cannot be read or written.
pub fn remove_old_links(files: &FlowFiles) -> io::Result<()> {
    let Some(all) = files.tree().open(&[])? else { return Ok(()) };
    for entry in all.entries()? {
        if entry.kind == EntryKind::Folder && entry.name.starts_with(PREFIX) {
            fs::remove_dir_all(files.tree().root().join(&entry.name))?;
        }
    }
    Ok(())
}

/// A file without a name on the disk of the files, and how many bytes that disk has left.
///
/// # Errors
/// When it cannot be made.
pub fn spool(files: &FlowFiles) -> io::Result<(File, u64)> {
    let folder: DurableFolder = files.tree().make(&[])?;
    Ok((files.tree().spool()?, folder.free_bytes()?))
}

/// Every whole file below `root`, the innermost folders last; `each` gets its path from there on, with `/`, its length and the file.
///
/// # Errors
/// When a folder cannot be read, or what `each` returns.
pub fn walk<E: From<io::Error>>(
    root: &Folder,
    above: &str,
    each: &mut dyn FnMut(String, u64, File) -> Result<(), E>,
) -> Result<(), E> {
    for entry in root.entries()? {
        let name = format!("{above}/{}", entry.name);
        match entry.kind {
            EntryKind::File(bytes) => {
                if let Some(file) = root.file(&entry.name)? {
                    each(name, bytes, file)?;
                }
            }
            EntryKind::Folder => {
                if let Some(inner) = root.child(&entry.name)? {
                    walk(&inner, &name, each)?;
                }
            }
            EntryKind::Unfinished | EntryKind::Other => {}
        }
    }
    Ok(())
}
