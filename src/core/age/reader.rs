//! Reading an encrypted file.

use super::AgeError;
use super::header::read_header;
use super::keys::FileKey;
use super::pieces::{NONCE_BYTES, PIECE_BYTES, PieceCipher, SEALED_PIECE_BYTES};
use crate::domain::service::passphrase::Passphrase;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read};

/// Gives the content of an encrypted file. Each byte of it was signed, and the end comes after the last piece alone; but whoever needs
/// the whole has to read to the end before anything of it counts.
pub struct AgeReader<R> {
    input: BufReader<R>,
    cipher: PieceCipher,
    piece: Vec<u8>,
    /// How much of the piece was given.
    given: usize,
    state: ReaderState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    Going,
    /// The last piece is there.
    Ending,
    /// Nothing that follows can be trusted.
    Failing,
}

impl<R: Read> AgeReader<R> {
    /// Opens a file with its passphrase, which takes about a second and 256 MiB, and four times that where its header asks for it.
    ///
    /// # Errors
    /// When it is damaged, of another format or for another kind of key, asks for too much work, or is not opened by this passphrase.
    pub fn open(input: R, passphrase: &Passphrase) -> Result<Self, AgeError> {
        let mut input = BufReader::new(input);
        let key = read_header(&mut input, passphrase)?;
        Self::begin(input, &key)
    }

    /// Goes on behind the header.
    pub(super) fn begin(mut input: BufReader<R>, key: &FileKey) -> Result<Self, AgeError> {
        let mut nonce = [0; NONCE_BYTES];
        input.read_exact(&mut nonce).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => AgeError::Damaged("it ends behind its header"),
            _ => AgeError::Read(error),
        })?;
        let cipher = PieceCipher::new(key, &nonce);
        let piece = Vec::with_capacity(SEALED_PIECE_BYTES);
        Ok(Self { input, cipher, piece, given: 0, state: ReaderState::Going })
    }

    fn read_piece(&mut self) -> Result<(), AgeError> {
        self.piece.clear();
        self.given = 0;
        let most = SEALED_PIECE_BYTES as u64;
        (&mut self.input).take(most).read_to_end(&mut self.piece).map_err(AgeError::Read)?;
        let is_last = self.piece.len() < SEALED_PIECE_BYTES || self.is_at_end().map_err(AgeError::Read)?;
        let is_first = self.cipher.count() == 0;
        let opened = self.cipher.open(&mut self.piece, is_last);
        opened
            .map_err(|_| AgeError::Damaged("a piece of it is not what was encrypted, or not the last one"))?;
        if is_last && self.piece.is_empty() && !is_first {
            return Err(AgeError::Damaged("its last piece is empty"));
        }
        debug_assert!(is_last || self.piece.len() == PIECE_BYTES);
        self.state = if is_last { ReaderState::Ending } else { ReaderState::Going };
        Ok(())
    }

    fn is_at_end(&mut self) -> io::Result<bool> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return Ok(bytes.is_empty()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<R: Read> Read for AgeReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.piece.len() {
            match self.state {
                ReaderState::Ending => return Ok(0),
                ReaderState::Failing => {
                    return Err(AgeError::Damaged("a piece before this one is not what was encrypted").into());
                }
                ReaderState::Going => {
                    if let Err(error) = self.read_piece() {
                        // What was read and not opened is given to nobody.
                        self.piece.clear();
                        self.state = ReaderState::Failing;
                        return Err(error.into());
                    }
                }
            }
        }
        let count = buffer.len().min(self.piece.len() - self.given);
        buffer[..count].copy_from_slice(&self.piece[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}
