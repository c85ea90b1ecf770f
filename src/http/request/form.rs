//! Reading a `multipart/form-data` body as it arrives: each part goes where it belongs, and nothing waits unbounded.

use super::body::LimitedBody;
use crate::app::App;
use crate::base::spooled_file::{SpoolWriter, SpooledFile};
use crate::domain::error::Error;
use crate::domain::predictions::prediction::UploadFile;
use crate::http::reply::error::Rejection;
use crate::limits::{BODY_MULTIPART_BYTES, DOCUMENT_BYTES_MAX, UPLOADS_MAX};
use crate::ops;
use bytes::{Buf, Bytes};
use futures_util::{Stream, stream};
use hyper::HeaderMap;
use hyper::header::CONTENT_TYPE;
use multer::{Field, Multipart};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Parts of one form (manual 14.1).
const FORM_PARTS_MAX: usize = 64;
/// The head of one part of a form (manual 14.1).
const FORM_HEAD_BYTES_MAX: usize = 8 * 1024;
/// What the parser is given at a time.
const PIECE_BYTES: usize = 16 * 1024;
/// The longest boundary that RFC 2046 allows.
const BOUNDARY_BYTES_MAX: usize = 70;
/// The part that holds a file.
const FILES: &str = "files";

/// A form as it was sent.
#[derive(Debug, Default)]
pub struct FormData {
    /// Fields by name, in order; no name comes twice.
    pub fields: Vec<(String, String)>,
    /// Files, in order.
    pub files: Vec<UploadFile>,
}

/// The boundary that a form's head announces.
pub(in crate::http) fn boundary(headers: &HeaderMap) -> Result<String, Rejection> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    multer::parse_boundary(kind)
        .ok()
        .filter(|boundary| (1..=BOUNDARY_BYTES_MAX).contains(&boundary.len()))
        .ok_or(Rejection::Form(FormError::NoBoundary))
}

/// What is wrong with a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    #[error("The form's Content-Type names no boundary.")]
    NoBoundary,
    #[error("The form is badly written or broke off.")]
    Broken,
    #[error("The form is too large: a document may have {document} MB, all of it {} MiB.", BODY_MULTIPART_BYTES >> 20, document = DOCUMENT_BYTES_MAX >> 20)]
    Large,
    #[error("The head of a part of the form is too large: {} KiB are the most.", FORM_HEAD_BYTES_MAX >> 10)]
    Head,
    #[error("The form has too many parts: {FORM_PARTS_MAX} are the most.")]
    Parts,
    #[error("The form has too many files: {UPLOADS_MAX} are the most.")]
    Files,
    #[error("A document may have at most {} MB.", DOCUMENT_BYTES_MAX >> 20)]
    Document,
    #[error("A part of the form has no name.")]
    NoName,
    #[error("A part named '{FILES}' needs a file name.")]
    NoFileName,
    #[error("Send files in parts named '{FILES}'.")]
    WrongPart,
    #[error("A field of the form is given twice.")]
    Duplicate,
    #[error("A field of the form is not valid UTF-8.")]
    Utf8,
}

/// Reads a form to the end of its body.
pub(in crate::http) async fn read<S, B, E>(
    app: &App,
    boundary: String,
    pieces: &mut LimitedBody<'_, S>,
) -> Result<FormData, Rejection>
where
    S: Stream<Item = Result<B, E>> + Send,
    B: Buf + Send,
{
    let head_budget = HeadBudget::default();
    let mut form = FormData::default();
    {
        let mut parts = Multipart::new(bounded_stream(&mut *pieces, head_budget.clone()), boundary);
        let mut count = 0;
        loop {
            head_budget.limit_to_head();
            let Some(part) = parts.next_field().await.map_err(to_rejection)? else { break };
            head_budget.lift();
            count += 1;
            if count > FORM_PARTS_MAX {
                return Err(Rejection::Form(FormError::Parts));
            }
            form.add_part(app, part).await?;
        }
    }
    // What stands behind the last boundary means nothing, but the next request on this connection comes after it.
    while pieces.next().await?.is_some() {}
    Ok(form)
}

impl FormData {
    async fn add_part(&mut self, app: &App, part: Field<'_>) -> Result<(), Rejection> {
        let head_bytes: usize = part
            .headers()
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
            .sum();
        if head_bytes > FORM_HEAD_BYTES_MAX {
            return Err(Rejection::Form(FormError::Head));
        }
        let name = part.name().filter(|name| !name.is_empty()).map(str::to_owned);
        let name = name.ok_or(Rejection::Form(FormError::NoName))?;
        match part.file_name().map(str::to_owned) {
            Some(file_name) => self.add_file(app, &name, file_name, part).await,
            None if name == FILES => Err(Rejection::Form(FormError::NoFileName)),
            None => self.add_field(name, part).await,
        }
    }

