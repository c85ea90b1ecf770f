//! The order of objects in a pack: versions of one file next to one another, newest first, so that each is a
//! short delta of the one before it.

use crate::history::error::Result;
use crate::history::repository::checked_read;
use gix::ObjectId;
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryRef;
use std::collections::HashSet;

/// After so many commits in a row that are not wanted, the rest is not looked at.
const GAP_MAX_COMMITS: usize = 5_000;

pub(in crate::history) struct PackObject {
    pub(in crate::history) id: ObjectId,
    /// Objects with the same key are versions of one file or folder; `None` for what has no versions.
    pub(in crate::history) key: Option<u64>,
}

/// The objects of `wanted` that the first-parent line below `tip` brought in, in pack order.
///
/// `keep_on` is asked now and then; the plan ends early when it says no.
pub(in crate::history) fn plan(
    repository: &gix::Repository,
    tip: ObjectId,
    wanted: &HashSet<ObjectId>,
    keep_on: &dyn Fn() -> bool,
) -> Result<Vec<PackObject>> {
    let mut plan =
        PackPlan { repository, wanted, seen: HashSet::new(), folders: Vec::new(), files: Vec::new() };
    let mut commits = Vec::new();
    let (mut next, mut gap) = (Some(tip), 0);
    while let Some(id) = next {
        let complete = commits.len() + plan.folders.len() + plan.files.len() == wanted.len();
        if complete || gap > GAP_MAX_COMMITS || !keep_on() {
            break;
        }
        let (tree, parent) = tree_and_parent(repository, id)?;
        gap += 1;
        if wanted.contains(&id) {
            gap = 0;
            commits.push(PackObject { id, key: None });
            let old = parent.map(|parent| tree_and_parent(repository, parent)).transpose()?;
            plan.folder(tree, old.map(|(tree, _)| tree), ROOT_KEY)?;
        }
        next = parent;
    }
    // Stable: within one file the newest stays first.
    plan.folders.sort_by_key(|object| object.key);
    plan.files.sort_by_key(|object| object.key);
    commits.append(&mut plan.folders);
    commits.append(&mut plan.files);
    Ok(commits)
}

const ROOT_KEY: u64 = 0xcbf2_9ce4_8422_2325;

struct PackPlan<'a> {
    repository: &'a gix::Repository,
    wanted: &'a HashSet<ObjectId>,
    seen: HashSet<ObjectId>,
    folders: Vec<PackObject>,
    files: Vec<PackObject>,
}

impl PackPlan<'_> {
    /// Adds what is in the folder `new` and not in `old`.
    fn folder(&mut self, new: ObjectId, old: Option<ObjectId>, key: u64) -> Result<()> {
        if Some(new) == old || !self.seen.insert(new) {
            return Ok(());
        }
        if self.wanted.contains(&new) {
            self.folders.push(PackObject { id: new, key: Some(key) });
        }
        let new = checked_read::tree(self.repository, new)?;
        let old = old.map(|old| checked_read::tree(self.repository, old)).transpose()?;
        let mut old = old.iter().flat_map(|old| entries(&old.data)).peekable();
        for entry in entries(&new.data) {
            while old.next_if(|other| *other < entry && other.filename != entry.filename).is_some() {}
            let before = old.next_if(|other| other.filename == entry.filename);
            let id = entry.oid.to_owned();
            if before.is_some_and(|before| before.oid == entry.oid) || entry.mode.is_commit() {
                continue;
            }
            let name = entry
                .filename
                .iter()
                .fold(key ^ 0x2f, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
            if entry.mode.is_tree() {
                let before = before.filter(|before| before.mode.is_tree());
                self.folder(id, before.map(|before| before.oid.to_owned()), name)?;
            } else if self.wanted.contains(&id) && self.seen.insert(id) {
                self.files.push(PackObject { id, key: Some(name) });
            }
        }
        Ok(())
    }
}

fn entries(data: &[u8]) -> impl Iterator<Item = EntryRef<'_>> {
    TreeRefIter::from_bytes(data, gix::hash::Kind::Sha1).filter_map(std::result::Result::ok)
}

fn tree_and_parent(repository: &gix::Repository, id: ObjectId) -> Result<(ObjectId, Option<ObjectId>)> {
    let commit = checked_read::commit(repository, id)?;
    Ok((commit.tree_id()?.detach(), commit.parent_ids().next().map(|id| id.detach())))
}
