//! A database that is looked at and left as it is: what opening it would write, to recover after a kill or to read an
//! older format, stays in memory.

use super::recovery::{LogPaths, OpenError};
use crate::store::wal::log::WriteAheadLog;
use redb::backends::FileBackend;
use redb::{BackendError, Database, DatabaseError, StorageBackend, StorageError};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

const PAGE_BYTES: usize = 4096;

/// A file of which only the memory of this process changes.
#[derive(Debug)]
struct Overlay {
    file: FileBackend,
    state: Mutex<OverlayState>,
}

#[derive(Debug)]
struct OverlayState {
    len: u64,
    /// What of the file counts: a file that became shorter and longer again is zeros behind this.
    file_len: u64,
    /// Pages that were written, by number.
    pages: HashMap<u64, Box<[u8; PAGE_BYTES]>>,
}

/// Opens the database at `path`, which must be there. A service that uses it keeps this out, and this keeps one out.
pub(in crate::store) fn open(path: &Path, cache_bytes: usize) -> Result<Database, DatabaseError> {
    let file = File::open(path).map_err(StorageError::Io)?;
    let len = file.metadata().map_err(StorageError::Io)?.len();
    if len == 0 {
        return Err(StorageError::Io(io::ErrorKind::UnexpectedEof.into()).into());
    }
    let state = Mutex::new(OverlayState { len, file_len: len, pages: HashMap::new() });
    let overlay = Overlay { file: FileBackend::new(file)?, state };
    Database::builder().set_cache_size(cache_bytes).create_with_backend(overlay)
}

/// Copies the log of the database at `path` into `scratch`, with the file by which somebody gave it up: reading a log brings
/// it in order, which is writing.
pub(in crate::store) fn copy_log(path: &Path, scratch: &Path) -> Result<LogPaths, OpenError> {
    let files = |path: &Path| {
        let [first, second] = WriteAheadLog::paths(path);
        [first, second, WriteAheadLog::loss_marker(path)]
    };
    let copy_path = scratch.join("copy");
    for (journal, copy) in files(path).iter().zip(files(&copy_path)) {
        let mut source = match File::open(journal) {
            Ok(source) => source,
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => continue,
            Err(fault) => return Err(fault.into()),
        };
        let mut target = tempfile::NamedTempFile::new_in(scratch)?;
        io::copy(&mut source, &mut target)?;
        target.persist(copy).map_err(|fault| OpenError::from(fault.error))?;
    }
    Ok(LogPaths::new(&copy_path))
}

impl Overlay {
    fn state(&self) -> MutexGuard<'_, OverlayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file holds at `offset`, and zeros behind its end.
    fn read_file(&self, state: &OverlayState, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = usize::try_from(state.file_len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let (held, rest) = out.split_at_mut(there.min(out.len()));
        rest.fill(0);
        if held.is_empty() { Ok(()) } else { self.file.read(offset, held) }
    }
}

/// The pages that a range touches: number, where the range begins in it, and how long it is there.
fn pages(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let (mut at, end) = (offset, offset + len as u64);
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let (number, begin) = (at / PAGE_BYTES as u64, at % PAGE_BYTES as u64);
        let length = (PAGE_BYTES as u64 - begin).min(end - at);
        at += length;
        Some((number, usize::try_from(begin).ok()?, usize::try_from(length).ok()?))
    })
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > state.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(&state, offset, out)?;
        let mut rest = out;
        for (number, begin, length) in pages(offset, rest.len()) {
            let (part, behind) = rest.split_at_mut(length);
            if let Some(page) = state.pages.get(&number) {
                part.copy_from_slice(&page[begin..begin + length]);
            }
            rest = behind;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state();
        if len < state.len {
            let whole = len / PAGE_BYTES as u64;
            let kept = usize::try_from(len % PAGE_BYTES as u64).map_err(io::Error::other)?;
            state.pages.retain(|number, _| *number < whole || (*number == whole && kept > 0));
            if let Some(page) = state.pages.get_mut(&whole) {
                page[kept..].fill(0);
            }
        }
        state.file_len = state.file_len.min(len);
        state.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let mut rest = data;
        for (number, begin, length) in pages(offset, data.len()) {
            let (part, behind) = rest.split_at(length);
            if !state.pages.contains_key(&number) {
                let mut page = Box::new([0; PAGE_BYTES]);
                self.read_file(&state, number * PAGE_BYTES as u64, page.as_mut_slice())?;
                state.pages.insert(number, page);
            }
            if let Some(page) = state.pages.get_mut(&number) {
                page[begin..begin + length].copy_from_slice(part);
            }
            rest = behind;
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    // Shared where the database asks for its own: who only looks stands beside others who look, and keeps writers out.
    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use crate::store::queries::version_index;
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn what_is_written_is_read_and_the_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let before: Vec<u8> = (0..10_000).map(|at| u8::try_from(at % 251).unwrap()).collect();
        fs::write(&path, &before).unwrap();
        let file = FileBackend::new(File::open(&path).unwrap()).unwrap();
        let state = OverlayState { len: 10_000, file_len: 10_000, pages: HashMap::new() };
        let overlay = Overlay { file, state: Mutex::new(state) };
        let mut expected = before.clone();
        let check = |expected: &[u8]| {
            let mut all = vec![7; expected.len()];
            overlay.read(0, &mut all).unwrap();
            assert!(all == expected);
            assert_eq!(overlay.len().unwrap(), expected.len() as u64);
        };
        check(&expected);
        overlay.write(4_000, &[1; 5_000]).unwrap();
        expected[4_000..9_000].fill(1);
        check(&expected);
        overlay.set_len(4_100).unwrap();
        overlay.set_len(20_000).unwrap();
        expected.truncate(4_100);
        expected.resize(20_000, 0);
        check(&expected);
        overlay.write(19_990, &[9; 10]).unwrap();
        expected[19_990..].fill(9);
        check(&expected);
        assert!(overlay.read(19_995, &mut [0; 6]).is_err());
        assert!(fs::read(&path).unwrap() == before);
    }

    #[test]
    fn a_database_of_a_killed_service_is_read_and_not_a_byte_of_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flowkeep.redb");
        let store = Store::open(&path).unwrap();
        let row = |number: u8| (vec![number], vec![number; 10]);
        for number in 0..20 {
            store.write(|tx| version_index::put(tx, &[row(number)])).unwrap();
        }
        // As a kill leaves it: rows in the log that the database does not have.
        let away = tempfile::tempdir().unwrap();
        let copied = away.path().join("flowkeep.redb");
        for (from, to) in Store::files(&path).iter().zip(Store::files(&copied)) {
            if from.exists() {
                fs::copy(from, to).unwrap();
            }
        }
        let bytes = || {
            let read = |file: PathBuf| fs::read(file).unwrap_or_default();
            Store::files(&copied).map(read)
        };
        let before = bytes();
        let seen = Store::open_read_only(&copied).unwrap();
        assert_eq!(seen.read(|tx| version_index::get(tx, &[19])).unwrap(), Some(vec![19; 10]));
        seen.write(|tx| version_index::put(tx, &[row(99)])).unwrap();
        assert!(matches!(Store::open(&copied), Err(OpenError::InUse)), "nobody writes meanwhile");
        drop(seen);
        assert!(bytes() == before);
        assert_eq!(fs::read_dir(away.path()).unwrap().count(), 2);
        assert!(matches!(Store::open_read_only(&path), Err(OpenError::InUse)), "the service has it");
        assert!(Store::open_read_only(&away.path().join("none.redb")).is_err());
    }
}
