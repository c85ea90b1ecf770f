//! The order of objects in a pack: versions of one file next to one another, newest first, so that each is a
//! short delta of the one before it.

use crate::history::error::{HistoryError, Result};
use crate::history::repository::checked_read;
use gix::ObjectId;
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryRef;
use std::collections::{HashMap, HashSet};

/// After so many commits in a row that are not wanted, the rest is not looked at.
const GAP_MAX_COMMITS: usize = 5_000;

pub(in crate::history) struct PackObject {
    pub(in crate::history) id: ObjectId,
    /// Objects with the same key are versions of one file or folder; `None` for what has no versions.
    pub(in crate::history) key: Option<u64>,
}

/// The objects of `wanted` that the first-parent lines below `tips` brought in, in pack order.
///
/// `keep_on` is asked now and then; the plan ends early when it says no.
pub(in crate::history) fn plan(
    repository: &gix::Repository,
    tips: &[ObjectId],
    wanted: &HashSet<ObjectId>,
    keep_on: &dyn Fn() -> bool,
) -> Result<Vec<PackObject>> {
    let mut walk = TreeWalk::new(repository, Some(wanted));
    let mut commits = Vec::new();
    for tip in tips {
        let (mut next, mut gap) = (Some(*tip), 0);
        while let Some(id) = next {
            let complete = commits.len() + walk.folders.len() + walk.files.len() == wanted.len();
            if complete || gap > GAP_MAX_COMMITS || !keep_on() {
                break;
            }
            let (tree, parent) = tree_and_parent(repository, id)?;
            gap += 1;
            if wanted.contains(&id) && walk.seen.insert(id) {
                gap = 0;
                commits.push(PackObject { id, key: None });
                let old = parent.map(|parent| tree_and_parent(repository, parent)).transpose()?;
                walk.folder(tree, old.map(|(tree, _)| tree), ROOT_KEY)?;
            }
            next = parent;
        }
    }
    Ok(walk.into_order(commits))
}

/// What one side of a copy has and the other one lacks.
pub(in crate::history) struct CopyPlan {
    /// In pack order.
    pub(in crate::history) objects: Vec<PackObject>,
    /// The commits of `objects`, newest first on each line.
    pub(in crate::history) commits: Vec<ObjectId>,
    /// By the key of a file: its path.
    paths: HashMap<u64, String>,
    /// By key: what the other side has of this file or folder.
    bases: HashMap<u64, ObjectId>,
    /// By the id of a file: the commit of `commits` that brought it.
    origins: HashMap<ObjectId, u32>,
}

impl CopyPlan {
    /// An object of the other side that the newest object of this key may be a delta of.
    pub(in crate::history) fn base(&self, key: u64) -> Option<ObjectId> {
        self.bases.get(&key).copied()
    }

    /// Forgets what the other side has, for one that takes whole objects only.
    pub(in crate::history) fn without_bases(self) -> Self {
        Self { bases: HashMap::new(), ..self }
    }

    /// Of a file: the commit that brought it, and its path there.
    pub(in crate::history) fn origin(&self, object: &PackObject) -> Option<(ObjectId, &str)> {
        let commit = self.origins.get(&object.id)?;
        let path = self.paths.get(&object.key?)?;
        Some((*self.commits.get(*commit as usize)?, path))
    }
}

