//! Objects written as a pack, one after the other: each a delta of the one before it where that is much shorter.

use super::delta;
use super::plan::PackObject;
use crate::history::error::{HistoryError, Result};
use crate::history::repository::checked_read;
use gix::objs::Kind;
use gix::zlib::Compression;
use gix::{ObjectId, hash};
use gix_pack::data::output::{Entry, bytes::FromEntriesIter, entry};
use std::io::Write;

/// The longest chain of deltas.
const DEPTH_MAX: u32 = 50;

/// Writes the pack of `planned`. `base` says what the reader of the pack has already of a file or folder. `look` sees each
/// object on its way, and ends it all with an error.
pub(in crate::history) fn write<W: Write>(
    repository: &gix::Repository,
    planned: &[PackObject],
    base: &dyn Fn(u64) -> Option<ObjectId>,
    out: W,
    look: &mut dyn FnMut(&PackObject, &[u8]) -> Result<()>,
) -> Result<W> {
    let count = u32::try_from(planned.len()).map_err(|_| HistoryError::corrupt("too many objects"))?;
    let mut last = DeltaBase::default();
    let mut failure = None;
    let entries = planned.iter().enumerate().map(|(at, object)| {
        let written = last.next_entry(repository, at, object, base, look);
        written.map(|entry| vec![entry]).map_err(|fault| {
            failure = Some(fault);
            gix::Error::from_error(std::io::Error::from(std::io::ErrorKind::Interrupted))
        })
    });
    let mut stream = FromEntriesIter::new(entries, out, count, gix_pack::data::Version::V2, hash::Kind::Sha1);
    let written = stream.by_ref().try_for_each(|written| written.map(drop));
    let out = stream.into_write();
    match (written, failure) {
        (Ok(()), _) => Ok(out),
        (Err(_), Some(own)) => Err(own),
        (Err(fault), None) => Err(fault.into()),
    }
}

/// The object that was written last: what the next one may be a delta of.
#[derive(Default)]
struct DeltaBase {
    key: Option<u64>,
    bytes: Vec<u8>,
    depth: u32,
}

impl DeltaBase {
    fn next_entry(
        &mut self,
        repository: &gix::Repository,
        at: usize,
        object: &PackObject,
        base: &dyn Fn(u64) -> Option<ObjectId>,
        look: &mut dyn FnMut(&PackObject, &[u8]) -> Result<()>,
    ) -> Result<Entry> {
        let found = checked_read::any(repository, object.id)?.detach();
        look(object, &found.data)?;
        let related = object.key.is_some() && object.key == self.key && found.kind != Kind::Commit;
        let mut delta = None;
        if related && self.depth < DEPTH_MAX {
            let encoded = delta::encode(&self.bytes, &found.data);
            delta = encoded.map(|bytes| (entry::Kind::DeltaRef { object_index: at - 1 }, bytes));
        } else if let Some(id) = object.key.filter(|_| !related).and_then(base) {
            let there = checked_read::any(repository, id)?;
            let encoded = (there.kind == found.kind).then(|| delta::encode(&there.data, &found.data));
            delta = encoded.flatten().map(|bytes| (entry::Kind::DeltaOid { id }, bytes));
        }
        let depth = if delta.is_some() && related { self.depth + 1 } else { u32::from(delta.is_some()) };
        let kind = delta.as_ref().map_or(entry::Kind::Base(found.kind), |(kind, _)| *kind);
        let body = delta.as_ref().map_or(found.data.as_slice(), |(_, bytes)| bytes);
        let mut out = gix::zlib::stream::deflate::Write::new(Vec::new(), Compression::DEFAULT);
        out.write_all(body).and_then(|()| out.flush())?;
        let entry =
            Entry { id: object.id, kind, decompressed_size: body.len(), compressed_data: out.into_inner() };
        *self = Self { key: object.key, bytes: found.data, depth };
        Ok(entry)
    }
}
