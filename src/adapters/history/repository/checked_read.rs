//! Objects read back: each is what its id says, or an error that names it. The library itself trusts what a file or
//! a pack holds, so that a flipped bit would be another author, another title or another canvas.

use crate::history::error::{HistoryError, Result};
use gix::objs::{self, Kind};
use gix::{Blob, Commit, Object, ObjectId, Tree};

pub(in crate::history) fn commit(repository: &gix::Repository, id: ObjectId) -> Result<Commit<'_>> {
    Ok(object(repository, id, Kind::Commit)?.try_into_commit()?)
}

pub(in crate::history) fn tree(repository: &gix::Repository, id: ObjectId) -> Result<Tree<'_>> {
    Ok(object(repository, id, Kind::Tree)?.try_into_tree()?)
}

pub(in crate::history) fn blob(repository: &gix::Repository, id: ObjectId) -> Result<Blob<'_>> {
    Ok(object(repository, id, Kind::Blob)?.try_into_blob()?)
}

/// An object of whatever kind.
pub(in crate::history) fn any(repository: &gix::Repository, id: ObjectId) -> Result<Object<'_>> {
    let found = repository.find_object(id).map_err(|fault| HistoryError::object(id, fault))?;
    match objs::compute_hash(id.kind(), found.kind, &found.data) {
        Ok(own) if own == id => Ok(found),
        _ => Err(HistoryError::object(id, "it is not what its id says")),
    }
}

fn object(repository: &gix::Repository, id: ObjectId, kind: Kind) -> Result<Object<'_>> {
    let found = any(repository, id)?;
    if found.kind == kind { Ok(found) } else { Err(HistoryError::object(id, "it is of another kind")) }
}
