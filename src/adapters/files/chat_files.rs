//! The files of conversations on disk: `files/<workspace>/<flow>/<conversation>/<name>`. The server makes the names;
//! a caller's name is a label that is kept elsewhere (manual 4.4).

use super::integrity::{self, ReadError};
use super::removals::RemovalLock;
use crate::base::checksum::Checksum;
use crate::base::spooled_file::ByteSource;
pub use crate::domain::conversations::file::ChatFileName;
use crate::domain::error::{Error, FullQuota};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::durable::{Entry, EntryKind, Folder, Tree};
use crate::limits::{CHAT_FILES_MAX, DOCUMENT_BYTES_MAX};
use jiff::Timestamp;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// Bytes of the files of all conversations of one workspace (manual 14.9).
const WORKSPACE_FILES_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Files of conversations are not written while the disk has less free than this (manual 14.9).
const DISK_FREE_BYTES_MIN: u64 = 256 * 1024 * 1024;

/// How much may be kept.
#[derive(Debug, Clone, Copy)]
pub struct Quota {
    pub files_of_chat: usize,
    /// Bytes of all conversations of one workspace.
    pub bytes_of_workspace: u64,
    /// Bytes of the disk that stay free.
    pub bytes_free: u64,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            files_of_chat: CHAT_FILES_MAX,
            bytes_of_workspace: WORKSPACE_FILES_BYTES_MAX,
            bytes_free: DISK_FREE_BYTES_MIN,
        }
    }
}

/// Why a file was not stored.
#[derive(Debug)]
pub enum StoreFileError {
    Full(FullQuota),
    /// The disk did not take it.
    Io(io::Error),
}

impl From<io::Error> for StoreFileError {
    fn from(error: io::Error) -> Self {
        // The disk can fill up between the look at it and the write.
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full(FullQuota::Disk),
            _ => Self::Io(error),
        }
    }
}

impl From<StoreFileError> for Error {
    fn from(error: StoreFileError) -> Self {
        match error {
            StoreFileError::Full(full) => Self::QuotaExceeded(full),
            StoreFileError::Io(cause) => Self::internal(cause),
        }
    }
}

/// The files of all conversations.
pub struct ChatFiles {
    tree: Tree,
    quota: Quota,
    /// Bytes of each workspace, counted when its first file comes and kept in step from there on.
    usage: Mutex<HashMap<WorkspaceId, u64>>,
    /// Those who store hold it together; who clears up what nobody needs holds it alone.
    store_lock: RwLock<()>,
    removals: RemovalLock,
}

impl ChatFiles {
    /// The files below the root of this tree, which is made when the first file comes.
    #[must_use]
    pub fn new(tree: Tree, quota: Quota, removals: RemovalLock) -> Self {
        Self { tree, quota, usage: Mutex::default(), store_lock: RwLock::default(), removals }
    }

    /// Stores a file of a conversation; it is on disk when this returns.
    ///
    /// # Errors
    /// When a quota is reached, the disk is nearly full, or it cannot be written.
    pub fn store(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        extension: &str,
        content: &dyn ByteSource,
    ) -> Result<ChatFileName, StoreFileError> {
        let name = ChatFileName::generate(extension, Checksum::compute(content)?);
        let _turn = self.store_lock.read().unwrap_or_else(PoisonError::into_inner);
        let folder = self.tree.make(&path_parts(workspace, flow, chat).each_ref().map(String::as_str))?;
        let size = content.length();
        if folder.free_bytes()? < self.quota.bytes_free.saturating_add(size) {
            return Err(StoreFileError::Full(FullQuota::Disk));
        }
        let mut unfinished = {
            let mut counts = self.lock_usage();
            let used = self.usage_of(&mut counts, workspace)?;
            if used.saturating_add(size) > self.quota.bytes_of_workspace {
                return Err(StoreFileError::Full(FullQuota::Workspace));
            }
            // Files that others are writing count too, so the next one is begun before the turn passes on.
            if folder.entries()?.len() >= self.quota.files_of_chat {
                return Err(StoreFileError::Full(FullQuota::Conversation));
            }
            let unfinished = folder.create_temp()?;
            *used += size;
            unfinished
        };
        let stored = content
            .copy_to(&mut unfinished)
            .and_then(|()| unfinished.flush()?.persist(name.as_str(), || self.lock_usage()));
        stored.inspect_err(|_| release_bytes(&mut self.lock_usage(), workspace, size))?;
        Ok(name)
    }

    /// A file without a name beside those that are kept, for one that is still arriving: it goes away with its handle.
    ///
    /// # Errors
    /// When the disk is nearly full, or it cannot be written.
    pub fn spool(&self) -> Result<File, StoreFileError> {
        self.check_disk()?;
        Ok(self.tree.spool()?)
    }

