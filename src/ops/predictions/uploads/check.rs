//! Files sent with a question or for their text (manual 4.1, 4.2): judged by the flow's offer, one by one and
//! from the outside in, before anything of them is stored or read.

use super::media::{self, MediaKind, MediaType};
use super::policy::UploadPolicy;
use crate::base::spooled_file::{ByteSource as _, SpooledFile};
use crate::documents::{DocumentError, DocumentKind};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{Upload, UploadEntry, UploadFile};
use crate::engine::UploadStore;
use crate::limits::{DOCUMENT_BYTES_MAX, DOCUMENT_TEXT_BYTES_MAX, IMAGE_BYTES_MAX, UPLOADS_MAX};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use unicode_normalization::UnicodeNormalization as _;

/// As much as any type in our table is known by.
const HEAD_BYTES: u64 = 64;
const NAME_BYTES_MAX: usize = 255;
const ENDING_BYTES_MAX: usize = 16;
/// Characters of a declared type that are shown or kept.
const MIME_CHARS_MAX: usize = 80;
/// What a file is called whose type is in no table.
const OTHER_MIME: &str = "application/octet-stream";
const MIB: usize = 1024 * 1024;

/// An upload that the flow takes.
#[derive(Debug)]
pub(in crate::ops::predictions) enum CheckedUpload {
    Image(CheckedFile),
    Audio(CheckedFile),
    Document(CheckedFile, DocumentKind),
    /// The text of a document, read before.
    Text {
        name: String,
        mime: &'static str,
        text: String,
    },
    /// A file whose text a vector store took in before the question.
    ForStore(CheckedFile),
    /// An image the provider fetches itself.
    Link {
        name: String,
        mime: String,
        url: String,
    },
}

/// A file whose type, name and first bytes agree.
#[derive(Debug)]
pub(in crate::ops::predictions) struct CheckedFile {
    /// The caller's name for it: a label, never a path.
    pub name: String,
    pub mime: &'static str,
    pub content: SpooledFile,
}

impl CheckedFile {
    /// The stored name ends as its type does, not as its caller called it.
    pub(in crate::ops::predictions) fn stored_extension(&self) -> &'static str {
        media::find(Some(self.mime), &media::extension(&self.name)).map_or("bin", |row| row.extensions[0])
    }
}

/// Admits the uploads of one question.
///
/// # Errors
/// 403 for a kind that is off; 400 for a type the flow does not take, for what is too large or too much, and for a file
/// that is not what it says.
pub(in crate::ops::predictions) fn check(
    offer: &UploadPolicy,
    sent: Vec<Upload>,
) -> Result<Vec<CheckedUpload>> {
    if sent.len() > UPLOADS_MAX {
        return Err(Error::Invalid(format!("A question can carry at most {UPLOADS_MAX} files.")));
    }
    sent.into_iter().map(|upload| check_one(offer, upload)).collect()
}

fn check_one(offer: &UploadPolicy, sent: Upload) -> Result<CheckedUpload> {
    let entry = match sent {
        Upload::File(UploadFile { name, mime, content }) => {
            let claim = DeclaredUpload::new(offer, Some(name), mime.as_deref(), None)?;
            return claim.into_checked(content);
        }
        Upload::Entry(entry) => entry,
    };
    match entry.kind.as_str() {
        "file" => check_data_uri(offer, entry, None),
        "audio" => check_data_uri(offer, entry, Some(MediaKind::Audio)),
        "file:full" => check_document_text(offer, entry),
        "url" => check_link(offer, entry),
        "file:rag" => check_store_upload(offer, entry),
        _ => Err(Error::invalid(
            "Invalid uploads: 'type' must be 'file', 'file:rag', 'audio', 'file:full' or 'url'.",
        )),
    }
}

/// What a caller says of a file, of a kind and type that the flow takes.
struct DeclaredUpload {
    name: String,
    row: &'static MediaType,
}

impl DeclaredUpload {
    /// `only` is the kind that the entry's own type asks for.
    fn new(
        offer: &UploadPolicy,
        name: Option<String>,
        mime: Option<&str>,
        only: Option<MediaKind>,
    ) -> Result<Self> {
        let mime = media::declared_type(mime);
        let extension = media::extension(name.as_deref().unwrap_or_default());
        let family = only.unwrap_or_else(|| media::kind_of(mime.as_deref(), &extension));
        offer.check_kind(family)?;
        let row = media::find(mime.as_deref(), &extension).filter(|row| row.kind == family);
        let Some(row) = row.filter(|row| offer.accepts(row)) else {
            let shown = row.map(|row| row.mime).or(mime.as_deref());
            return Err(not_allowed(shown, &extension));
        };
        let Some(name) = name else {
            return Ok(Self { name: format!("upload.{}", row.extensions[0]), row });
        };
        let name = clean_name(&name);
        // The recorders of chat pages call every recording .wav, whatever the browser made of it.
        let fits = row.has_extension(&extension) || (only == Some(MediaKind::Audio) && is_audio(&extension));
        if fits {
            return Ok(Self { name, row });
        }
        Err(invalid_upload(&name, &format!("its name does not end like a file of type {}", row.mime)))
    }

