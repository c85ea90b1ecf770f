//! The service's side: hands a file to a worker and takes the text.

use super::{
    DocumentError, DocumentKind, DocumentLimits, DocumentPart, LimitKind, ROLE, SizeLimits, TextCollector,
    WebPage, text,
};
use crate::base::cancel::CancelToken;
use crate::base::spooled_file::ByteSource;
use crate::limits::DOCUMENT_TEXT_BYTES_MAX;
use crate::worker::{ExitReason, Lease, LeaseError, Pool, Tenant, WorkerSpec};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::time::Instant;

/// A worker's answer: all text, every byte of it escaped by one more (manual 14.13).
const DOCUMENT_ANSWER_BYTES_MAX: usize = 2 * DOCUMENT_TEXT_BYTES_MAX + 1024 * 1024;

/// A text of up to so many bytes is decoded without a worker (manual 14.13).
const IN_PLACE_BYTES_MAX: u64 = 1024 * 1024;

/// The first message to a worker, and the second, before the bytes of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DocumentWorkerSetup {
    pub memory_bytes: u64,
}

/// What to read, and how much of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReadJob {
    pub kind: DocumentKind,
    pub how: ReadMode,
    pub sizes: SizeLimits,
    pub seconds: u64,
}

/// What is wanted of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ReadMode {
    Text,
    Markdown,
    /// A page with its links, or the parts of it that a selector names.
    Page {
        selector: Option<String>,
    },
}

/// The worker's only answer.
pub(super) type ReadResult = Result<Vec<DocumentPart>, DocumentError>;

/// Reads documents. A clone reads them in the same workers.
#[derive(Clone)]
pub struct DocumentReader {
    pool: Pool,
    limits: DocumentLimits,
}

impl DocumentReader {
    /// `program` is this program. No worker starts yet.
    ///
    /// # Errors
    /// When the system has no threads left.
    pub fn new(program: PathBuf, limits: DocumentLimits) -> io::Result<Self> {
        let plan = WorkerSpec {
            program,
            role: ROLE,
            greeting: serde_json::to_vec(&DocumentWorkerSetup { memory_bytes: limits.memory_bytes })?,
            workers_max: limits.workers_max,
            // Whatever a file did to its worker ends with it.
            uses_max: 1,
            spare: false,
            queue: limits.queue,
        };
        Ok(Self { pool: Pool::new(plan)?, limits })
    }

    /// The text of a file, in the order of reading: a part for each page, sheet, slide or chapter, else one for all.
    /// Waits for its turn and for its end; `cancel`, and the time that is left in it, ends both.
    ///
    /// # Errors
    /// As [`DocumentError`].
    pub fn read_text(
        &self,
        kind: DocumentKind,
        content: &dyn ByteSource,
        cancel: &CancelToken,
    ) -> ReadResult {
        self.read(kind, ReadMode::Text, content, cancel)
    }

    /// A page as Markdown.
    ///
    /// # Errors
    /// As [`Self::read_text`].
    pub fn read_markdown(&self, page: &[u8], cancel: &CancelToken) -> Result<String, DocumentError> {
        let parts = self.read(DocumentKind::Html, ReadMode::Markdown, &page, cancel)?;
        Ok(parts.into_iter().map(|part| part.text).collect())
    }

    /// A page: its text, or that of the parts a selector names, and its links.
    ///
    /// # Errors
    /// As [`Self::read_text`], and when the selector cannot be read.
    pub fn read_page(
        &self,
        page: &[u8],
        selector: Option<&str>,
        cancel: &CancelToken,
    ) -> Result<WebPage, DocumentError> {
        let how = ReadMode::Page { selector: selector.map(str::to_owned) };
        self.read(DocumentKind::Html, how, &page, cancel).map(WebPage::from_parts)
    }

    fn read(
        &self,
        kind: DocumentKind,
        how: ReadMode,
        content: &dyn ByteSource,
        cancel: &CancelToken,
    ) -> ReadResult {
        if content.length() > self.limits.sizes.file_bytes_max as u64 {
            return Err(DocumentError::TooLarge(LimitKind::File));
        }
        if !kind.matches_content(content)? {
            return Err(DocumentError::NotThisKind(kind));
        }
        if kind == DocumentKind::Text && content.length() <= IN_PLACE_BYTES_MAX {
            return self.decode_in_place(content, cancel);
        }
        // Each file has a worker of its own, so whose it is does not matter.
        let mut lease =
            self.pool.lease(Tenant::default(), cancel).map_err(|unavailable| match unavailable {
                LeaseError::Busy => DocumentError::Busy,
                LeaseError::CannotStart => DocumentError::Unavailable,
                LeaseError::Cancelled(reason) => DocumentError::Cancelled(reason),
            })?;
        let time = cancel.time_left().map_or(self.limits.time, |left| left.min(self.limits.time));
        lease.limit(Instant::now() + time, cancel);
        let job = ReadJob { kind, how, sizes: self.limits.sizes, seconds: time.as_secs().max(1) };
        match exchange_with_worker(&mut lease, &job, content) {
            Ok(answer) => {
                lease.give_back();
                answer
            }
            Err(_) => Err(match (cancel.reason(), lease.wait()) {
                (Some(reason), _) => DocumentError::Cancelled(reason),
                (None, ExitReason::TimedOut) => DocumentError::Timeout,
                // Panics are caught inside; what is left is memory and stack.
                (None, ExitReason::Crashed) => DocumentError::Exhausted,
            }),
        }
    }

    /// A short text is only decoded, which no byte of it can make slow, large or fail: that takes no process, which would take a
    /// hundred times as long.
    fn decode_in_place(&self, content: &dyn ByteSource, cancel: &CancelToken) -> ReadResult {
        if let Some(reason) = cancel.reason() {
            return Err(DocumentError::Cancelled(reason));
        }
        let bytes = content.read_head(IN_PLACE_BYTES_MAX).map_err(|_| DocumentError::Unavailable)?;
        let mut into = TextCollector::new(self.limits.sizes);
        text::read_plain(&bytes, &mut into)?;
        Ok(into.parts)
    }
}

fn exchange_with_worker(
    lease: &mut Lease,
    job: &ReadJob,
    content: &dyn ByteSource,
) -> io::Result<ReadResult> {
    lease.send(&serde_json::to_vec(job)?)?;
    lease.send_from(content)?;
    let answer = lease.receive(DOCUMENT_ANSWER_BYTES_MAX)?;
    Ok(serde_json::from_slice(&answer)?)
}
