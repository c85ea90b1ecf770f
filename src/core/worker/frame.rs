//! One message on a pipe: its length as four bytes, the lowest first, then its bytes.

use crate::base::spooled_file::ByteSource;
use std::io::{self, ErrorKind, Read, Write};

/// Writes one message and sends it off.
///
/// # Errors
/// When the other side is gone, or the message is longer than a length can say (4 GiB).
pub fn write(to: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(message)?;
    to.flush()
}

/// Writes what a file holds as one message, a piece at a time.
///
/// # Errors
/// As [`write()`], and when the file cannot be read to its end.
pub(crate) fn copy(to: &mut impl Write, content: &dyn ByteSource) -> io::Result<()> {
    let length = u32::try_from(content.length()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    to.write_all(&length.to_le_bytes())?;
    content.copy_to(to)?;
    to.flush()
}

/// Reads one message of at most `bytes_max` bytes; `None` when the other side closed the pipe between two messages.
///
/// # Errors
/// When the pipe breaks within a message, or the message says that it is longer than it may be.
pub fn read(from: &mut impl Read, bytes_max: usize) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    // One byte first: a pipe that ends here has ended well.
    loop {
        match from.read(&mut length[..1]) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    from.read_exact(&mut length[1..])?;
    let length = u32::from_le_bytes(length) as usize;
    if length > bytes_max {
        return Err(io::Error::from(ErrorKind::InvalidData));
    }
    let mut message = Vec::new();
    // Grows with what arrives: a length that only claims to be long costs nothing.
    if from.take(length as u64).read_to_end(&mut message)? < length {
        return Err(io::Error::from(ErrorKind::UnexpectedEof));
    }
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut pipe = Vec::new();
        write(&mut pipe, b"one").unwrap();
        write(&mut pipe, b"").unwrap();
        let mut pipe = pipe.as_slice();
        assert_eq!(read(&mut pipe, 3).unwrap().unwrap(), b"one");
        assert_eq!(read(&mut pipe, 3).unwrap().unwrap(), b"");
        assert!(read(&mut pipe, 3).unwrap().is_none());
    }

    #[test]
    fn a_message_that_is_too_long_or_cut_short_is_refused() {
        let kind = |bytes: &[u8]| read(&mut &*bytes, 8).unwrap_err().kind();
        assert_eq!(kind(&[9, 0, 0, 0]), ErrorKind::InvalidData);
        assert_eq!(kind(&[255, 255, 255, 255, 1]), ErrorKind::InvalidData);
        assert_eq!(kind(&[2, 0, 0, 0, 1]), ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[2, 0]), ErrorKind::UnexpectedEof);
    }
}
