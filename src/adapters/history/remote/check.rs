//! What was gathered, looked at as a whole: every object is as git wants it and leads to others that are there, and the line
//! of `main` is one of this program's that follows what was read before.

use super::error::{RemoteError, Result};
use super::scan::Limits;
use super::strict::{EntryKind, read_commit, read_tree};
use crate::base::cancel::CancelToken;
use crate::history::commits;
use crate::history::error::HistoryError;
use crate::history::pack::workshop::{IndexedPack, Workshop};
use crate::history::repository::{checked_read, object_cache, origin};
use gix::ObjectId;
use gix::objs::{Find as _, Kind};
use std::collections::HashMap;

/// Checks what `tip` leads to: in what was gathered, if there is such, and in what is here.
pub(super) fn check(
    new: Option<(&Workshop<'_>, &IndexedPack)>,
    repository: &gix::Repository,
    tip: ObjectId,
    old: Option<ObjectId>,
    limits: &Limits,
    cancel: &CancelToken,
) -> Result<()> {
    let new = new.map(|(workshop, made)| NewObjects::open(workshop, made)).transpose()?;
    let mut check = Check { new, repository, limits, cancel, seen: HashMap::new() };
    check.objects(tip)?;
    check.line(tip, old)
}

/// The objects that were gathered.
struct NewObjects {
    ids: gix_pack::index::File,
    objects: gix::odb::Handle,
}

impl NewObjects {
    fn open(workshop: &Workshop<'_>, made: &IndexedPack) -> Result<Self> {
        let mut objects =
            gix::odb::at(workshop.path(), gix::hash::Kind::Sha1).map_err(RemoteError::from_disk)?;
        objects.set_pack_cache(object_cache::new_cache);
        Ok(Self { ids: made.ids()?, objects })
    }
}

struct Check<'a> {
    new: Option<NewObjects>,
    repository: &'a gix::Repository,
    limits: &'a Limits,
    cancel: &'a CancelToken,
    /// The new objects that something leads to.
    seen: HashMap<ObjectId, Kind>,
}

impl Check<'_> {
    /// Looks at everything new that `tip` leads to, which must be everything new.
    fn objects(&mut self, tip: ObjectId) -> Result<()> {
        let mut open = vec![tip];
        while let Some(id) = open.pop() {
            if !self.is_unseen(id, Kind::Commit)? {
                continue;
            }
            let bytes = self.read(id, Kind::Commit)?;
            let (tree, parents) =
                read_commit(&bytes, self.limits.message_bytes).map_err(RemoteError::Refused)?;
            open.extend(parents);
            self.folder(tree, 0)?;
        }
        let all = self.new.as_ref().map_or(0, |new| new.ids.num_objects() as usize);
        if self.seen.len() == all {
            Ok(())
        } else {
            Err(RemoteError::Refused("its pack holds what its main does not lead to"))
        }
    }

    fn folder(&mut self, id: ObjectId, depth: usize) -> Result<()> {
        if !self.is_unseen(id, Kind::Tree)? {
            return Ok(());
        }
        if depth > self.limits.tree_depth {
            return Err(RemoteError::Refused("its folders lie too deep in one another"));
        }
        let bytes = self.read(id, Kind::Tree)?;
        for (kind, id) in read_tree(&bytes).map_err(RemoteError::Refused)? {
            match kind {
                EntryKind::Folder => self.folder(id, depth + 1)?,
                EntryKind::File => drop(self.is_unseen(id, Kind::Blob)?),
                EntryKind::Submodule => {}
            }
        }
        Ok(())
    }

    /// True for a new object that is met for the first time; what is not new must be here. It must be of this kind.
    fn is_unseen(&mut self, id: ObjectId, kind: Kind) -> Result<bool> {
        if self.cancel.reason().is_some() {
            return Err(RemoteError::Cancelled);
        }
        let (found, is_new) = match (self.seen.get(&id), &self.new) {
            (Some(seen), _) => (Some(*seen), false),
            (None, Some(new)) if new.ids.lookup(id).is_some() => {
                let mut bytes = Vec::new();
                let found = new.objects.try_find(&id, &mut bytes).map_err(|_| RemoteError::Broken)?;
                (found.map(|found| found.kind), true)
            }
            // An empty folder need not be anywhere.
            _ if id == ObjectId::empty_tree(id.kind()) => (Some(Kind::Tree), false),
            _ => {
                let found = self.repository.try_find_header(id).map_err(HistoryError::from)?;
                (found.map(|header| header.kind()), false)
            }
        };
        match found {
            None => Err(RemoteError::Refused("an object that its main leads to is missing")),
            Some(found) if found != kind => {
                Err(RemoteError::Refused("an object is of another kind than its place says"))
            }
            Some(_) => {
                if is_new {
                    self.seen.insert(id, kind);
                }
                Ok(is_new)
            }
        }
    }

    /// Reads a commit or a folder, wherever it is.
    fn read(&self, id: ObjectId, kind: Kind) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Some(new) = &self.new
            && new.ids.lookup(id).is_some()
        {
            new.objects.try_find(&id, &mut bytes).map_err(|_| RemoteError::Broken)?;
            return Ok(bytes);
        }
        let found = match kind {
            Kind::Commit => checked_read::commit(self.repository, id)?.detach().data,
            _ => checked_read::any(self.repository, id)?.detach().data,
        };
        Ok(found)
    }

    /// Follows the first parents: to what was read before, or where nothing was, to the beginning of a history.
    fn line(&self, tip: ObjectId, old: Option<ObjectId>) -> Result<()> {
        let mut next = tip;
        let first = loop {
            if Some(next) == old {
                return Ok(());
            }
            if !self.seen.contains_key(&next) {
                let (line, met) = commits::first_parent_line(self.repository, next, old, usize::MAX)?;
                if old.is_some() && met {
                    return Ok(());
                }
                break line.last().copied();
            }
            let bytes = self.read(next, Kind::Commit)?;
            let (_, parents) =
                read_commit(&bytes, self.limits.message_bytes).map_err(RemoteError::Refused)?;
            match parents.first() {
                Some(parent) => next = *parent,
                None => break Some(next),
            }
        };
        if old.is_some() {
            return Err(RemoteError::Refused("it was rewritten: it does not follow what was read before"));
        }
        let first = first.ok_or(RemoteError::Broken)?;
        let bytes = self.read(first, Kind::Commit)?;
        if origin::begins_our_history(&bytes) {
            Ok(())
        } else {
            Err(RemoteError::Refused("it is not a version history of Flowkeep"))
        }
    }
}