/// Plans a copy of everything that `tip` leads to and `old` does not; `None` when `tip` does not follow `old` by first
/// parents.
pub(in crate::history) fn plan_copy(
    repository: &gix::Repository,
    tip: ObjectId,
    old: Option<ObjectId>,
    keep_on: &dyn Fn() -> bool,
) -> Result<Option<CopyPlan>> {
    let Some(commits) = new_commits(repository, tip, old, keep_on)? else { return Ok(None) };
    let mut walk = TreeWalk::new(repository, None);
    walk.copy = Some(CopyNotes::default());
    walk.seen.extend(&commits);
    for (number, commit) in (0..).zip(&commits) {
        check(keep_on)?;
        let (tree, parent) = tree_and_parent(repository, *commit)?;
        let before = parent.map(|parent| tree_and_parent(repository, parent)).transpose()?;
        walk.commit = number;
        walk.folder(tree, before.map(|(tree, _)| tree), ROOT_KEY)?;
    }
    let CopyNotes { paths, mut bases, origins, .. } = walk.copy.take().unwrap_or_default();
    // What goes over itself is no base: two objects could wait for one another.
    bases.retain(|_, base| !walk.seen.contains(base));
    let objects = commits.iter().map(|id| PackObject { id: *id, key: None }).collect();
    Ok(Some(CopyPlan { objects: walk.into_order(objects), commits, paths, bases, origins }))
}

/// The commits that `tip` leads to and `old` does not.
fn new_commits(
    repository: &gix::Repository,
    tip: ObjectId,
    old: Option<ObjectId>,
    keep_on: &dyn Fn() -> bool,
) -> Result<Option<Vec<ObjectId>>> {
    if old.is_some_and(|old| !repository.has_object(old)) {
        return Ok(None);
    }
    let (mut commits, mut sides) = (Vec::new(), Vec::new());
    let mut next = Some(tip);
    while next != old {
        check(keep_on)?;
        let Some(id) = next else { return Ok(None) };
        commits.push(id);
        let commit = checked_read::commit(repository, id)?;
        let mut parents = commit.parent_ids().map(|id| id.detach());
        next = parents.next();
        sides.extend(parents);
    }
    if sides.is_empty() {
        return Ok(Some(commits));
    }
    // Another tool merged: what came in from the side goes over too, but for what the other one has.
    let mut known: HashSet<ObjectId> = commits.iter().copied().collect();
    ancestors(repository, old.into_iter().collect(), &mut known, keep_on, &mut |_| ())?;
    ancestors(repository, sides, &mut known, keep_on, &mut |id| commits.push(id))?;
    Ok(Some(commits))
}

/// Hands every commit that `open` lead to and that is not in `seen` to `each`.
fn ancestors(
    repository: &gix::Repository,
    mut open: Vec<ObjectId>,
    seen: &mut HashSet<ObjectId>,
    keep_on: &dyn Fn() -> bool,
    each: &mut dyn FnMut(ObjectId),
) -> Result<()> {
    while let Some(id) = open.pop() {
        check(keep_on)?;
        if seen.insert(id) {
            each(id);
            open.extend(checked_read::commit(repository, id)?.parent_ids().map(|id| id.detach()));
        }
    }
    Ok(())
}

fn check(keep_on: &dyn Fn() -> bool) -> Result<()> {
    if keep_on() { Ok(()) } else { Err(HistoryError::Cancelled) }
}

const ROOT_KEY: u64 = 0xcbf2_9ce4_8422_2325;

/// Gathers what commits brought in.
struct TreeWalk<'a> {
    repository: &'a gix::Repository,
    /// Only these; everything when it is `None`.
    wanted: Option<&'a HashSet<ObjectId>>,
    seen: HashSet<ObjectId>,
    folders: Vec<PackObject>,
    files: Vec<PackObject>,
    /// The number of the commit that is looked at.
    commit: u32,
    copy: Option<CopyNotes>,
}

/// What a copy wants to know besides.
#[derive(Default)]
struct CopyNotes {
    /// The path of the folder that is looked at.
    path: String,
    paths: HashMap<u64, String>,
    bases: HashMap<u64, ObjectId>,
    origins: HashMap<ObjectId, u32>,
}

impl CopyNotes {
    /// Notes what stood there before, the oldest last: that is what the other side has.
    fn note_base(&mut self, key: u64, before: Option<ObjectId>) {
        match before {
            Some(before) => drop(self.bases.insert(key, before)),
            None => drop(self.bases.remove(&key)),
        }
    }

