//! A worker for documents: reads one file in a process of its own, answers, and ends.

use super::archive::BoundedArchive;
use super::client::{DocumentWorkerSetup, ReadJob, ReadMode, ReadResult};
use super::{DocumentError, DocumentKind, TextCollector, epub, office, pdf, sheets, text, web_page};
use crate::limits;
use crate::worker::{frame, sandbox};
use std::io::{self, ErrorKind};
use std::panic::catch_unwind;
use std::process::ExitCode;

/// Serves as a worker for one file; the whole of a process that was started with [`super::ROLE`].
#[must_use]
pub fn work() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut next = |bytes_max| frame::read(&mut input, bytes_max)?.ok_or(ErrorKind::UnexpectedEof.into());
    let greeting: DocumentWorkerSetup = match next(limits::DOCUMENT_BYTES_MAX) {
        Ok(message) => serde_json::from_slice(&message)?,
        Err(error) => return Err(error),
    };
    let allowance = sandbox::SandboxLimits { memory_bytes: greeting.memory_bytes };
    sandbox::enter_sandbox(allowance).map_err(|error| io::Error::other(error.to_string()))?;
    frame::write(&mut io::stdout().lock(), b"ready")?;
    let job: ReadJob = serde_json::from_slice(&next(limits::DOCUMENT_BYTES_MAX)?)?;
    let bytes: Vec<u8> = next(job.sizes.file_bytes_max)?;
    sandbox::limit_processor(job.seconds);
    // Libraries end some doubts about a file with a panic.
    let answer = catch_unwind(|| read_parts(&job, &bytes)).unwrap_or(Err(DocumentError::Damaged(job.kind)));
    frame::write(&mut io::stdout().lock(), &serde_json::to_vec(&answer)?)
}

fn read_parts(job: &ReadJob, bytes: &[u8]) -> ReadResult {
    let mut into = TextCollector::new(job.sizes);
    let archive = || {
        // An office file that is locked is wrapped in the older container.
        if bytes.starts_with(b"PK") {
            BoundedArchive::open(bytes, job.kind, job.sizes)
        } else {
            Err(DocumentError::Locked)
        }
    };
    match (job.kind, &job.how) {
        (DocumentKind::Html, ReadMode::Markdown) => {
            return web_page::markdown(bytes, &mut into).map(|()| into.parts);
        }
        (DocumentKind::Html, ReadMode::Page { selector }) => {
            return web_page::read(bytes, selector.as_deref(), &mut into).map(|()| into.parts);
        }
        _ => {}
    }
    match job.kind {
        DocumentKind::Text => text::read_plain(bytes, &mut into),
        DocumentKind::Html => text::read_page(bytes, &mut into),
        DocumentKind::Pdf => pdf::read(bytes, &mut into),
        DocumentKind::Docx => office::docx(archive()?, &mut into),
        DocumentKind::Pptx => office::pptx(archive()?, &mut into),
        DocumentKind::Sheet => sheets::read(bytes, &mut into),
        DocumentKind::Epub => epub::read(archive()?, &mut into),
    }?;
    Ok(into.parts)
}
