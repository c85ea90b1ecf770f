//! Upkeep: loose objects become packs, and small packs become larger ones, so that a long history is few files.
//!
//! A version never waits for it: the branch and the turn to write are not touched. What is removed is in a new
//! pack before, flushed, with every id computed anew from what that pack holds.

pub(crate) mod delta;
pub(crate) mod plan;

use self::plan::{PackObject, plan};
use super::History;
use super::error::{HistoryError, Result};
use super::repository::objects::OBJECTS;
use super::repository::{object_cache, objects};
use crate::base::cancel::CancelToken;
use crate::durable::{TempFile, Tree};
use gix::objs::Kind;
use gix::zlib::Compression;
use gix::{ObjectId, hash};
use gix_pack::data::output::{Entry, bytes::FromEntriesIter, entry};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many loose objects are worth a pack: about 150 versions.
const LOOSE_MIN_COUNT: usize = 1_000;
/// A pack stays as it is while it holds so many times what all smaller ones hold together.
const GROWTH: u64 = 2;
/// The longest chain of deltas.
const DEPTH_MAX: u32 = 50;

impl History {
    /// Keeps the repository and the list of versions in shape: for a task, every minute or so. When there is
    /// little to do it reads some folders; after long work on a large history it can take a minute of one core.
    /// A second call at the same time does nothing. Cancelling leaves everything as it was.
    ///
    /// # Errors
    /// When the history cannot be read or written; nothing is lost by that.
    pub fn maintain(&self, cancel: &CancelToken) -> Result<()> {
        self.maintain_from(LOOSE_MIN_COUNT, cancel)
    }

    /// As [`Self::maintain`], with packs made of as few as `loose_min` loose objects.
    pub(super) fn maintain_from(&self, loose_min: usize, cancel: &CancelToken) -> Result<()> {
        let Ok(_packing) = self.pack_lock.try_lock() else { return Ok(()) };
        let Some(mut repository) = self.repository.get()?.filter(|_| self.enabled) else { return Ok(()) };
        repository.objects.set_pack_cache(object_cache::new_cache);
        self.catch_up(&repository)?;
        self.index.flush()?;
        let Some(tip) = self.repository.main(&repository)? else { return Ok(()) };
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let _hook = cancel.on_cancel(move || flag.store(true, Ordering::SeqCst));
        let work = PackJob { tree: &self.repository.tree, repository: &repository, tip, stop: &stop };
        let packed = work.pack_loose(loose_min).and_then(|()| work.merge_packs());
        self.repository.close();
        match packed {
            Err(_) if stop.load(Ordering::SeqCst) => Ok(()),
            packed => packed,
        }
    }
}

struct PackJob<'a> {
    tree: &'a Tree,
    repository: &'a gix::Repository,
    tip: ObjectId,
    stop: &'a AtomicBool,
}

