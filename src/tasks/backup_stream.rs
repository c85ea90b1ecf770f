//! A backup on its way over the control socket: the bytes in pieces, each behind its length, so that whoever gets it can tell its end
//! from a connection that broke; then what came of it.

use super::control::{ControlReply, write_line};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::ops::service::backup;
use crate::wire::service::backup::{BackupOptions, BackupSummaryView};
use crate::wire::service::operator::CommandReply;
use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Time that whoever gets a backup may take nothing of it (manual 14.2).
const BACKUP_STALL_SECONDS: u64 = 600;
/// Time until the first byte of a backup, and between two: a large database is copied before anything is sent (manual 14.2).
const BACKUP_SILENCE_SECONDS: u64 = 3_600;
/// Bytes of a backup that go over the socket in one piece.
const PIECE_BYTES: usize = 64 * 1024;
/// Longest line before and behind the bytes.
const LINE_MAX_BYTES: u64 = 64 * 1024;

/// Sends a backup to whoever asked for it.
///
/// # Errors
/// When they left, or took nothing for too long.
pub(super) fn send(
    app: &App,
    stream: &UnixStream,
    options: BackupOptions,
    cancel: &CancelToken,
) -> io::Result<()> {
    // Who takes nothing holds up no stop.
    let leaving = stream.try_clone()?;
    let _hook = cancel.on_cancel(move || drop(leaving.shutdown(Shutdown::Both)));
    write_line(stream, &ControlReply::Stream)?;
    stream.set_write_timeout(Some(Duration::from_secs(BACKUP_STALL_SECONDS)))?;
    let mut pieces = PieceWriter { stream, piece: Vec::with_capacity(PIECE_BYTES) };
    let made = backup::write(app, options.secrets, &mut pieces, cancel);
    pieces.end()?;
    let reply = match made.map(|summary| serde_json::to_value(BackupSummaryView::from(&summary))) {
        Ok(answer) => ControlReply::Done(CommandReply::Backup { answer: answer? }),
        Err(error) => {
            tracing::error!(%error, "a backup was not made");
            ControlReply::Failed(error.to_string())
        }
    };
    write_line(stream, &reply)
}

/// Takes a backup that was asked for, and writes it to `out`; then what came of it.
///
/// # Errors
/// When the connection ends too early, or `out` does not take it.
pub(super) fn receive(stream: &UnixStream, out: &mut dyn Write) -> io::Result<ControlReply> {
    stream.set_read_timeout(Some(Duration::from_secs(BACKUP_SILENCE_SECONDS)))?;
    let mut stream = BufReader::with_capacity(PIECE_BYTES, stream);
    match read_reply(&mut stream)? {
        ControlReply::Stream => {}
        other => return Ok(other),
    }
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let length = u64::from(u32::from_be_bytes(length));
        if length == 0 {
            break;
        }
        if io::copy(&mut stream.by_ref().take(length), out)? < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    read_reply(&mut stream)
}

fn read_reply(stream: &mut BufReader<&UnixStream>) -> io::Result<ControlReply> {
    let mut line = Vec::new();
    stream.take(LINE_MAX_BYTES).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}

struct PieceWriter<'a> {
    stream: &'a UnixStream,
    piece: Vec<u8>,
}

impl PieceWriter<'_> {
    fn send_piece(&mut self) -> io::Result<()> {
        if !self.piece.is_empty() {
            let length = u32::try_from(self.piece.len()).map_err(io::Error::other)?;
            self.stream.write_all(&length.to_be_bytes())?;
            self.stream.write_all(&self.piece)?;
            self.piece.clear();
        }
        Ok(())
    }

    /// Sends what is left, and that nothing follows.
    fn end(mut self) -> io::Result<()> {
        self.send_piece()?;
        self.stream.write_all(&[0; 4])
    }
}

impl Write for PieceWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() >= PIECE_BYTES {
            self.send_piece()?;
        }
        let count = bytes.len().min(PIECE_BYTES - self.piece.len());
        self.piece.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send_piece()
    }
}
