//! Documents to text in workers of the built program: honest files of every kind, and files that were made to do harm.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

mod hostile;
mod kinds;
#[path = "../support/samples.rs"]
mod samples;

use flowkeep::documents::{DocumentError, Documents, Kind, Limit, Limits, Part};
use flowkeep::domain::cancel::Cancel;
use std::sync::LazyLock;
use std::time::Duration;

fn documents(change: impl FnOnce(&mut Limits)) -> Documents {
    let mut limits = Limits { time: Duration::from_secs(10), memory_bytes: 256 << 20, ..Limits::default() };
    change(&mut limits);
    Documents::new(env!("CARGO_BIN_EXE_flowkeep").into(), limits).unwrap()
}

static DOCUMENTS: LazyLock<Documents> = LazyLock::new(|| documents(|_| ()));

/// What becomes of a file of this name.
fn read(name: &str, bytes: &[u8]) -> Result<Vec<Part>, DocumentError> {
    let kind = Kind::of(name, &bytes)?;
    DOCUMENTS.text_of(kind, &bytes, &Cancel::new(None))
}

/// The texts of its parts.
#[track_caller]
fn texts(name: &str, bytes: &[u8]) -> Vec<String> {
    let parts = read(name, bytes).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    parts.into_iter().map(|part| part.text).collect()
}
