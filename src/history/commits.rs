//! Commits as versions: what one tells, which flows it touched, the line of commits below another.

use super::error::{HistoryError, Result};
use super::message::{self, Told};
use super::{layout, tree};
use crate::domain::ids::FlowId;
use crate::domain::version::{Content, Sha, Version};
use gix::ObjectId;
use gix::objs::CommitRef;

/// One commit as one flow's version.
pub(super) type Row = (FlowId, Told);

/// The id in the form the domain has it.
pub(super) fn sha(id: ObjectId) -> Result<Sha> {
    let bytes = id.as_bytes().try_into().map_err(|_| HistoryError::damaged("a commit id is not SHA-1"))?;
    Ok(Sha::from_bytes(bytes))
}

/// The id in the form the library has it.
pub(super) fn object_id(sha: &Sha) -> ObjectId {
    ObjectId::from_bytes_or_panic(sha.bytes())
}

/// What the commit with these bytes tells.
pub(super) fn told(id: ObjectId, bytes: &[u8]) -> Result<Told> {
    message::read(sha(id)?, &CommitRef::from_bytes(bytes, gix::hash::Kind::Sha1)?)
}

/// The versions a commit is: one when the service wrote it, else one for each flow it touched.
pub(super) fn rows(repository: &gix::Repository, id: ObjectId) -> Result<Vec<Row>> {
    let object = repository.find_object(id)?.try_into_commit()?;
    let mut told = told(id, &object.data)?;
    if let Some(flow) = told.flow {
        if told.version.name.is_empty() {
            told.version.name = name(repository, id, &flow)?;
        }
        return Ok(vec![(flow, told)]);
    }
    let commit = object.decode()?;
    let parent = commit.parents().next();
    let old = match parent {
        Some(parent) => Some(repository.find_object(parent)?.try_into_commit()?.tree_id()?.detach()),
        None => None,
    };
    let mut rows = Vec::new();
    for flow in tree::touched(repository, old, commit.tree())? {
        let mut own = told.clone();
        own.version.name = name(repository, id, &flow)?;
        if own.version.name.is_empty()
            && let Some(parent) = parent
        {
            own.version.name = name(repository, parent, &flow)?;
        }
        rows.push((flow, own));
    }
    Ok(rows)
}

fn name(repository: &gix::Repository, commit: ObjectId, flow: &FlowId) -> Result<String> {
    let file = file(repository, commit, flow, layout::FLOW_FILE)?;
    Ok(file.and_then(|text| layout::name(&text)).unwrap_or_default())
}

/// What a version holds; `None` when another tool left something that is no flow.
pub(super) fn content(
    repository: &gix::Repository,
    version: &Version,
    flow: &FlowId,
) -> Result<Option<Content>> {
    let commit = object_id(&version.sha);
    let flow_file = file(repository, commit, flow, layout::FLOW_FILE)?;
    let canvas_file = file(repository, commit, flow, layout::CANVAS_FILE)?;
    Ok(match (flow_file, canvas_file) {
        (None, None) => Some(Content::Deleted { id: *flow, name: version.name.clone() }),
        (Some(about), Some(canvas)) => layout::snapshot(flow, &about, &canvas).map(Content::Flow),
        _ => None,
    })
}

fn file(
    repository: &gix::Repository,
    commit: ObjectId,
    flow: &FlowId,
    name: &str,
) -> Result<Option<Vec<u8>>> {
    let root = repository.find_object(commit)?.try_into_commit()?.tree_id()?.detach();
    let [flows, shard, folder] = layout::path(flow);
    let Some((mode, id)) = tree::find(repository, root, &[&flows, &shard, &folder, name])? else {
        return Ok(None);
    };
    if !mode.is_blob() || repository.find_header(id)?.size() > layout::FILE_MAX_BYTES {
        return Ok(None);
    }
    Ok(Some(repository.find_object(id)?.try_into_blob()?.take_data()))
}

/// The first parents below `tip`, newest first, down to `end` (left out); true when `end` was met.
pub(super) fn line(
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
    let object = repository.find_object(id)?.try_into_commit()?;
    Ok(object.parent_ids().next().map(|id| id.detach()))
}
