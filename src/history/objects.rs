//! New objects: built in memory, then written as loose files, each flushed before it gets its name.

use super::disk::{Disk, Unnamed};
use super::error::{HistoryError, Result};
use gix::objs::{Kind, WriteTo};
use gix::{ObjectId, objs};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The objects of one version on their way to disk.
#[derive(Default)]
pub(super) struct Batch {
    objects: Vec<(ObjectId, Kind, Vec<u8>)>,
}

impl Batch {
    /// Adds a file's content, unless `old` is its id already: then the commit before has it.
    pub(super) fn blob(&mut self, content: Vec<u8>, old: Option<ObjectId>) -> Result<ObjectId> {
        match old {
            Some(old) if objs::compute_hash(gix::hash::Kind::Sha1, Kind::Blob, &content)? == old => Ok(old),
            _ => self.add(Kind::Blob, content),
        }
    }

    /// Adds a folder or a commit.
    pub(super) fn object(&mut self, object: &impl WriteTo) -> Result<ObjectId> {
        let mut bytes = Vec::new();
        object.write_to(&mut bytes)?;
        self.add(object.kind(), bytes)
    }

    fn add(&mut self, kind: Kind, bytes: Vec<u8>) -> Result<ObjectId> {
        let id = objs::compute_hash(gix::hash::Kind::Sha1, kind, &bytes)?;
        self.objects.push((id, kind, bytes));
        Ok(id)
    }

    /// The bytes of an object of this batch.
    pub(super) fn get(&self, id: ObjectId) -> Option<&[u8]> {
        self.objects.iter().find(|(own, ..)| *own == id).map(|(_, _, bytes)| bytes.as_slice())
    }

    /// Writes the files, then their folders, then the folder of those, all flushed. What a pack or a file holds
    /// already is written once more: a file nobody uses could be cut short, or be collected at any moment.
    /// `other` is a file that is flushed with them.
    pub(super) fn write(self, disk: &Disk, repository: &gix::Repository, other: &Unnamed<'_>) -> Result<()> {
        let root = repository.objects.store_ref().path().to_owned();
        let mut folders = BTreeSet::from([root.clone()]);
        let mut files = Vec::with_capacity(self.objects.len());
        for (id, kind, bytes) in &self.objects {
            let place = loose_path(&root, id);
            let folder = place.parent().ok_or(HistoryError::damaged("an object has no folder"))?;
            if !folder.is_dir() {
                disk.faults.step()?;
                fs::create_dir_all(folder)?;
            }
            let temporary = folder.join(format!("tmp_obj_{}", uuid::Uuid::new_v4().simple()));
            let mut file = disk.create(temporary, true)?;
            file.write(&deflated(*kind, bytes)?)?;
            folders.insert(folder.to_owned());
            files.push((file, place));
        }
        // Flushed together: the disk is then waited for once, not for one after another.
        let all: Vec<&Unnamed<'_>> = files.iter().map(|(file, _)| file).chain([other]).collect();
        at_once(disk, &all, |file| file.flush())?;
        for (file, place) in files {
            file.name(&place)?;
        }
        let folders: Vec<PathBuf> = folders.into_iter().collect();
        Ok(at_once(disk, &folders, |folder| disk.flush_folder(folder))?)
    }
}

/// Runs `run` for every item, each on a thread of its own.
fn at_once<T: Sync>(disk: &Disk, items: &[T], run: impl Fn(&T) -> io::Result<()> + Sync) -> io::Result<()> {
    if !disk.faults.flushes() {
        return items.iter().try_for_each(run);
    }
    let Some((first, others)) = items.split_first() else { return Ok(()) };
    std::thread::scope(|scope| {
        let run = &run;
        let others: Vec<_> = others.iter().map(|item| scope.spawn(move || run(item))).collect();
        let first = run(first);
        let others = others.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the version history ended")))
        });
        others.fold(first, io::Result::and)
    })
}

fn deflated(kind: Kind, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = gix::zlib::stream::deflate::Write::new(Vec::new(), gix::zlib::Compression::BEST_SPEED);
    out.write_all(&objs::encode::loose_header(kind, bytes.len() as u64))?;
    out.write_all(bytes)?;
    out.flush()?;
    Ok(out.into_inner())
}

/// Where an object lies when it is in no pack.
pub(super) fn loose_path(objects: &Path, id: &gix::oid) -> PathBuf {
    let hex = id.to_hex().to_string();
    objects.join(&hex[..2]).join(&hex[2..])
}
