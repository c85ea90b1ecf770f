//! The service's side: hands a file to a worker and takes the text.

use super::{DocumentError, Kind, Limit, Limits, Page, Part, ROLE, Sizes};
use crate::domain::cancel::Cancel;
use crate::domain::content::Readable;
use crate::limits;
use crate::worker::{Death, Lease, Plan, Pool, Tenant, Unavailable};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::time::Instant;

/// The first message to a worker, and the second, before the bytes of the file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    pub memory_bytes: u64,
}

/// What to read, and how much of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub kind: Kind,
    pub how: How,
    pub sizes: Sizes,
    pub seconds: u64,
}

/// What is wanted of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum How {
    /// Its text.
    Text,
    /// A page as Markdown.
    Markdown,
    /// A page with its links, or the parts of it that a selector names.
    Page {
        /// The selector.
        selector: Option<String>,
    },
}

/// The worker's only answer.
pub(super) type Answer = Result<Vec<Part>, DocumentError>;

/// Reads documents. A clone reads them in the same workers.
#[derive(Clone)]
pub struct Documents {
    pool: Pool,
    limits: Limits,
}

impl Documents {
    /// `program` is this program. No worker starts yet.
    ///
    /// # Errors
    /// When the system has no threads left.
    pub fn new(program: PathBuf, limits: Limits) -> io::Result<Self> {
        let plan = Plan {
            program,
            role: ROLE,
            greeting: serde_json::to_vec(&Greeting { memory_bytes: limits.memory_bytes })?,
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
    pub fn text_of(&self, kind: Kind, content: &dyn Readable, cancel: &Cancel) -> Answer {
        self.read(kind, How::Text, content, cancel)
    }

    /// A page as Markdown.
    ///
    /// # Errors
    /// As [`Self::text_of`].
    pub fn markdown_of(&self, page: &[u8], cancel: &Cancel) -> Result<String, DocumentError> {
        let parts = self.read(Kind::Html, How::Markdown, &page, cancel)?;
        Ok(parts.into_iter().map(|part| part.text).collect())
    }

    /// A page: its text, or that of the parts a selector names, and its links.
    ///
    /// # Errors
    /// As [`Self::text_of`], and when the selector cannot be read.
    pub fn page_of(
        &self,
        page: &[u8],
        selector: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Page, DocumentError> {
        let how = How::Page { selector: selector.map(str::to_owned) };
        self.read(Kind::Html, how, &page, cancel).map(Page::from_parts)
    }

    fn read(&self, kind: Kind, how: How, content: &dyn Readable, cancel: &Cancel) -> Answer {
        if content.length() > self.limits.sizes.file_bytes_max as u64 {
            return Err(DocumentError::TooLarge(Limit::File));
        }
        if !kind.agrees(content)? {
            return Err(DocumentError::NotThisKind(kind));
        }
        // Each file has a worker of its own, so whose it is does not matter.
        let mut lease =
            self.pool.take(Tenant::default(), cancel).map_err(|unavailable| match unavailable {
                Unavailable::Busy => DocumentError::Busy,
                Unavailable::CannotStart => DocumentError::Unavailable,
                Unavailable::Cancelled(reason) => DocumentError::Cancelled(reason),
            })?;
        let time = cancel.time_left().map_or(self.limits.time, |left| left.min(self.limits.time));
        lease.limit(Instant::now() + time, cancel);
        let job = Job { kind, how, sizes: self.limits.sizes, seconds: time.as_secs().max(1) };
        match converse(&mut lease, &job, content) {
            Ok(answer) => {
                lease.give_back();
                answer
            }
            Err(_) => Err(match (cancel.reason(), lease.bury()) {
                (Some(reason), _) => DocumentError::Cancelled(reason),
                (None, Death::OutOfTime) => DocumentError::Timeout,
                // Panics are caught inside; what is left is memory and stack.
                (None, Death::Crashed) => DocumentError::Exhausted,
            }),
        }
    }
}

fn converse(lease: &mut Lease<'_>, job: &Job, content: &dyn Readable) -> io::Result<Answer> {
    lease.send(&serde_json::to_vec(job)?)?;
    lease.send_from(content)?;
    let answer = lease.receive(limits::DOCUMENT_ANSWER_BYTES_MAX)?;
    Ok(serde_json::from_slice(&answer)?)
}
