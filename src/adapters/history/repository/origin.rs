//! Whose a folder is: a history that this program began, one that it may begin, or something of somebody else's.
//! Nothing here writes.

use super::{checked_read, refs};
use crate::durable::is_unfinished;
use crate::history::error::{HistoryError, Result};
use crate::history::{commits, layout, repository};
use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use std::fs;
use std::io;
use std::path::Path;

/// What a beginning that was cut short may have left, and what a fresh volume holds.
const OWN_NAMES: &[&str] = &[
    "HEAD",
    "branches",
    "config",
    "description",
    "flowkeep",
    "hooks",
    "info",
    "lost+found",
    "objects",
    "packed-refs",
    "refs",
];

/// True for a repository whose first commit is this program's (manual 6.3 r1), and for one without any reference, which
/// may have been made for this.
pub(in crate::history) fn is_ours(repository: &gix::Repository) -> Result<bool> {
    let Some(tip) = refs::read_main(repository)? else {
        // A lock that a process left behind is no reference, and what this program notes of a copy makes it nobody else's.
        let named = |name: &gix::refs::FullNameRef| {
            !name.as_bstr().ends_with(b".lock") && !name.as_bstr().starts_with(refs::NOTES.as_bytes())
        };
        let references = repository.references()?;
        return Ok(!references.all()?.filter_map(std::result::Result::ok).any(|one| named(one.name())));
    };
    let (line, _) = commits::first_parent_line(repository, tip, None, usize::MAX)?;
    line.last().map_or(Ok(false), |first| is_our_first_commit(repository, *first))
}

/// True when this commit begins a history as this program does.
pub(in crate::history) fn is_our_first_commit(repository: &gix::Repository, first: ObjectId) -> Result<bool> {
    Ok(begins_our_history(&checked_read::commit(repository, first)?.data))
}

/// The same of the bytes of a commit.
pub(in crate::history) fn begins_our_history(commit: &[u8]) -> bool {
    gix::objs::CommitRef::from_bytes(commit, gix::hash::Kind::Sha1).is_ok_and(|commit| {
        commit.parents().next().is_none() && commit.message().title.trim() == layout::FIRST_TITLE.as_bytes()
    })
}

/// True for a folder in which this program made a repository, or began to.
pub(in crate::history) fn is_described(folder: &Path) -> bool {
    fs::read(folder.join("description")).is_ok_and(|text| text == repository::DESCRIPTION.as_bytes())
}

/// True when a branch is there, or was packed: only what stands around it is gone.
pub(in crate::history) fn has_branch(folder: &Path) -> bool {
    let packed = || fs::read_to_string(folder.join("packed-refs")).unwrap_or_default();
    folder.join(refs::MAIN).is_file() || packed().lines().any(|line| line.ends_with(refs::MAIN))
}

/// Checks that a repository may be made in the folder: nobody else's files are there.
pub(in crate::history) fn require_free(folder: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(fault) if fault.kind() == io::ErrorKind::NotADirectory => return Err(HistoryError::Foreign),
        Err(fault) => return Err(fault.into()),
    };
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if !OWN_NAMES.contains(&name.as_ref()) && !is_unfinished(&name) {
            return Err(HistoryError::Foreign);
        }
    }
    Ok(())
}
