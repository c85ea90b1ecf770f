//! Commits as versions: what one says, which flows it touched, the line of commits below another.

use super::error::{HistoryError, Result};
use super::layout;
use super::layout::FlowHeader;
use super::message::{self, CommitSummary};
use super::repository::{checked_read, tree};
use crate::domain::flows::version::{Sha, Version, VersionContent, VersionKind};
use crate::domain::ids::FlowId;
use gix::ObjectId;
use gix::objs::CommitRef;

/// One commit as one flow's version.
pub(super) type VersionRow = (FlowId, CommitSummary);

/// The id in the form the domain has it.
pub(super) fn sha(id: ObjectId) -> Result<Sha> {
    let bytes = id.as_bytes().try_into().map_err(|_| HistoryError::corrupt("a commit id is not SHA-1"))?;
    Ok(Sha::from_bytes(bytes))
}

/// The id in the form the library has it.
pub(super) fn object_id(sha: &Sha) -> ObjectId {
    ObjectId::from_bytes_or_panic(sha.bytes())
}

/// What the commit with these bytes says.
pub(super) fn read_commit(id: ObjectId, bytes: &[u8]) -> Result<CommitSummary> {
    message::parse(sha(id)?, &CommitRef::from_bytes(bytes, gix::hash::Kind::Sha1)?)
}

/// The versions a commit is: one when the service wrote it, else one for each flow it touched.
pub(super) fn version_rows(repository: &gix::Repository, id: ObjectId) -> Result<Vec<VersionRow>> {
    let object = checked_read::commit(repository, id)?;
    let mut summary = read_commit(id, &object.data)?;
    if let Some(flow) = summary.flow {
        let version = &mut summary.version;
        if version.name.is_empty() || (version.flow_kind.is_none() && version.kind != VersionKind::Delete) {
            let about = read_about(repository, id, &flow)?;
            if version.name.is_empty() {
                version.name = about.name.unwrap_or_default();
            }
            version.flow_kind = version.flow_kind.or(about.kind);
        }
        return Ok(vec![(flow, summary)]);
    }
    let commit = object.decode()?;
    let parent = commit.parents().next();
    let old = match parent {
        Some(parent) => Some(checked_read::commit(repository, parent)?.tree_id()?.detach()),
        None => None,
    };
    let mut rows = Vec::new();
    for flow in tree::changed_flows(repository, old, commit.tree())? {
        let mut own = summary.clone();
        let now = read_about(repository, id, &flow)?;
        let name = match (now.name, parent) {
            (Some(name), _) => Some(name),
            (None, Some(parent)) => read_about(repository, parent, &flow)?.name,
            (None, None) => None,
        };
        own.version.name = name.unwrap_or_default();
        own.version.flow_kind = now.kind;
        rows.push((flow, own));
    }
    Ok(rows)
}

fn read_about(repository: &gix::Repository, commit: ObjectId, flow: &FlowId) -> Result<FlowHeader> {
    let file = read_file(repository, commit, flow, layout::FLOW_FILE)?;
    Ok(file.map(|text| FlowHeader::parse(&text)).unwrap_or_default())
}

/// What a version holds; `None` when another tool left something that is no flow.
pub(super) fn content(
    repository: &gix::Repository,
    version: &Version,
    flow: &FlowId,
) -> Result<Option<VersionContent>> {
    let commit = object_id(&version.sha);
    let flow_file = read_file(repository, commit, flow, layout::FLOW_FILE)?;
    let canvas_file = read_file(repository, commit, flow, layout::CANVAS_FILE)?;
    let references_file = read_file(repository, commit, flow, layout::REFERENCES_FILE)?;
    Ok(match (flow_file, canvas_file) {
        (None, None) => Some(VersionContent::Deleted { id: *flow, name: version.name.clone() }),
        (Some(about), Some(canvas)) => {
            layout::snapshot(flow, &about, &canvas, references_file.as_deref()).map(VersionContent::Flow)
        }
        _ => None,
    })
}

/// True when the files of a version say that they are another flow's than the one in whose place they lie.
pub(super) fn names_another_flow(
    repository: &gix::Repository,
    version: &Version,
    flow: &FlowId,
) -> Result<bool> {
    let about = read_file(repository, object_id(&version.sha), flow, layout::FLOW_FILE)?;
    Ok(about.is_some_and(|about| layout::names_another_flow(flow, &about)))
}

fn read_file(
    repository: &gix::Repository,
    commit: ObjectId,
    flow: &FlowId,
    name: &str,
) -> Result<Option<Vec<u8>>> {
    let root = checked_read::commit(repository, commit)?.tree_id()?.detach();
    let [flows, shard, folder] = layout::path(flow);
    let Some((mode, id)) = tree::find_entry(repository, root, &[&flows, &shard, &folder, name])? else {
        return Ok(None);
    };
    let size = || repository.find_header(id).map(|header| header.size());
    if !mode.is_blob() {
        return Ok(None);
    }
    // Its size is read before it is known to be what its id says: it may be that of another object, and proves nothing.
    if size().map_err(|fault| HistoryError::object(id, fault))? > layout::FILE_MAX_BYTES {
        return Err(HistoryError::object(id, "it is larger than a file of a flow can be"));
    }
    Ok(Some(checked_read::blob(repository, id)?.take_data()))
}

/// The first parents below `tip`, newest first, down to `end` (left out); true when `end` was met.
pub(super) fn first_parent_line(
    repository: &gix::Repository,
    tip: ObjectId,
    end: Option<ObjectId>,
    limit: usize,
) -> Result<(Vec<ObjectId>, bool)> {
    let mut commits = Vec::new();
    let mut next = Some(tip);
    while let Some(id) = next {
        if Some(id) == end {
            return Ok((commits, true));
        }
        if commits.len() == limit {
            break;
        }
        commits.push(id);
        next = parent(repository, id)?;
    }
    Ok((commits, end.is_none()))
}

/// The commit before this one.
pub(super) fn parent(repository: &gix::Repository, id: ObjectId) -> Result<Option<ObjectId>> {
    let object = checked_read::commit(repository, id)?;
    Ok(object.parent_ids().next().map(|id| id.detach()))
}
