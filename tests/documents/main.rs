//! Documents to text in workers of the built program: honest files of every kind, and files that were made to do harm.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

mod hostile;
mod kinds;
#[path = "../support/samples.rs"]
mod samples;

use flowkeep::base::cancel::CancelToken;
use flowkeep::documents::{
    DocumentError, DocumentKind, DocumentLimits, DocumentPart, DocumentReader, LimitKind,
};
use std::sync::LazyLock;
use std::time::Duration;

fn documents(change: impl FnOnce(&mut DocumentLimits)) -> DocumentReader {
    let mut limits = DocumentLimits {
        time: Duration::from_secs(10),
        memory_bytes: 256 << 20,
        ..DocumentLimits::default()
    };
    change(&mut limits);
    DocumentReader::new(env!("CARGO_BIN_EXE_flowkeep").into(), limits).unwrap()
}

static DOCUMENTS: LazyLock<DocumentReader> = LazyLock::new(|| documents(|_| ()));

/// What becomes of a file of this name.
fn read(name: &str, bytes: &[u8]) -> Result<Vec<DocumentPart>, DocumentError> {
    let kind = DocumentKind::detect(name, &bytes)?;
    DOCUMENTS.read_text(kind, &bytes, &CancelToken::new(None))
}

/// The texts of its parts.
#[track_caller]
fn texts(name: &str, bytes: &[u8]) -> Vec<String> {
    let parts = read(name, bytes).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    parts.into_iter().map(|part| part.text).collect()
}
