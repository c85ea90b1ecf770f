//! The files that pipelines write: `files/pipelines/<workspace>/<flow>/<id>`. The service makes the ids; the name that an
//! owner gave a file is kept in the database, with how much of the file counts (manual 10.14).

use super::chat_files::{Quota, StoreFileError};
use super::removals::RemovalLock;
use crate::domain::error::FullQuota;
use crate::domain::ids::{FlowId, PipelineFileId, WorkspaceId};
use crate::durable::{DurableFolder, EntryKind, Folder, GrowingFile, Tree};
use jiff::Timestamp;
use std::fs::{self, File};
use std::io::{self, Write as _};

/// The folder of all of them.
pub struct PipelineFiles {
    tree: Tree,
    quota: Quota,
    removals: RemovalLock,
}

/// A file that a run writes on.
pub struct PipelineFileWriter {
    folder: DurableFolder,
    file: GrowingFile,
    /// Bytes of the disk that stay free.
    bytes_free: u64,
}

impl PipelineFiles {
    /// The files below the root of this tree, which is made when the first file comes.
    #[must_use]
    pub const fn new(tree: Tree, quota: Quota, removals: RemovalLock) -> Self {
        Self { tree, quota, removals }
    }

    fn folder(&self, workspace: &WorkspaceId, flow: &FlowId) -> io::Result<Option<Folder>> {
        self.tree.open(&[&workspace.to_string(), &flow.to_string()])
    }

    /// Opens a file to write on from `length`; what a run that is over left behind that is written over.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] when it is gone or shorter than that; when the disk does not take it.
    pub fn open_to_write(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        id: &PipelineFileId,
        length: u64,
    ) -> io::Result<PipelineFileWriter> {
        let folder = self.tree.make(&[&workspace.to_string(), &flow.to_string()])?;
        let file = folder.open_to_grow(&id.to_string(), length)?;
        Ok(PipelineFileWriter { folder, file, bytes_free: self.quota.bytes_free })
    }

    /// Opens a file to read, of which `length` bytes count; `None` when it is gone or shorter than that.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn open(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        id: &PipelineFileId,
        length: u64,
    ) -> io::Result<Option<File>> {
        let folder = self.folder(workspace, flow)?;
        let file = folder.map(|folder| folder.file(&id.to_string())).transpose()?.flatten();
        let Some(file) = file else { return Ok(None) };
        Ok((file.metadata()?.len() >= length).then_some(file))
    }

    /// Removes a file; one that is gone already is no error.
    pub fn remove(&self, workspace: &WorkspaceId, flow: &FlowId, id: &PipelineFileId) {
        let _turn = self.removals.turn();
        let removed = self
            .folder(workspace, flow)
            .and_then(|folder| folder.map(|folder| folder.remove(&id.to_string())).transpose());
        if let Err(error) = removed {
            tracing::warn!(
                target: "flowkeep::files::pipeline_files",
                %flow, %error,
                "a file of a pipeline could not be removed"
            );
        }
    }

    /// Removes all files of a flow that was deleted.
    pub fn remove_flow(&self, workspace: &WorkspaceId, flow: &FlowId) {
        let _turn = self.removals.turn();
        let folder = self.tree.root().join(workspace.to_string()).join(flow.to_string());
        if let Err(error) = fs::remove_dir_all(folder)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(
                target: "flowkeep::files::pipeline_files",
                %flow, %error,
                "the files of a deleted pipeline could not be removed"
            );
        }
    }

    /// Bytes of the files of all pipelines of a workspace, those that are being written too.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn bytes_of(&self, workspace: &WorkspaceId) -> io::Result<u64> {
        let Some(root) = self.tree.open(&[&workspace.to_string()])? else { return Ok(0) };
        let mut bytes = 0;
        for flow in root.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
            let Some(folder) = root.child(&flow.name)? else { continue };
            bytes += folder.entries()?.iter().map(|file| file.kind.bytes()).sum::<u64>();
        }
        Ok(bytes)
    }

    /// Every flow that has a folder, with its files that nobody changed since `before`.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn old_files(
        &self,
        before: Timestamp,
    ) -> io::Result<Vec<(WorkspaceId, FlowId, Vec<PipelineFileId>)>> {
        let mut found = Vec::new();
        let Some(root) = self.tree.open(&[])? else { return Ok(found) };
        for outer in root.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
            let (Some(workspace), Some(flows)) = (WorkspaceId::parse(&outer.name), root.child(&outer.name)?)
            else {
                continue;
            };
            for inner in flows.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
                let (Some(flow), Some(folder)) = (FlowId::parse(&inner.name), flows.child(&inner.name)?)
                else {
                    continue;
                };
                let files = folder.entries()?;
                let old = files.iter().filter(|file| file.changed < before.as_second());
                let ids = old.filter_map(|file| PipelineFileId::parse(&file.name)).collect();
                found.push((workspace, flow, ids));
            }
        }
        Ok(found)
    }
}

impl PipelineFileWriter {
    /// Writes on.
    ///
    /// # Errors
    /// When the disk is nearly full or does not take it.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFileError> {
        if self.folder.free_bytes()? < self.bytes_free.saturating_add(bytes.len() as u64) {
            return Err(StoreFileError::Full(FullQuota::Disk));
        }
        Ok(self.file.write_all(bytes)?)
    }

    /// Waits until all of it is on disk; how long the file is then.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn flush(&mut self) -> Result<u64, StoreFileError> {
        self.file.flush_to_disk()?;
        Ok(self.file.length())
    }
}
