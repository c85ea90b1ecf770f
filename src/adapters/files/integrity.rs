//! What a disk changed by itself in a stored file: found out by the checksum that is in the file's name.

use super::chat_files::ChatFileName as ChatName;
use super::flow_files::FlowFileName as FlowName;
use crate::base::checksum::Checksum;
use crate::domain::damage::Damage;
use crate::domain::error::Error;
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use crate::durable::{EntryKind, Folder};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    /// It is not what was stored.
    Damaged(Damage),
    /// The disk did not give it.
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(cause: io::Error) -> Self {
        Self::Io(cause)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Damaged(damage) => Self::Damaged(damage),
            ReadError::Io(cause) => Self::internal(cause),
        }
    }
}

/// Reads a file to its end and compares; a file from before there were checksums is taken as it is, unread.
pub(super) fn verify_checksum(
    file: &mut impl Read,
    known: Option<u32>,
    damage: impl FnOnce() -> Damage,
) -> Result<(), ReadError> {
    let Some(known) = known else { return Ok(()) };
    let mut sum = Checksum::default();
    io::copy(file, &mut sum)?;
    if sum.sum() == known {
        return Ok(());
    }
    let damage = damage();
    tracing::error!(
        target: "flowkeep::files::integrity",
        file = damage.place(),
        "a stored file is damaged"
    );
    Err(ReadError::Damaged(damage))
}

/// A damaged file of a flow or a document store.
pub(super) fn flow_file_damage(workspace: &WorkspaceId, flow: &FlowId, name: &FlowName) -> Damage {
    let place = format!("file files/{workspace}/{flow}/{}", name.as_str());
    Damage::new(format!("file ({})", name.label()), place)
}

/// A damaged file of a conversation.
pub(super) fn chat_file_damage(
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
    name: &ChatName,
) -> Damage {
    Damage::new(format!("file ({name})"), format!("file files/{workspace}/{flow}/{chat}/{name}"))
}

/// What was found among all files.
#[derive(Debug, Default)]
pub struct FileReport {
    pub files: u64,
    /// Those of them that were stored before there were checksums.
    pub without_checksum: u64,
    /// What is not what was stored.
    pub damages: Vec<Damage>,
}

/// Reads every file of flows, document stores and conversations below `root`, until `is_cancelled` says so.
///
/// # Errors
/// When a folder cannot be read.
pub fn verify(root: &Path, is_cancelled: &dyn Fn() -> bool) -> io::Result<FileReport> {
    let mut report = FileReport::default();
    let Some(all) = Folder::open(root, &[])? else { return Ok(report) };
    for (workspace, folder) in child_folders(&all, WorkspaceId::parse)? {
        for (flow, folder) in child_folders(&folder, FlowId::parse)? {
            for name in stored_files(&folder, FlowName::parse)? {
                let damage = || flow_file_damage(&workspace, &flow, &name);
                report.check_file(&folder, name.as_str(), name.sum(), damage);
            }
            for (chat, folder) in child_folders(&folder, ChatId::parse)? {
                if is_cancelled() {
                    return Ok(report);
                }
                for name in stored_files(&folder, ChatName::parse)? {
                    let damage = || chat_file_damage(&workspace, &flow, &chat, &name);
                    report.check_file(&folder, name.as_str(), name.checksum(), damage);
                }
            }
        }
    }
    Ok(report)
}

impl FileReport {
    fn check_file(&mut self, folder: &Folder, name: &str, known: Option<u32>, damage: impl Fn() -> Damage) {
        let read = folder.file(name).map_err(ReadError::from).and_then(|file| match file {
            Some(mut file) => verify_checksum(&mut file, known, &damage).map(|()| true),
            None => Ok(false),
        });
        match read {
            // It went away meanwhile.
            Ok(false) => return,
            Ok(true) => self.without_checksum += u64::from(known.is_none()),
            Err(_) => self.damages.push(damage()),
        }
        self.files += 1;
    }
}

/// The folders in a folder whose names are ids.
fn child_folders<I>(folder: &Folder, parse: impl Fn(&str) -> Option<I>) -> io::Result<Vec<(I, Folder)>> {
    let entries = folder.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    let named = entries.filter_map(|entry| parse(&entry.name).map(|id| (id, entry.name)));
    named
        .filter_map(|(id, name)| folder.child(&name).transpose().map(|child| child.map(|child| (id, child))))
        .collect()
}

/// The whole files in a folder that this server named.
fn stored_files<N>(folder: &Folder, parse: impl Fn(&str) -> Option<N>) -> io::Result<Vec<N>> {
    let entries = folder.entries()?.into_iter().filter(|entry| matches!(entry.kind, EntryKind::File(_)));
    Ok(entries.filter_map(|entry| parse(&entry.name)).collect())
}