    fn into_file_from_uri(self, head: Option<&str>, base64: Option<&str>) -> Result<CheckedUpload> {
        let (Some(head), Some(base64)) = (head, base64) else {
            return Err(invalid_upload(&self.name, "'data' must be a data URI with base64"));
        };
        if media::declared_type(Some(head)).is_some_and(|head| !self.row.has_name(&head)) {
            return Err(invalid_upload(&self.name, "'mime' differs from the type in 'data'"));
        }
        let bytes = decode_base64(&self.name, base64, self.bytes_max())?.ok_or_else(|| self.too_large())?;
        self.into_checked(bytes.into())
    }

    fn into_checked(self, content: SpooledFile) -> Result<CheckedUpload> {
        if content.length() > self.bytes_max() as u64 {
            return Err(self.too_large());
        }
        let head = content.read_head(HEAD_BYTES).map_err(Error::internal)?;
        if !(self.row.matches_head)(&head) {
            return Err(invalid_upload(&self.name, &format!("its content is not of type {}", self.row.mime)));
        }
        let file = CheckedFile { name: self.name, mime: self.row.mime, content };
        match self.row.kind {
            MediaKind::Image => Ok(CheckedUpload::Image(file)),
            MediaKind::Audio => Ok(CheckedUpload::Audio(file)),
            MediaKind::Document => match DocumentKind::detect(&file.name, &file.content) {
                Ok(kind) => Ok(CheckedUpload::Document(file, kind)),
                Err(fault) => Err(read_error(&file.name, fault)),
            },
        }
    }

    fn bytes_max(&self) -> usize {
        if self.row.kind == MediaKind::Image { IMAGE_BYTES_MAX } else { DOCUMENT_BYTES_MAX }
    }

    fn too_large(&self) -> Error {
        let what = match self.row.kind {
            MediaKind::Image => "an image",
            MediaKind::Audio => "a recording",
            MediaKind::Document => "a document",
        };
        invalid_upload(&self.name, &format!("{what} may have at most {} MB", self.bytes_max() / MIB))
    }
}

fn is_audio(extension: &str) -> bool {
    media::find(None, extension).is_some_and(|row| row.kind == MediaKind::Audio)
}

fn check_data_uri(
    offer: &UploadPolicy,
    entry: UploadEntry,
    only: Option<MediaKind>,
) -> Result<CheckedUpload> {
    let (head, base64) = split_data_uri(entry.data.as_deref());
    let mime = entry.mime.as_deref().filter(|mime| !mime.is_empty()).or(head);
    DeclaredUpload::new(offer, entry.name, mime, only)?.into_file_from_uri(head, base64)
}

/// Media type and base64 of a data URI.
fn split_data_uri(data: Option<&str>) -> (Option<&str>, Option<&str>) {
    let parts = data.and_then(|data| data.strip_prefix("data:")?.split_once(','));
    let Some((head, base64)) = parts.and_then(|(head, rest)| Some((head.strip_suffix(";base64")?, rest)))
    else {
        return (None, None);
    };
    (Some(head), Some(base64))
}

/// The bytes of base64; `None` when there are more than `most`.
fn decode_base64(name: &str, base64: &str, most: usize) -> Result<Option<Vec<u8>>> {
    if base64.len() / 4 * 3 > most + 3 {
        return Ok(None);
    }
    STANDARD.decode(base64).map(Some).map_err(|_| invalid_upload(name, "'data' is not valid base64"))
}

fn check_store_upload(offer: &UploadPolicy, entry: UploadEntry) -> Result<CheckedUpload> {
    let uploading = offer.require_store()?;
    let name = clean_name(entry.name.as_deref().unwrap_or_default());
    let (_, base64) = split_data_uri(entry.data.as_deref());
    let base64 = base64.ok_or_else(|| invalid_upload(&name, "'data' must be a data URI with base64"))?;
    let bytes = decode_base64(&name, base64, DOCUMENT_BYTES_MAX)?.ok_or_else(|| large_document(&name))?;
    let sent = UploadFile { name, mime: entry.mime, content: bytes.into() };
    Ok(CheckedUpload::ForStore(check_store_file(uploading, sent)?))
}

/// A file for the vector store of a chat: of a type that its loaders read, and what its name says.
///
/// # Errors
/// 400.
pub(in crate::ops::predictions) fn check_store_file(
    uploading: &UploadStore,
    sent: UploadFile,
) -> Result<CheckedFile> {
    let (name, content) = (clean_name(&sent.name), sent.content);
    let extension = media::extension(&name);
    if !uploading.takes(&name) {
        return Err(not_allowed(None, &extension));
    }
    if content.length() > DOCUMENT_BYTES_MAX as u64 {
        return Err(large_document(&name));
    }
    match DocumentKind::detect(&name, &content) {
        Ok(_) => {}
        // Sources of programs and the like, which loaders read as text.
        Err(DocumentError::UnknownKind)
            if DocumentKind::Text.matches_content(&content).map_err(|fault| read_error(&name, fault))? => {}
        Err(DocumentError::UnknownKind) => return Err(not_allowed(None, &extension)),
        Err(fault) => return Err(read_error(&name, fault)),
    }
    let mime = media::find(None, &extension).map_or(OTHER_MIME, |row| row.mime);
    Ok(CheckedFile { name, mime, content })
}

