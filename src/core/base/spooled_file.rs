//! What is in a file on its way through the service: bytes at hand while they are few, a file without a name otherwise, so
//! that large files take no memory while they arrive, wait and are stored.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that can be read from their start, as often as wanted.
pub trait ByteSource {
    fn length(&self) -> u64;

    /// A reader at the first of them. Only one is open at a time; another waits for it.
    ///
    /// # Errors
    /// When they cannot be read any more.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;

    /// Writes all of them.
    ///
    /// # Errors
    /// When they cannot be read to their end, or not be written.
    fn copy_to(&self, to: &mut dyn Write) -> io::Result<()> {
        let copied = io::copy(&mut self.open()?.take(self.length()), to)?;
        if copied < self.length() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// The first `most` of them, or all there are.
    ///
    /// # Errors
    /// As [`Self::open`].
    fn read_head(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.open()?.take(most).read_to_end(&mut head)?;
        Ok(head)
    }
}

impl<T: AsRef<[u8]>> ByteSource for T {
    fn length(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.as_ref()))
    }
}

/// The content of a file. A clone is the same content.
#[derive(Clone)]
pub struct SpooledFile(Arc<Storage>);

enum Storage {
    Memory(Vec<u8>),
    Disk { file: Mutex<File>, length: u64 },
}

impl From<Vec<u8>> for SpooledFile {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Storage::Memory(bytes)))
    }
}

impl fmt::Debug for SpooledFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Content({} bytes)", self.length())
    }
}

impl SpooledFile {
    /// True when there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length() == 0
    }

    /// All of it, in memory: for what is known to be small, and for those who can do with nothing else.
    ///
    /// # Errors
    /// When it cannot be read any more.
    pub fn read_all(&self) -> io::Result<Vec<u8>> {
        self.read_head(u64::MAX)
    }
}

impl ByteSource for SpooledFile {
    fn length(&self) -> u64 {
        match &*self.0 {
            Storage::Memory(bytes) => bytes.len() as u64,
            Storage::Disk { length, .. } => *length,
        }
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match &*self.0 {
            Storage::Memory(bytes) => Ok(Box::new(bytes.as_slice())),
            Storage::Disk { file, .. } => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(0))?;
                Ok(Box::new(OpenFile(file)))
            }
        }
    }
}

struct OpenFile<'a>(MutexGuard<'a, File>);

impl Read for OpenFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

/// Content that is still arriving: what comes is gathered, and moved into a file when there is much of it.
#[derive(Default)]
pub struct SpoolWriter {
    buffer: Vec<u8>,
    file: Option<File>,
    written: u64,
}

/// How much is gathered before it moves into the file.
pub(crate) const BUFFER_BYTES_MAX: usize = 256 * 1024;

impl SpoolWriter {
    #[must_use]
    pub fn length(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Takes the next piece; true when so much is gathered that [`Self::spill`] is due.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        self.buffer.extend_from_slice(piece);
        self.buffer.len() >= BUFFER_BYTES_MAX
    }

    /// Moves what is gathered into the file, which `make` gives when there is none yet. Blocking.
    ///
    /// # Errors
    /// When there is no file or the disk does not take it.
    pub fn spill<E: From<io::Error>>(&mut self, make: impl FnOnce() -> Result<File, E>) -> Result<(), E> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(make()?),
        };
        file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// All of it came. What went into a file must have been settled.
    #[must_use]
    pub fn finish(self) -> SpooledFile {
        match self.file {
            Some(file) => {
                SpooledFile(Arc::new(Storage::Disk { file: Mutex::new(file), length: self.written }))
            }
            None => self.buffer.into(),
        }
    }

    /// True when part of it is in a file.
    #[must_use]
    pub const fn is_in_file(&self) -> bool {
        self.file.is_some()
    }

    /// True when part of it is in a file, and some is not yet.
    #[must_use]
    pub fn is_split(&self) -> bool {
        self.file.is_some() && !self.buffer.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(pieces: &[&[u8]], settle_after: &[usize]) -> SpooledFile {
        let mut arriving = SpoolWriter::default();
        for (at, piece) in pieces.iter().enumerate() {
            arriving.push(piece);
            if settle_after.contains(&at) {
                arriving.spill(tempfile::tempfile).unwrap();
            }
        }
        if arriving.is_split() {
            arriving.spill(tempfile::tempfile).unwrap();
        }
        arriving.finish()
    }

    #[test]
    fn content_is_the_same_wherever_it_lies() {
        let pieces: &[&[u8]] = &[b"one ", b"", b"two ", b"three"];
        for settle_after in [&[][..], &[0], &[1, 2], &[3]] {
            let content = arrived(pieces, settle_after);
            assert_eq!(content.length(), 13);
            for _ in 0..2 {
                assert_eq!(content.read_all().unwrap(), b"one two three");
                assert_eq!(content.read_head(4).unwrap(), b"one ");
            }
        }
        assert!(arrived(&[], &[]).is_empty());
    }

    #[test]
    fn much_is_due_to_be_settled() {
        let mut arriving = SpoolWriter::default();
        assert!(!arriving.push(&vec![1; BUFFER_BYTES_MAX - 1]));
        assert!(arriving.push(&[2]));
        assert_eq!(arriving.length(), BUFFER_BYTES_MAX as u64);
    }
}
