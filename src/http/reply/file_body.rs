//! A file as a body. Each piece is read when the connection wants it, on a blocking thread that is then free again: a
//! slow reader holds a connection and no thread.

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use std::fs::File;
use std::io::{self, Read as _, Take};
use std::sync::Arc;

/// Bytes of a file that are read at once while it is sent (manual 14.9).
const FILE_PIECE_BYTES: usize = 64 * 1024;

/// The first `length` bytes of a file. `guard` lives until the body is gone, so that a stopping service waits for it.
pub(in crate::http) fn stream_file(
    file: File,
    length: u64,
    guard: Arc<dyn Send + Sync>,
) -> impl Stream<Item = io::Result<Bytes>> + Send + Sync {
    try_unfold((file.take(length), guard), |(file, kept)| async move {
        let read = tokio::task::spawn_blocking(move || read_piece(file)).await.map_err(io::Error::other)?;
        let (read_piece, file) = read?;
        Ok((!read_piece.is_empty()).then_some((read_piece, (file, kept))))
    })
}

fn read_piece(mut file: Take<File>) -> io::Result<(Bytes, Take<File>)> {
    let mut bytes = Vec::with_capacity(FILE_PIECE_BYTES);
    (&mut file).take(FILE_PIECE_BYTES as u64).read_to_end(&mut bytes)?;
    Ok((bytes.into(), file))
}