    async fn add_file(
        &mut self,
        app: &App,
        name: &str,
        file_name: String,
        part: Field<'_>,
    ) -> Result<(), Rejection> {
        if name != FILES {
            return Err(Rejection::Form(FormError::WrongPart));
        }
        let mime = part.headers().get(CONTENT_TYPE).and_then(|mime| mime.to_str().ok()).map(str::to_owned);
        let content = spool_file(app, part).await?;
        // A page whose visitor chose no file sends an empty one without a name.
        if file_name.is_empty() && content.is_empty() {
            return Ok(());
        }
        if self.files.len() == UPLOADS_MAX {
            return Err(Rejection::Form(FormError::Files));
        }
        self.files.push(UploadFile { name: file_name, mime, content });
        Ok(())
    }

    async fn add_field(&mut self, name: String, part: Field<'_>) -> Result<(), Rejection> {
        if self.fields.iter().any(|(known, _)| *known == name) {
            return Err(Rejection::Form(FormError::Duplicate));
        }
        let text = String::from_utf8(read_text(part).await?).map_err(|_| Rejection::Form(FormError::Utf8))?;
        self.fields.push((name, text));
        Ok(())
    }
}

async fn read_text(mut part: Field<'_>) -> Result<Vec<u8>, Rejection> {
    let mut bytes = Vec::new();
    while let Some(piece) = part.chunk().await.map_err(to_rejection)? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// A file to its end. Of a large one only a piece is in memory at a time.
async fn spool_file(app: &App, mut part: Field<'_>) -> Result<SpooledFile, Rejection> {
    let mut arriving = SpoolWriter::default();
    while let Some(piece) = part.chunk().await.map_err(to_rejection)? {
        if arriving.length() + piece.len() as u64 > DOCUMENT_BYTES_MAX as u64 {
            return Err(Rejection::Form(FormError::Document));
        }
        if arriving.push(&piece) {
            arriving = flush_to_disk(app, arriving).await?;
        }
    }
    if arriving.is_split() {
        arriving = flush_to_disk(app, arriving).await?;
    }
    Ok(arriving.finish())
}

async fn flush_to_disk(app: &App, mut arriving: SpoolWriter) -> Result<SpoolWriter, Rejection> {
    let app = app.clone();
    let written = tokio::task::spawn_blocking(move || {
        ops::conversations::files::spill_to_disk(&app, &mut arriving).map(|()| arriving)
    });
    written.await.map_err(|_| Rejection::Panicked)?.map_err(|fault| match fault {
        Error::QuotaExceeded(full) => Rejection::Full(full),
        other => {
            tracing::error!(cause = other.for_log(), "a file that arrives could not be written");
            Rejection::Panicked
        }
    })
}

/// How much the parser may still take before it comes to the content of a part. It searches all it has taken again with
/// each piece, so an endless head would keep it busy.
#[derive(Clone)]
struct HeadBudget(Arc<AtomicUsize>);

impl Default for HeadBudget {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(0)))
    }
}

impl HeadBudget {
    fn limit_to_head(&self) {
        // The piece in which a head ends may be longer than it.
        self.0.store(FORM_HEAD_BYTES_MAX + PIECE_BYTES, Ordering::Relaxed);
    }

    fn lift(&self) {
        self.0.store(usize::MAX, Ordering::Relaxed);
    }

    fn spend(&self, bytes: usize) -> Result<(), Rejection> {
        let left = self.0.load(Ordering::Relaxed);
        let left = left.checked_sub(bytes).ok_or(Rejection::Form(FormError::Head))?;
        self.0.store(left, Ordering::Relaxed);
        Ok(())
    }
}

/// The body in small pieces. After each the parser gets its turn: it would take all there is before it looks at any.
fn bounded_stream<S, B, E>(
    pieces: &mut LimitedBody<'_, S>,
    head_budget: HeadBudget,
) -> impl Stream<Item = Result<Bytes, BodyError>> + Send
where
    S: Stream<Item = Result<B, E>> + Send,
    B: Buf + Send,
{
    stream::unfold((pieces, head_budget, Bytes::new()), |(pieces, room, mut rest)| async move {
        tokio::task::yield_now().await;
        if rest.is_empty() {
            match pieces.next().await {
                Ok(Some(more)) => rest = more,
                Ok(None) => return None,
                Err(fault) => return Some((Err(BodyError(fault)), (pieces, room, rest))),
            }
        }
        let piece = rest.split_to(rest.len().min(PIECE_BYTES));
        let piece = room.spend(piece.len()).map(|()| piece).map_err(BodyError);
        Some((piece, (pieces, room, rest)))
    })
}

/// Why the body ended early, on its way through the parser.
#[derive(Debug, thiserror::Error)]
#[error("the body ended early")]
struct BodyError(Rejection);

fn to_rejection(error: multer::Error) -> Rejection {
    match error {
        multer::Error::StreamReadFailed(cause) => {
            cause.downcast::<BodyError>().map_or(Rejection::BodyBroken, |ended| ended.0)
        }
        _ => Rejection::Form(FormError::Broken),
    }
}
