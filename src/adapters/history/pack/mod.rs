//! Upkeep: loose objects become packs, and small packs become larger ones, so that a long history is few files.
//!
//! A version never waits for it: the branch and the turn to write are not touched. What is removed is in a new
//! pack before, flushed, with every id computed anew from what that pack holds.

pub(super) mod delta;
mod figures;
pub(super) mod plan;
pub(super) mod stream;
pub(crate) mod workshop;

pub use self::figures::RepositorySize;
use self::plan::{PackObject, plan};
use self::workshop::Workshop;
use super::History;
use super::error::{HistoryError, Result};
use super::repository::{object_cache, objects, refs};
use crate::base::cancel::CancelToken;
use crate::durable::{TempFile, Tree};
use gix::{ObjectId, hash};
use std::collections::HashSet;
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

/// So many loose objects are worth a pack: about 150 versions.
const LOOSE_MIN_COUNT: usize = 1_000;
/// A pack stays as it is while it holds so many times what all smaller ones hold together.
const GROWTH: u64 = 2;

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
        self.pack(PackGoal::Upkeep { loose_min }, cancel).map(drop)
    }

    /// Makes the repository as small as its objects allow: all that the branch leads to goes into one pack. What there was before
    /// and after; `None` where there is nothing yet, or packing is held off. Waits for who packs already.
    ///
    /// # Errors
    /// As [`Self::maintain`].
    pub fn compact(&self, cancel: &CancelToken) -> Result<Option<(RepositorySize, RepositorySize)>> {
        let _packing = self.pack_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let before = figures::measure(&self.folder)?;
        let has_packed = self.pack(PackGoal::Whole, cancel)?;
        let after = figures::measure(&self.folder)?;
        Ok(has_packed.then_some((before, after)))
    }

    /// How many files the repository is, and how large.
    ///
    /// # Errors
    /// When its folder cannot be read.
    pub fn size(&self) -> Result<RepositorySize> {
        figures::measure(&self.folder)
    }

    /// Packs, in the turn of the caller; false where nothing was looked at.
    fn pack(&self, goal: PackGoal, cancel: &CancelToken) -> Result<bool> {
        // Asked under the lock: whoever begins to hold packing off has it for that moment.
        if self.packing_holds.load(Ordering::SeqCst) > 0 {
            return Ok(false);
        }
        let Some(mut repository) = self.repository.get()?.filter(|_| self.enabled) else { return Ok(false) };
        repository.objects.set_pack_cache(object_cache::new_cache);
        self.catch_up(&repository)?;
        self.index.flush()?;
        let Some(tip) = self.repository.main(&repository)? else { return Ok(false) };
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let _hook = cancel.on_cancel(move || flag.store(true, Ordering::SeqCst));
        // What was read elsewhere is a line of its own, and as long as one.
        let tips: Vec<ObjectId> =
            std::iter::once(tip).chain(refs::read(&repository, &refs::INCOMING)?).collect();
        let work = PackJob { tree: &self.repository.tree, repository: &repository, tips: &tips, stop: &stop };
        let packed = match goal {
            PackGoal::Upkeep { loose_min } => {
                work.pack_loose(loose_min).and_then(|()| work.merge_packs(GROWTH))
            }
            PackGoal::Whole => work.pack_loose(1).and_then(|()| work.merge_packs(u64::MAX)),
        };
        self.repository.close();
        match packed {
            Err(_) if stop.load(Ordering::SeqCst) => Ok(true),
            packed => packed.map(|()| true),
        }
    }
}

/// How far packing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackGoal {
    /// Few files for little work: loose objects wait until they are as many as this.
    Upkeep { loose_min: usize },
    /// One pack.
    Whole,
}

struct PackJob<'a> {
    tree: &'a Tree,
    repository: &'a gix::Repository,
    /// The newest commit of each line.
    tips: &'a [ObjectId],
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
        let planned = plan(self.repository, self.tips, &loose, &|| self.is_running())?;
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
        tracing::info!(
            target: "flowkeep::history::pack",
            objects = planned.len(),
            "history maintenance packed new versions"
        );
        Ok(())
    }

    /// Merges the smallest packs, so that each pack holds at least `growth` times what the smaller ones hold together.
    fn merge_packs(&self, growth: u64) -> Result<()> {
        let folder = self.objects_folder().join("pack");
        let mut packs = list_packs(&folder)?;
        packs.sort_by_key(|(count, _)| *count);
        let (mut merged, mut total) = (0, 0_u64);
        for (at, (count, _)) in packs.iter().enumerate() {
            if at > 0 && *count < total.saturating_mul(growth) {
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
        let mut planned = plan(self.repository, self.tips, &wanted, &|| self.is_running())?;
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
            target: "flowkeep::history::pack", objects = planned.len(),
            packs = merged,
            "history maintenance merged packs of versions"
        );
        Ok(())
    }

    /// Writes a pack and its index, flushed; the path of the index.
    fn write_pack(&self, planned: &[PackObject]) -> Result<PathBuf> {
        let workshop = Workshop::new(self.tree, "pack")?;
        let stream = self.write_stream(planned, workshop.create_stream()?)?;
        let made = workshop.index(self.stop, None)?.ok_or(HistoryError::corrupt("a new pack is empty"))?;
        let ids = made.ids()?;
        if planned.iter().any(|object| ids.lookup(object.id).is_none()) {
            return Err(HistoryError::corrupt("a new pack lacks an object"));
        }
        drop(stream);
        workshop.take_out(&made)
    }

    fn write_stream(&self, planned: &[PackObject], file: TempFile) -> Result<TempFile> {
        let out = BufWriter::new(file);
        let out = stream::write(self.repository, planned, &|_| None, out, &mut |_, _| {
            if self.is_running() { Ok(()) } else { Err(HistoryError::Cancelled) }
        })?;
        Ok(out.into_inner().map_err(io::IntoInnerError::into_error)?)
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