impl PackJob<'_> {
    fn objects_folder(&self) -> PathBuf {
        self.repository.objects.store_ref().path().to_owned()
    }

    fn is_running(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Packs the loose objects of the branch, and removes the files of all that are in packs. Others stay:
    /// nobody knows whose they are.
    fn pack_loose(&self, least: usize) -> Result<()> {
        let objects = self.objects_folder();
        let loose = list_loose(&objects)?;
        if loose.len() < least {
            return Ok(());
        }
        let planned = plan(self.repository, self.tip, &loose, &|| self.is_running())?;
        if planned.len() < least || !self.is_running() {
            return Ok(());
        }
        self.write_pack(&planned)?;
        let mut indexes = Vec::new();
        for (_, path) in list_packs(&objects.join("pack"))? {
            indexes.push(gix_pack::index::File::at(path, hash::Kind::Sha1)?);
        }
        for id in loose.iter().filter(|id| indexes.iter().any(|index| index.lookup(id).is_some())) {
            self.tree.faults().step()?;
            let _in_a_pack_now = fs::remove_file(objects::loose_path(&objects, id));
        }
        tracing::info!(objects = planned.len(), "history maintenance packed new versions");
        Ok(())
    }

    /// Merges the smallest packs, so that each pack holds at least twice what the smaller ones hold together.
    fn merge_packs(&self) -> Result<()> {
        let folder = self.objects_folder().join("pack");
        let mut packs = list_packs(&folder)?;
        packs.sort_by_key(|(count, _)| *count);
        let (mut merged, mut total) = (0, 0);
        for (at, (count, _)) in packs.iter().enumerate() {
            if at > 0 && *count < GROWTH * total {
                merged = at + 1;
            }
            total += count;
        }
        if merged < 2 {
            return Ok(());
        }
        let mut wanted = HashSet::new();
        for (_, index) in &packs[..merged] {
            let index = gix_pack::index::File::at(index, hash::Kind::Sha1)?;
            wanted.extend(index.iter().map(|entry| entry.oid));
        }
        let mut planned = plan(self.repository, self.tip, &wanted, &|| self.is_running())?;
        for object in &planned {
            wanted.remove(&object.id);
        }
        // What the line does not lead to (the other side of a merge, say) is kept all the same.
        planned.extend(wanted.into_iter().map(|id| PackObject { id, key: None }));
        let new = self.write_pack(&planned)?;
        for (_, index) in &packs[..merged] {
            if index.file_name() != new.file_name() {
                self.remove_pack(&folder, index)?;
            }
        }
        tracing::info!(
            objects = planned.len(),
            packs = merged,
            "history maintenance merged packs of versions"
        );
        Ok(())
    }

    /// Writes a pack and its index, flushed; the path of the index.
    fn write_pack(&self, planned: &[PackObject]) -> Result<PathBuf> {
        let objects = self.objects_folder();
        let name = format!("tmp_pack_{}", uuid::Uuid::new_v4().simple());
        let workshop = TempPack(self.tree, objects.join(&name));
        let stream =
            self.write_stream(planned, self.tree.make(&[OBJECTS, &name])?.create_temp_as("stream", false)?)?;
        self.tree.faults().step()?;
        let made = gix_pack::Bundle::write_to_directory(
            &mut BufReader::new(File::open(workshop.1.join("stream"))?),
            Some(&workshop.1),
            &mut gix::progress::Discard,
            self.stop,
            None::<gix::odb::Handle>,
            hash::Kind::Sha1,
            gix_pack::bundle::write::Options { thread_limit: Some(1), ..Default::default() },
        )?;
        let (Some(pack), Some(index)) = (made.data_path, made.index_path) else {
            return Err(HistoryError::corrupt("a new pack is empty"));
        };
        let ids = gix_pack::index::File::at(&index, hash::Kind::Sha1)?;
        if planned.iter().any(|object| ids.lookup(object.id).is_none()) {
            return Err(HistoryError::corrupt("a new pack lacks an object"));
        }
        drop(stream);
        let folder = self.tree.make(&[OBJECTS, "pack"])?;
        let name = |file: &Path| file.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        // The index last: a pack without one is not looked at.
        for file in [&pack, &index] {
            folder.adopt(file, &name(file).ok_or(HistoryError::corrupt("a new pack has no name"))?)?;
        }
        folder.flush()?;
        let name = name(&index).ok_or(HistoryError::corrupt("a new pack has no name"))?;
        Ok(objects.join("pack").join(name))
    }

    fn write_stream(&self, planned: &[PackObject], file: TempFile) -> Result<TempFile> {
        let count = u32::try_from(planned.len()).map_err(|_| HistoryError::corrupt("too many objects"))?;
        let mut last = DeltaBase::default();
        let entries = planned.iter().enumerate().map(|(at, object)| {
            if self.is_running() {
                last.next_entry(self.repository, at, object).map(|entry| vec![entry])
            } else {
                Err(gix::Error::from_error(io::Error::from(io::ErrorKind::Interrupted)))
            }
        });
        let out = BufWriter::new(file);
        let mut stream =
            FromEntriesIter::new(entries, out, count, gix_pack::data::Version::V2, hash::Kind::Sha1);
        stream.by_ref().try_for_each(|written| written.map(drop))?;
        Ok(stream.into_write().into_inner().map_err(io::IntoInnerError::into_error)?)
    }

    fn remove_pack(&self, folder: &Path, index: &Path) -> Result<()> {
        // It names packs, and git refuses one that names a pack that is gone. Without it every pack is looked at.
        let overview = folder.join("multi-pack-index");
        if overview.exists() {
            self.tree.faults().step()?;
            fs::remove_file(overview)?;
        }
        for ending in ["idx", "rev", "bitmap", "pack"] {
            self.tree.faults().step()?;
            match fs::remove_file(index.with_extension(ending)) {
                Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault.into()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A folder of files that are not finished; removed with what is left in it.
struct TempPack<'a>(&'a Tree, PathBuf);

impl Drop for TempPack<'_> {
    fn drop(&mut self) {
        if !self.0.faults().has_crashed() {
            let _left_over = fs::remove_dir_all(&self.1);
        }
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
    ) -> gix::Result<Entry> {
        let found = repository.find_object(object.id)?.detach();
        let related = object.key.is_some() && object.key == self.key && found.kind != Kind::Commit;
        let base = Some(&self.bytes).filter(|_| related && self.depth < DEPTH_MAX);
        let delta = base.and_then(|base| delta::encode(base, &found.data));
        let kind = match delta {
            Some(_) => entry::Kind::DeltaRef { object_index: at - 1 },
            None => entry::Kind::Base(found.kind),
        };
        let depth = if delta.is_some() { self.depth + 1 } else { 0 };
        let body = delta.as_deref().unwrap_or(&found.data);
        let mut out = gix::zlib::stream::deflate::Write::new(Vec::new(), Compression::DEFAULT);
        out.write_all(body).and_then(|()| out.flush()).map_err(gix::Error::from_error)?;
        let entry =
            Entry { id: object.id, kind, decompressed_size: body.len(), compressed_data: out.into_inner() };
        *self = Self { key: object.key, bytes: found.data, depth };
        Ok(entry)
    }
}

fn list_loose(objects: &Path) -> Result<HashSet<ObjectId>> {
    let mut found = HashSet::new();
    for shard in 0..=u8::MAX {
        let shard = format!("{shard:02x}");
        let Ok(entries) = fs::read_dir(objects.join(&shard)) else { continue };
        for entry in entries {
            let name = entry?.file_name();
            let id = name.to_str().map(|name| format!("{shard}{name}"));
            found.extend(id.and_then(|id| ObjectId::from_hex(id.as_bytes()).ok()));
        }
    }
    Ok(found)
}

/// The packs that may be merged, each with how many objects it holds. Those that someone keeps on purpose, and
/// those in which git collects what is no longer needed, are left alone.
fn list_packs(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let kept = ["keep", "promisor", "mtimes"].iter().any(|ending| path.with_extension(ending).exists());
        if path.extension().is_some_and(|ending| ending == "idx")
            && !kept
            && path.with_extension("pack").exists()
        {
            let count = gix_pack::index::File::at(&path, hash::Kind::Sha1)?.num_objects();
            found.push((u64::from(count), path));
        }
    }
    Ok(found)
}