    /// Refuses to let such a file grow while others need what is left of the disk.
    ///
    /// # Errors
    /// When the disk is nearly full, or does not say.
    pub fn check_disk(&self) -> Result<(), StoreFileError> {
        let free = self.tree.make(&[])?.free_bytes()?;
        if free < self.quota.bytes_free.saturating_add(DOCUMENT_BYTES_MAX as u64) {
            return Err(StoreFileError::Full(FullQuota::Disk));
        }
        Ok(())
    }

    /// Opens a file of a conversation; `None` when there is none. It was read once by then, so what goes out is what was
    /// stored.
    ///
    /// # Errors
    /// When the disk cannot be read, or the file is not what was stored.
    pub fn open(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        name: &ChatFileName,
    ) -> Result<Option<File>, ReadError> {
        let Some(folder) = self.folder(workspace, flow, chat)? else { return Ok(None) };
        let Some(mut file) = folder.file(name.as_str())? else { return Ok(None) };
        integrity::verify_checksum(&mut file, name.checksum(), || {
            integrity::chat_file_damage(workspace, flow, chat, name)
        })?;
        file.seek(SeekFrom::Start(0))?;
        Ok(Some(file))
    }

    /// Reads a whole file of a conversation; `None` when there is none.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn read(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        name: &ChatFileName,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(mut file) = self.open(workspace, flow, chat, name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// The files of a conversation, by name.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn list(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
    ) -> io::Result<Vec<ChatFileName>> {
        let Some(folder) = self.folder(workspace, flow, chat)? else { return Ok(Vec::new()) };
        let files = folder.entries()?.into_iter().filter(|entry| matches!(entry.kind, EntryKind::File(_)));
        let mut names: Vec<_> = files.filter_map(|entry| ChatFileName::parse(&entry.name)).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// As [`Self::list`], of those that were stored before a time.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn list_before(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        before: Timestamp,
    ) -> io::Result<Vec<ChatFileName>> {
        let Some(folder) = self.folder(workspace, flow, chat)? else { return Ok(Vec::new()) };
        let is_old =
            |entry: &Entry| matches!(entry.kind, EntryKind::File(_)) && entry.changed < before.as_second();
        let old = folder.entries()?.into_iter().filter(is_old);
        Ok(old.filter_map(|entry| ChatFileName::parse(&entry.name)).collect())
    }

    /// Bytes of the files of all conversations of a workspace, those that are being stored too.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn bytes_of(&self, workspace: &WorkspaceId) -> io::Result<u64> {
        self.usage_of(&mut self.lock_usage(), workspace).copied()
    }

    /// The workspaces that have a folder.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn workspaces(&self) -> io::Result<Vec<WorkspaceId>> {
        let Some(root) = self.tree.open(&[])? else { return Ok(Vec::new()) };
        let folders = root.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
        Ok(folders.filter_map(|entry| WorkspaceId::parse(&entry.name)).collect())
    }

    /// The folders of a workspace: those of flows, and those of document stores among them.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn flows(&self, workspace: &WorkspaceId) -> io::Result<Vec<FlowId>> {
        let Some(folder) = self.tree.open(&[&workspace.to_string()])? else {
            return Ok(Vec::new());
        };
        let folders = folder.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
        Ok(folders.filter_map(|entry| FlowId::parse(&entry.name)).collect())
    }

    /// True when nothing was put into the folder of a flow or taken out since a time, nor into a folder in it: what
    /// is stored in one of those leaves the time of the outer one as it was.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn is_old(&self, workspace: &WorkspaceId, flow: &FlowId, before: Timestamp) -> io::Result<bool> {
        let (workspace, flow) = (workspace.to_string(), flow.to_string());
        let Some(outer) = self.tree.open(&[&workspace])? else { return Ok(false) };
        let is_old = |entry: &Entry| entry.changed < before.as_second();
        if !outer.entry(&flow)?.is_some_and(|entry| is_old(&entry)) {
            return Ok(false);
        }
        let Some(folder) = outer.child(&flow)? else { return Ok(false) };
        Ok(folder.entries()?.iter().all(is_old))
    }

    /// Does something while no file of a conversation is being stored.
    pub fn run_exclusive<T>(&self, work: impl FnOnce() -> T) -> T {
        let _turn = self.store_lock.write().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// Removes a file; one that is gone already is no error.
    pub fn remove(&self, workspace: &WorkspaceId, flow: &FlowId, chat: &ChatId, name: &ChatFileName) {
        let _turn = self.removals.turn();
        let removed = self.folder(workspace, flow, chat).and_then(|folder| match folder {
            Some(folder) => self.remove_counted(workspace, &folder, name.as_str()),
            None => Ok(()),
        });
        if let Err(error) = removed {
            tracing::warn!(
                target: "flowkeep::files::chat_files",
                %flow, %error,
                "a file of a conversation could not be removed"
            );
        }
    }

    /// Removes all files of a conversation that was deleted.
    pub fn remove_chat(&self, workspace: &WorkspaceId, flow: &FlowId, chat: &ChatId) {
        let _turn = self.removals.turn();
        let flow_folder = self.tree.open(&[&workspace.to_string(), &flow.to_string()]);
        let removed = flow_folder.and_then(|folder| match folder {
            Some(folder) => self.remove_folder(workspace, &folder, &chat.to_string()),
            None => Ok(()),
        });
        if let Err(error) = removed {
            tracing::warn!(
                target: "flowkeep::files::chat_files",
                %flow, %error,
                "the files of a deleted conversation could not be removed"
            );
        }
    }

    /// Removes the files of all conversations of a flow.
    pub fn remove_flow(&self, workspace: &WorkspaceId, flow: &FlowId) {
        let removed = self.chats(workspace, flow).map(|chats| {
            chats.iter().for_each(|chat| self.remove_chat(workspace, flow, chat));
        });
        if let Err(error) = removed {
            tracing::warn!(
                target: "flowkeep::files::chat_files",
                %flow, %error,
                "the files of a flow's conversations could not be removed"
            );
        }
    }

    /// The conversations of a flow that have a folder.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn chats(&self, workspace: &WorkspaceId, flow: &FlowId) -> io::Result<Vec<ChatId>> {
        let Some(folder) = self.tree.open(&[&workspace.to_string(), &flow.to_string()])? else {
            return Ok(Vec::new());
        };
        let folders = folder.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
        Ok(folders.filter_map(|entry| ChatId::parse(&entry.name)).collect())
    }

    fn folder(&self, workspace: &WorkspaceId, flow: &FlowId, chat: &ChatId) -> io::Result<Option<Folder>> {
        self.tree.open(&path_parts(workspace, flow, chat).each_ref().map(String::as_str))
    }

    fn remove_folder(&self, workspace: &WorkspaceId, flow: &Folder, chat: &str) -> io::Result<()> {
        let Some(folder) = flow.child(chat)? else { return Ok(()) };
        for entry in folder.entries()? {
            self.remove_counted(workspace, &folder, &entry.name)?;
        }
        flow.remove_child(chat)
    }

    /// Removes a file under the lock: a workspace that is just being counted must not count it and then miss it.
    fn remove_counted(&self, workspace: &WorkspaceId, folder: &Folder, name: &str) -> io::Result<()> {
        let mut counts = self.lock_usage();
        let size = folder.remove(name)?.unwrap_or(0);
        release_bytes(&mut counts, workspace, size);
        Ok(())
    }

    fn lock_usage(&self) -> MutexGuard<'_, HashMap<WorkspaceId, u64>> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn usage_of<'a>(
        &self,
        counts: &'a mut HashMap<WorkspaceId, u64>,
        workspace: &WorkspaceId,
    ) -> io::Result<&'a mut u64> {
        if !counts.contains_key(workspace) {
            counts.insert(*workspace, self.count_bytes(workspace)?);
        }
        Ok(counts.entry(*workspace).or_default())
    }

    /// Counts a workspace before its first file of this process, so what is unfinished was left by a crash.
    fn count_bytes(&self, workspace: &WorkspaceId) -> io::Result<u64> {
        let Some(root) = self.tree.open(&[&workspace.to_string()])? else { return Ok(0) };
        let mut bytes = 0;
        for flow in folders(&root)? {
            for chat in folders(&flow)? {
                for entry in chat.entries()? {
                    bytes += entry.kind.bytes();
                    if entry.kind == EntryKind::Unfinished {
                        chat.remove(&entry.name)?;
                    }
                }
            }
        }
        Ok(bytes)
    }
}

fn release_bytes(counts: &mut HashMap<WorkspaceId, u64>, workspace: &WorkspaceId, size: u64) {
    if let Some(used) = counts.get_mut(workspace) {
        *used = used.saturating_sub(size);
    }
}

fn path_parts(workspace: &WorkspaceId, flow: &FlowId, chat: &ChatId) -> [String; 3] {
    [workspace.to_string(), flow.to_string(), chat.to_string()]
}

fn folders(folder: &Folder) -> io::Result<Vec<Folder>> {
    let names = folder.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    names.filter_map(|entry| folder.child(&entry.name).transpose()).collect()
}

#[cfg(test)]
#[path = "chat_files_tests.rs"]
mod tests;