    fn note_file(&mut self, key: u64, name: &str, id: ObjectId, commit: u32) {
        let path = &self.path;
        self.paths.entry(key).or_insert_with(|| format!("{path}{name}"));
        self.origins.insert(id, commit);
    }
}

impl<'a> TreeWalk<'a> {
    fn new(repository: &'a gix::Repository, wanted: Option<&'a HashSet<ObjectId>>) -> Self {
        let (seen, folders, files) = (HashSet::new(), Vec::new(), Vec::new());
        Self { repository, wanted, seen, folders, files, commit: 0, copy: None }
    }

    fn is_wanted(&self, id: &ObjectId) -> bool {
        self.wanted.is_none_or(|wanted| wanted.contains(id))
    }

    /// Adds what is in the folder `new` and not in `old`.
    fn folder(&mut self, new: ObjectId, old: Option<ObjectId>, key: u64) -> Result<()> {
        if Some(new) == old {
            return Ok(());
        }
        if let Some(copy) = &mut self.copy {
            copy.note_base(key, old);
        }
        // One that was seen before is looked into all the same: a folder that came back differs from the one before it in other
        // things than the first time.
        if self.is_wanted(&new) && self.seen.insert(new) {
            self.folders.push(PackObject { id: new, key: Some(key) });
        }
        let new = checked_read::tree(self.repository, new)?;
        let old = old.map(|old| checked_read::tree(self.repository, old)).transpose()?;
        let mut old = old.iter().flat_map(|old| entries(&old.data)).peekable();
        for entry in entries(&new.data) {
            while old.next_if(|other| *other < entry && other.filename != entry.filename).is_some() {}
            let before = old.next_if(|other| other.filename == entry.filename);
            if before.is_some_and(|before| before.oid == entry.oid) || entry.mode.is_commit() {
                continue;
            }
            self.entry(&entry, before, key)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &EntryRef<'_>, before: Option<EntryRef<'_>>, key: u64) -> Result<()> {
        let id = entry.oid.to_owned();
        let name = entry
            .filename
            .iter()
            .fold(key ^ 0x2f, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        let text = entry.filename.to_string();
        if entry.mode.is_tree() {
            let before = before.filter(|before| before.mode.is_tree()).map(|before| before.oid.to_owned());
            let length = self.copy.as_ref().map_or(0, |copy| copy.path.len());
            if let Some(copy) = &mut self.copy {
                copy.path.push_str(&text);
                copy.path.push('/');
            }
            self.folder(id, before, name)?;
            if let Some(copy) = &mut self.copy {
                copy.path.truncate(length);
            }
            return Ok(());
        }
        if let Some(copy) = &mut self.copy {
            let before = before.filter(|before| before.mode.is_blob()).map(|before| before.oid.to_owned());
            copy.note_base(name, before);
        }
        if self.is_wanted(&id) && self.seen.insert(id) {
            self.files.push(PackObject { id, key: Some(name) });
            if let Some(copy) = &mut self.copy {
                copy.note_file(name, &text, id, self.commit);
            }
        }
        Ok(())
    }

    /// Everything, behind its commits.
    fn into_order(mut self, mut commits: Vec<PackObject>) -> Vec<PackObject> {
        // Stable: within one file the newest stays first.
        self.folders.sort_by_key(|object| object.key);
        self.files.sort_by_key(|object| object.key);
        commits.append(&mut self.folders);
        commits.append(&mut self.files);
        commits
    }
}

fn entries(data: &[u8]) -> impl Iterator<Item = EntryRef<'_>> {
    TreeRefIter::from_bytes(data, gix::hash::Kind::Sha1).filter_map(std::result::Result::ok)
}

fn tree_and_parent(repository: &gix::Repository, id: ObjectId) -> Result<(ObjectId, Option<ObjectId>)> {
    let commit = checked_read::commit(repository, id)?;
    Ok((commit.tree_id()?.detach(), commit.parent_ids().next().map(|id| id.detach())))
}
