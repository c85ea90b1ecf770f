//! Where a pack is made: a folder among the objects that git and every start take for a leftover, until what was made in it
//! is taken out.

use crate::durable::{TempFile, Tree};
use crate::history::error::{HistoryError, Result};
use crate::history::repository::objects::OBJECTS;
use gix::hash;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const STREAM: &str = "stream";
const PACK: &str = "pack";

/// The folder. It is removed with what is left in it.
pub(in crate::history) struct Workshop<'a> {
    tree: &'a Tree,
    name: String,
    path: PathBuf,
}

/// A pack and its index, in the workshop.
pub(in crate::history) struct IndexedPack {
    pub(in crate::history) pack: PathBuf,
    pub(in crate::history) index: PathBuf,
}

impl IndexedPack {
    /// Which objects are in it.
    pub(in crate::history) fn ids(&self) -> Result<gix_pack::index::File> {
        Ok(gix_pack::index::File::at(&self.index, hash::Kind::Sha1)?)
    }
}

impl<'a> Workshop<'a> {
    /// Makes one; `purpose` tells people who look what it was for.
    pub(in crate::history) fn new(tree: &'a Tree, purpose: &str) -> Result<Self> {
        let name = format!("tmp_{purpose}_{}", uuid::Uuid::new_v4().simple());
        let path = tree.root().join(OBJECTS).join(&name);
        let workshop = Self { tree, name, path };
        tree.make(&[OBJECTS, &workshop.name, PACK])?;
        Ok(workshop)
    }

    /// The file that the pack is written to as it comes.
    pub(in crate::history) fn create_stream(&self) -> Result<TempFile> {
        Ok(self.tree.make(&[OBJECTS, &self.name])?.create_temp_as(STREAM, false)?)
    }

    /// Reads what was written.
    pub(in crate::history) fn read_stream(&self) -> Result<File> {
        Ok(File::open(self.path.join(STREAM))?)
    }

    /// The folder of objects that is made here, for who looks at them before they are taken out.
    pub(in crate::history) fn path(&self) -> &Path {
        &self.path
    }

    /// Computes the id of every object of the stream, and writes pack and index; `None` when there is no object.
    pub(in crate::history) fn index(
        &self,
        stop: &AtomicBool,
        object_bytes_max: Option<usize>,
    ) -> Result<Option<IndexedPack>> {
        self.tree.faults().step()?;
        let made = gix_pack::Bundle::write_to_directory(
            &mut BufReader::new(self.read_stream()?),
            Some(&self.path.join(PACK)),
            &mut gix::progress::Discard,
            stop,
            None::<gix::odb::Handle>,
            hash::Kind::Sha1,
            gix_pack::bundle::write::Options {
                thread_limit: Some(1),
                alloc_limit_bytes: object_bytes_max,
                ..Default::default()
            },
        )?;
        Ok(made.data_path.zip(made.index_path).map(|(pack, index)| IndexedPack { pack, index }))
    }

    /// Takes pack and index out, to where they count; both are on disk then. The new path of the index.
    pub(in crate::history) fn take_out(self, made: &IndexedPack) -> Result<PathBuf> {
        let folder = self.tree.make(&[OBJECTS, PACK])?;
        let name = |file: &Path| file.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let no_name = || HistoryError::corrupt("a new pack has no name");
        // The index last: a pack without one is not looked at.
        for file in [&made.pack, &made.index] {
            folder.adopt(file, &name(file).ok_or_else(no_name)?)?;
        }
        folder.flush()?;
        Ok(self.tree.root().join(OBJECTS).join(PACK).join(name(&made.index).ok_or_else(no_name)?))
    }
}

impl Drop for Workshop<'_> {
    fn drop(&mut self) {
        if !self.tree.faults().has_crashed() {
            let _left_over = fs::remove_dir_all(&self.path);
        }
    }
}
