//! Proof that a history is sound: every object reachable from `main` is there and is what its id says, and the
//! list of versions says what git says.

use super::error::{HistoryError, Result};
use super::{History, cache, commits, refs};
use crate::domain::cancel::Cancel;
use crate::domain::version::Sha;
use gix::ObjectId;
use gix::objs::{Kind, TreeRefIter};
use std::collections::HashSet;

/// What `verify` found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Commits reachable from `main`.
    pub commits: usize,
    /// Objects reachable from `main`, commits included.
    pub objects: usize,
    /// Versions in the list.
    pub versions: usize,
    /// One line for each fault; it names objects by id. Empty for a sound history.
    pub faults: Vec<String>,
}

/// An object on its way past `verify`, for checks of its text.
#[derive(Debug)]
pub enum Found<'a> {
    /// A commit as git stores it: authors and message.
    Commit(Sha, &'a [u8]),
    /// A file of that commit that no newer commit has, and the path it has there.
    File(Sha, &'a str, &'a [u8]),
}

impl History {
    /// Reads the whole history and hands every commit and every file to `look` once, until `cancel` is set.
    ///
    /// # Errors
    /// When the history is off, its branch cannot be read, or it was cancelled. Damage is no error: it is in the answer.
    pub fn verify(&self, cancel: &Cancel, look: &mut dyn FnMut(Found<'_>)) -> Result<Soundness> {
        self.when_on()?;
        let Some(mut repository) = self.place.get()? else { return Ok(Soundness::default()) };
        repository.objects.set_pack_cache(cache::recent);
        self.index.catch_up(&repository)?;
        let Some(tip) = refs::main(&repository)? else { return Ok(Soundness::default()) };
        let mut walk =
            Walk { repository: &repository, seen: HashSet::new(), found: Soundness::default(), look, cancel };
        walk.commits(tip);
        let mut found = walk.found;
        goes_on(cancel)?;
        if found.faults.is_empty() {
            self.compare(&repository, tip, &mut found, cancel)?;
        }
        Ok(found)
    }

    /// Compares the list of versions with git.
    fn compare(
        &self,
        repository: &gix::Repository,
        tip: ObjectId,
        found: &mut Soundness,
        cancel: &Cancel,
    ) -> Result<()> {
        let (line, _) = commits::line(repository, tip, None, usize::MAX)?;
        let mut told = 0;
        for (number, commit) in (0..).zip(line.iter().rev()) {
            goes_on(cancel)?;
            let rows = commits::rows(repository, *commit)?;
            told += rows.len();
            let wrong = self.index.wrong(number, &rows)?;
            if wrong > 0 {
                found.faults.push(format!("the list of versions has {wrong} wrong rows for commit {commit}"));
            }
        }
        found.versions = self.index.count()?;
        if found.versions > told && refs::main(repository)? == Some(tip) {
            found.faults.push(format!("the list has {} versions and git {told}", found.versions));
        }
        Ok(())
    }
}

fn goes_on(cancel: &Cancel) -> Result<()> {
    if cancel.reason().is_some() { Err(HistoryError::Cancelled) } else { Ok(()) }
}

struct Walk<'a> {
    repository: &'a gix::Repository,
    seen: HashSet<ObjectId>,
    found: Soundness,
    look: &'a mut dyn FnMut(Found<'_>),
    cancel: &'a Cancel,
}

impl Walk<'_> {
    fn commits(&mut self, tip: ObjectId) {
        let mut open = vec![tip];
        while let Some(id) = open.pop() {
            if self.cancel.reason().is_some() {
                return;
            }
            if !self.seen.insert(id) {
                continue;
            }
            let Some(bytes) = self.read(id, Kind::Commit) else { continue };
            self.found.commits += 1;
            match (commits::sha(id), commits::told(id, &bytes), tree_and_parents(&bytes)) {
                (Ok(sha), Ok(_), Ok((tree, parents))) => {
                    (self.look)(Found::Commit(sha, &bytes));
                    self.folder(sha, tree, "", 0);
                    open.extend(parents);
                }
                _ => self.fault(id, "is no commit that can be read"),
            }
        }
    }

    fn folder(&mut self, sha: Sha, id: ObjectId, path: &str, depth: usize) {
        if !self.seen.insert(id) {
            return;
        }
        if depth > 64 {
            return self.fault(id, "lies too deep");
        }
        let Some(bytes) = self.read(id, Kind::Tree) else { return };
        for entry in TreeRefIter::from_bytes(&bytes, gix::hash::Kind::Sha1) {
            // A folder of many files is most of a first commit.
            if self.cancel.reason().is_some() {
                return;
            }
            let Ok(entry) = entry else { return self.fault(id, "is no folder that can be read") };
            let path = format!("{path}{}", entry.filename);
            let child = entry.oid.to_owned();
            if entry.mode.is_tree() {
                self.folder(sha, child, &format!("{path}/"), depth + 1);
            } else if !entry.mode.is_commit()
                && self.seen.insert(child)
                && let Some(bytes) = self.read(child, Kind::Blob)
            {
                (self.look)(Found::File(sha, &path, &bytes));
            }
        }
    }

    /// Reads an object and computes its id anew.
    fn read(&mut self, id: ObjectId, kind: Kind) -> Option<Vec<u8>> {
        self.found.objects += 1;
        let Ok(object) = self.repository.find_object(id) else {
            self.fault(id, "is missing or cannot be read");
            return None;
        };
        if object.kind != kind {
            self.fault(id, "is of another kind than its place says");
            return None;
        }
        let bytes = object.detach().data;
        if gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, &bytes).ok() != Some(id) {
            self.fault(id, "is not what its id says");
            return None;
        }
        Some(bytes)
    }

    fn fault(&mut self, id: ObjectId, what: &str) {
        self.found.faults.push(format!("object {id} {what}"));
    }
}

fn tree_and_parents(bytes: &[u8]) -> Result<(ObjectId, Vec<ObjectId>), HistoryError> {
    let commit = gix::objs::CommitRef::from_bytes(bytes, gix::hash::Kind::Sha1)?;
    Ok((commit.tree(), commit.parents().collect()))
}
