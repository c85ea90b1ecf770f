//! New objects: built in memory, then written as loose files, each flushed before it gets its name.

use crate::durable::{DurableFolder, FlushedFile, TempFile, Tree};
use crate::history::error::Result;
use gix::objs::{Kind, WriteTo};
use gix::{ObjectId, objs};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The objects of one version on their way to disk.
#[derive(Default)]
pub(in crate::history) struct ObjectBatch {
    objects: Vec<(ObjectId, Kind, Vec<u8>)>,
}

impl ObjectBatch {
    /// Adds a file's content, unless `old` is its id already: then the commit before has it.
    pub(in crate::history) fn add_blob(
        &mut self,
        content: Vec<u8>,
        old: Option<ObjectId>,
    ) -> Result<ObjectId> {
        match old {
            Some(old) if objs::compute_hash(gix::hash::Kind::Sha1, Kind::Blob, &content)? == old => Ok(old),
            _ => self.add(Kind::Blob, content),
        }
    }

    /// Adds a folder or a commit.
    pub(in crate::history) fn add_object(&mut self, object: &impl WriteTo) -> Result<ObjectId> {
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
    pub(in crate::history) fn get(&self, id: ObjectId) -> Option<&[u8]> {
        self.objects.iter().find(|(own, ..)| *own == id).map(|(_, _, bytes)| bytes.as_slice())
    }

    /// Writes the files, then flushes their folders. What a pack or a file holds already is written once more: a file nobody
    /// uses could be cut short, be collected at any moment, or be one that the disk did not take before. `other` is a file
    /// that is flushed with them.
    pub(in crate::history) fn write(self, tree: &Tree, other: TempFile) -> Result<FlushedFile> {
        // The folder of all is flushed at the end too: other programs make folders in it.
        let mut folders = BTreeMap::from([(String::new(), tree.make(&[OBJECTS])?)]);
        let (mut files, mut names) = (Vec::with_capacity(self.objects.len() + 1), Vec::new());
        for (id, kind, bytes) in &self.objects {
            let hex = id.to_hex().to_string();
            let (shard, name) = hex.split_at(2);
            let folder = match folders.get(shard) {
                Some(folder) => folder,
                None => folders.entry(shard.to_owned()).or_insert(tree.make(&[OBJECTS, shard])?),
            };
            let mut file =
                folder.create_temp_as(&format!("tmp_obj_{}", uuid::Uuid::new_v4().simple()), true)?;
            file.write_all(&deflate(*kind, bytes)?)?;
            files.push(file);
            names.push(name.to_owned());
        }
        files.push(other);
        // Flushed together: the disk is then waited for once, not for one after another.
        let mut whole = run_parallel(tree, files, TempFile::flush)?;
        let other = whole.pop().ok_or_else(|| io::Error::other("a file was lost on its way"))?;
        for (file, name) in whole.into_iter().zip(names) {
            file.rename_to(&name)?;
        }
        let folders: Vec<DurableFolder> = folders.into_values().collect();
        run_parallel(tree, folders, |folder| folder.flush())?;
        Ok(other)
    }
}

/// The folder of all objects.
pub(in crate::history) const OBJECTS: &str = "objects";

/// Runs `run` for every item, each on a thread of its own.
fn run_parallel<T: Send, U: Send>(
    tree: &Tree,
    items: Vec<T>,
    run: impl Fn(T) -> io::Result<U> + Sync,
) -> io::Result<Vec<U>> {
    let mut items = items.into_iter();
    if !tree.faults().is_flushing() {
        return items.map(run).collect();
    }
    let Some(first) = items.next() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let run = &run;
        let others: Vec<_> = items.map(|item| scope.spawn(move || run(item))).collect();
        let first = run(first);
        let others = others.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the version history ended")))
        });
        // All are waited for, whatever became of the first.
        let all: Vec<io::Result<U>> = std::iter::once(first).chain(others).collect();
        all.into_iter().collect()
    })
}

fn deflate(kind: Kind, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = gix::zlib::stream::deflate::Write::new(Vec::new(), gix::zlib::Compression::BEST_SPEED);
    out.write_all(&objs::encode::loose_header(kind, bytes.len() as u64))?;
    out.write_all(bytes)?;
    out.flush()?;
    Ok(out.into_inner())
}

/// Where an object lies when it is in no pack.
pub(in crate::history) fn loose_path(objects: &Path, id: &gix::oid) -> PathBuf {
    let hex = id.to_hex().to_string();
    objects.join(&hex[..2]).join(&hex[2..])
}
