//! Documents to text: what a caller uploaded becomes [`DocumentPart`]s a model can read (manual 4.6).
//!
//! The service only judges by name and first bytes what a file is ([`DocumentKind`]). Everything else happens in a worker
//! process that reads this one file and ends: a hostile file can use up its own time and memory and nothing more.
//!
//! One file per format: `office` (docx, pptx), `sheets`, `pdf`, `epub`; `text` for what is text already, `web_page` and
//! `selector` for pages.

mod archive;
mod client;
mod encoding;
mod epub;
mod error;
mod kind;
mod office;
mod pdf;
mod selector;
mod sheets;
mod text;
mod web_page;
#[cfg(unix)]
mod worker;
mod xml;

pub use crate::documents::client::DocumentReader;
pub use crate::documents::web_page::WebPage;
use crate::limits;
pub use error::{DocumentError, LimitKind};
pub use kind::DocumentKind;
use serde::{Deserialize, Serialize};
use std::time::Duration;
#[cfg(unix)]
pub use worker::work;

/// Time of one document, on the clock and of the processor (manual 14.13).
const DOCUMENT_SECONDS: u64 = 20;
/// Memory of the worker that reads a document (manual 14.13).
const DOCUMENT_MEMORY_BYTES: u64 = 768 * 1024 * 1024;
/// How long a document waits for its turn (manual 14.13).
const DOCUMENT_QUEUE_SECONDS: u64 = 60;
/// Most that an archive unpacks to (manual 14.13).
const DOCUMENT_UNPACKED_BYTES_MAX: u64 = 200 * 1024 * 1024;
/// How many times its size an archive may unpack to (manual 14.13).
const DOCUMENT_EXPANSION_MAX: u64 = 10;
/// What every archive may unpack to, since honest text shrinks further than that (manual 14.13).
const DOCUMENT_UNPACKED_BYTES_FREE: u64 = 32 * 1024 * 1024;
/// Files in an archive (manual 14.13).
const DOCUMENT_ENTRIES_MAX: usize = 2_000;
/// Pages, sheets, slides or chapters (manual 14.13).
const DOCUMENT_PARTS_MAX: usize = 5_000;

/// The argument that makes this program a worker for documents.
pub const ROLE: &str = "worker-document";

/// Windows has no walls for a worker, so there is none.
#[cfg(not(unix))]
#[must_use]
pub fn work() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}

/// A piece of a document that stands for itself: a page, a sheet, a slide, a chapter, or all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPart {
    /// What the document calls it: the name of a sheet. Pages, slides and chapters go by their place in the list.
    pub title: Option<String>,
    /// Its text. Lines end with `\n`, cells of a row are divided by tabs.
    pub text: String,
}

impl DocumentPart {
    fn from_text(text: String) -> Self {
        Self { title: None, text }
    }
}

/// What reading one document may use, and how many are read at the same time.
#[derive(Debug, Clone)]
pub struct DocumentLimits {
    /// Time on the clock, and of the processor.
    pub time: Duration,
    /// Memory of the worker, in bytes.
    pub memory_bytes: u64,
    pub workers_max: usize,
    /// How long a document waits for its turn.
    pub queue: Duration,
    pub sizes: SizeLimits,
}

/// Sizes of a document, by what is counted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct SizeLimits {
    pub file_bytes_max: usize,
    /// All that an archive unpacks to.
    pub unpacked_bytes_max: u64,
    /// How many times its own size an archive may unpack to, once that is more than [`SizeLimits::unpacked_bytes_free`].
    pub expansion_max: u64,
    /// What any archive may unpack to, however small it is: plain text in it shrinks to a hundredth.
    pub unpacked_bytes_free: u64,
    /// Files in an archive.
    pub entries_max: usize,
    /// Pages, sheets, slides or chapters.
    pub parts_max: usize,
    /// The text of all parts together.
    pub text_bytes_max: usize,
}

impl Default for DocumentLimits {
    /// The usual ones (manual 4.6 r2).
    fn default() -> Self {
        Self {
            time: Duration::from_secs(DOCUMENT_SECONDS),
            memory_bytes: DOCUMENT_MEMORY_BYTES,
            workers_max: std::thread::available_parallelism().map_or(1, usize::from),
            queue: Duration::from_secs(DOCUMENT_QUEUE_SECONDS),
            sizes: SizeLimits {
                file_bytes_max: limits::DOCUMENT_BYTES_MAX,
                unpacked_bytes_max: DOCUMENT_UNPACKED_BYTES_MAX,
                expansion_max: DOCUMENT_EXPANSION_MAX,
                unpacked_bytes_free: DOCUMENT_UNPACKED_BYTES_FREE,
                entries_max: DOCUMENT_ENTRIES_MAX,
                parts_max: DOCUMENT_PARTS_MAX,
                text_bytes_max: limits::DOCUMENT_TEXT_BYTES_MAX,
            },
        }
    }
}

/// The parts as they are read, counted.
struct TextCollector {
    sizes: SizeLimits,
    parts: Vec<DocumentPart>,
    bytes: usize,
}

impl TextCollector {
    const fn new(sizes: SizeLimits) -> Self {
        Self { sizes, parts: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, mut part: DocumentPart) -> Result<(), DocumentError> {
        // Marks no reader sees, which a model need not see either.
        if part.text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
            part.text = part.text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), " ");
        }
        self.bytes += part.text.len();
        if self.bytes > self.sizes.text_bytes_max {
            return Err(DocumentError::TooLarge(LimitKind::Text));
        }
        if self.parts.len() >= self.sizes.parts_max {
            return Err(DocumentError::TooLarge(LimitKind::Parts));
        }
        self.parts.push(part);
        Ok(())
    }

    /// Bytes of text that still fit.
    const fn bytes_left(&self) -> usize {
        self.sizes.text_bytes_max.saturating_sub(self.bytes)
    }
}
