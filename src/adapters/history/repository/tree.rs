//! Folders of the repository: rewriting the few on one path, finding an entry, finding what a commit touched.

use super::checked_read;
use super::objects::ObjectBatch;
use crate::domain::ids::FlowId;
use crate::history::error::Result;
use crate::history::layout;
use gix::ObjectId;
use gix::objs::Tree;
use gix::objs::tree::{Entry, EntryKind, EntryMode};
use std::collections::{BTreeMap, BTreeSet};

/// Reads a folder; nothing is an empty one.
pub(in crate::history) fn read_folder(repository: &gix::Repository, id: Option<ObjectId>) -> Result<Tree> {
    match id {
        Some(id) if id != ObjectId::empty_tree(id.kind()) => {
            Ok(Tree::from(checked_read::tree(repository, id)?.decode()?))
        }
        _ => Ok(Tree::empty()),
    }
}

/// Puts `folder` in place of what lies at `path` below `root`; the new root, `None` when nothing is left of it.
///
/// The library's own tree editor asks for the existence of every sibling; this writes the folders on the path only.
pub(in crate::history) fn replace_folder(
    batch: &mut ObjectBatch,
    repository: &gix::Repository,
    root: Option<ObjectId>,
    path: &[&str],
    folder: &mut dyn FnMut(&mut ObjectBatch, Tree) -> Result<Tree>,
) -> Result<Option<ObjectId>> {
    let mut tree = read_folder(repository, root)?;
    if let [name, below @ ..] = path {
        let at = tree.entries.iter().position(|entry| entry.filename == *name);
        let inner =
            at.map(|at| &tree.entries[at]).filter(|entry| entry.mode.is_tree()).map(|entry| entry.oid);
        let new = replace_folder(batch, repository, inner, below, folder)?;
        set_entry(&mut tree, name, EntryKind::Tree, new);
    } else {
        tree = folder(batch, tree)?;
    }
    if tree.entries.is_empty() {
        return Ok(None);
    }
    batch.add_object(&tree).map(Some)
}

/// Sets, adds or removes one entry, and keeps git's order, in which a folder sorts as if its name ended in `/`.
pub(in crate::history) fn set_entry(tree: &mut Tree, name: &str, kind: EntryKind, id: Option<ObjectId>) {
    tree.entries.retain(|entry| entry.filename != name);
    let Some(oid) = id else { return };
    let entry = Entry { mode: kind.into(), filename: name.into(), oid };
    let at = tree.entries.binary_search(&entry).unwrap_or_else(|at| at);
    tree.entries.insert(at, entry);
}

/// What lies at `path` below the folder `root`.
pub(in crate::history) fn find_entry(
    repository: &gix::Repository,
    root: ObjectId,
    path: &[&str],
) -> Result<Option<(EntryMode, ObjectId)>> {
    let mut found = (EntryMode::from(EntryKind::Tree), root);
    for name in path {
        if !found.0.is_tree() {
            return Ok(None);
        }
        let folder = checked_read::tree(repository, found.1)?;
        let entries = folder.decode()?.entries;
        let Some(entry) = entries.iter().find(|entry| entry.filename == *name) else { return Ok(None) };
        found = (entry.mode, entry.oid.to_owned());
    }
    Ok(Some(found))
}

/// The flows whose folders differ between two roots.
pub(in crate::history) fn changed_flows(
    repository: &gix::Repository,
    old: Option<ObjectId>,
    new: ObjectId,
) -> Result<BTreeSet<FlowId>> {
    let flows_of = |root: Option<ObjectId>| -> Result<Option<ObjectId>> {
        let Some(root) = root else { return Ok(None) };
        let found = find_entry(repository, root, &[layout::FLOWS])?;
        Ok(found.filter(|(mode, _)| mode.is_tree()).map(|(_, id)| id))
    };
    let mut flows = BTreeSet::new();
    for (shard, (old, new)) in differences(repository, flows_of(old)?, flows_of(Some(new))?)? {
        for name in differences(repository, old, new)?.into_keys() {
            flows.extend(layout::flow_at(&shard, &name));
        }
    }
    Ok(flows)
}

type Sides = (Option<ObjectId>, Option<ObjectId>);

/// The folders in two folders that are not the same, by name.
fn differences(
    repository: &gix::Repository,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<BTreeMap<String, Sides>> {
    if old == new {
        return Ok(BTreeMap::new());
    }
    let mut sides: BTreeMap<String, Sides> = BTreeMap::new();
    let folders = |tree: Tree| tree.entries.into_iter().filter(|entry| entry.mode.is_tree());
    for entry in folders(read_folder(repository, old)?) {
        sides.entry(entry.filename.to_string()).or_default().0 = Some(entry.oid);
    }
    for entry in folders(read_folder(repository, new)?) {
        sides.entry(entry.filename.to_string()).or_default().1 = Some(entry.oid);
    }
    sides.retain(|_, (old, new)| old != new);
    Ok(sides)
}