fn large_document(name: &str) -> Error {
    invalid_upload(name, &format!("a document may have at most {} MB", DOCUMENT_BYTES_MAX / MIB))
}

fn check_document_text(offer: &UploadPolicy, entry: UploadEntry) -> Result<CheckedUpload> {
    let DeclaredUpload { name, row } =
        DeclaredUpload::new(offer, entry.name, entry.mime.as_deref(), Some(MediaKind::Document))?;
    let text = entry.data.unwrap_or_default();
    if text.len() > DOCUMENT_BYTES_MAX {
        let most = DOCUMENT_BYTES_MAX / MIB;
        return Err(invalid_upload(&name, &format!("the text of a document may have at most {most} MB")));
    }
    Ok(CheckedUpload::Text { name, mime: row.mime, text })
}

fn check_link(offer: &UploadPolicy, entry: UploadEntry) -> Result<CheckedUpload> {
    offer.check_kind(MediaKind::Image)?;
    let name = clean_name(entry.name.as_deref().unwrap_or("image"));
    let url = entry.data.unwrap_or_default();
    let fits = url::Url::parse(&url).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
    });
    if !fits {
        return Err(invalid_upload(&name, "'data' must be an http or https address"));
    }
    Ok(CheckedUpload::Link {
        name,
        mime: entry.mime.as_deref().map_or("image/png".to_owned(), printable),
        url,
    })
}

/// A caller's file name is a label: no control characters, no path, and not long (manual 4.4).
pub(in crate::ops::predictions) fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.nfc().filter(|c| !c.is_control()).collect();
    if clean.trim().is_empty() {
        return "file".to_owned();
    }
    if clean.len() <= NAME_BYTES_MAX {
        return clean;
    }
    // The ending says what the file is, so what goes is what stands before it.
    let dot = clean.rfind('.').filter(|dot| clean.len() - dot <= ENDING_BYTES_MAX);
    let (stem, ending) = clean.split_at(dot.unwrap_or(clean.len()));
    format!("{}{ending}", &stem[..stem.floor_char_boundary(NAME_BYTES_MAX - ending.len())])
}

fn invalid_upload(name: &str, what: &str) -> Error {
    Error::Invalid(format!("Invalid upload '{name}': {what}."))
}

fn printable(mime: &str) -> String {
    mime.chars().filter(|c| !c.is_control()).take(MIME_CHARS_MAX).collect()
}

fn not_allowed(mime: Option<&str>, extension: &str) -> Error {
    Error::Invalid(match mime {
        Some(mime) => format!("File type {} is not allowed for this flow.", printable(mime)),
        None if extension.is_empty() => "A file without an ending is not allowed for this flow.".to_owned(),
        None => format!("File type .{} is not allowed for this flow.", printable(extension)),
    })
}

/// Why a document gives no text, told to the one who sent it.
pub(in crate::ops::predictions) fn read_error(name: &str, fault: DocumentError) -> Error {
    use crate::domain::error::UnavailableReason;
    match fault {
        DocumentError::Busy => Error::Unavailable(UnavailableReason::Busy),
        DocumentError::Cancelled(_) => Error::Cancelled,
        DocumentError::Unavailable => Error::RunFailed(format!("'{name}' was not read: {fault}.")),
        _ => invalid_upload(name, &fault.to_string()),
    }
}

/// The error of a question whose documents hold more text than a question may.
pub(in crate::ops::predictions) fn too_much_text() -> Error {
    let most = DOCUMENT_TEXT_BYTES_MAX / MIB;
    Error::Invalid(format!("The documents hold too much text: a question can carry at most {most} MB of it."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_label() {
        let long = format!("{}.docx", "ä".repeat(1_000_000));
        for (name, expected) in [
            ("a.txt", "a.txt".to_owned()),
            ("../../etc/a.txt", "a.txt".to_owned()),
            ("C:\\a\\b.txt", "b.txt".to_owned()),
            ("a\n\u{0}\u{85}b.txt", "ab.txt".to_owned()),
            ("a\u{308}.txt", "\u{e4}.txt".to_owned()),
            ("/", "file".to_owned()),
            (" ", "file".to_owned()),
            (&long, format!("{}.docx", "ä".repeat(125))),
            (&"x".repeat(300), "x".repeat(255)),
        ] {
            assert_eq!(clean_name(name), expected);
        }
    }

    #[test]
    fn a_data_uri_is_a_type_and_base64() {
        for (data, expected) in [
            ("data:image/png;base64,AA", (Some("image/png"), Some("AA"))),
            ("data:audio/webm;codecs=opus;base64,", (Some("audio/webm;codecs=opus"), Some(""))),
            ("data:image/png,AA", (None, None)),
            ("image/png;base64,AA", (None, None)),
            ("data:image/png;base64", (None, None)),
        ] {
            assert_eq!(split_data_uri(Some(data)), expected, "{data}");
        }
    }
}
