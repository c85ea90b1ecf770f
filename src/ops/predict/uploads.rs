//! Files sent with a question or for their text (manual 4.1, 4.2): judged by the flow's offer, one by one and
//! from the outside in, before anything of them is stored or read.

use super::media::{self, Family, MediaType};
use super::offer::Offer;
use crate::documents::{DocumentError, Kind};
use crate::domain::content::{Content, Readable as _};
use crate::domain::error::{Error, Result};
use crate::domain::prediction::{SentEntry, SentFile, SentUpload};
use crate::engine::Uploading;
use crate::limits::{DOCUMENT_BYTES_MAX, DOCUMENT_TEXT_BYTES_MAX, IMAGE_BYTES_MAX, UPLOADS_MAX};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use unicode_normalization::UnicodeNormalization as _;

/// As much as any type in our table is known by.
const BEGIN_BYTES: u64 = 64;
const NAME_BYTES_MAX: usize = 255;
const ENDING_BYTES_MAX: usize = 16;
/// Characters of a declared type that are shown or kept.
const MIME_CHARS_MAX: usize = 80;
/// What a file is called whose type is in no table.
const OTHER_MIME: &str = "application/octet-stream";
const MIB: usize = 1024 * 1024;

/// An upload that the flow takes.
#[derive(Debug)]
pub(super) enum Admitted {
    Image(File),
    Audio(File),
    Document(File, Kind),
    /// The text of a document, read before.
    Text {
        name: String,
        mime: &'static str,
        text: String,
    },
    /// A file whose text a vector store took in before the question.
    Stored(File),
    /// An image the provider fetches itself.
    Link {
        name: String,
        mime: String,
        url: String,
    },
}

/// A file whose type, name and first bytes agree.
#[derive(Debug)]
pub(super) struct File {
    /// The caller's name for it: a label, never a path.
    pub name: String,
    pub mime: &'static str,
    pub content: Content,
}

impl File {
    /// The stored name ends as its type does, not as its caller called it.
    pub(super) fn stored_extension(&self) -> &'static str {
        media::row(Some(self.mime), &media::extension(&self.name)).map_or("bin", |row| row.extensions[0])
    }
}

/// Admits the uploads of one question.
///
/// # Errors
/// 403 for a kind that is off; 400 for a type the flow does not take, for what is too large or too much, and for a file
/// that is not what it says.
pub(super) fn admit(offer: &Offer, sent: Vec<SentUpload>) -> Result<Vec<Admitted>> {
    if sent.len() > UPLOADS_MAX {
        return Err(Error::Invalid(format!("A question can carry at most {UPLOADS_MAX} files.")));
    }
    sent.into_iter().map(|upload| admit_one(offer, upload)).collect()
}

fn admit_one(offer: &Offer, sent: SentUpload) -> Result<Admitted> {
    let entry = match sent {
        SentUpload::File(SentFile { name, mime, content }) => {
            let claim = Claim::new(offer, Some(name), mime.as_deref(), None)?;
            return claim.file(content);
        }
        SentUpload::Entry(entry) => entry,
    };
    match entry.kind.as_str() {
        "file" => of_uri(offer, entry, None),
        "audio" => of_uri(offer, entry, Some(Family::Audio)),
        "file:full" => full(offer, entry),
        "url" => link(offer, entry),
        "file:rag" => rag(offer, entry),
        _ => Err(Error::invalid(
            "Invalid uploads: 'type' must be 'file', 'file:rag', 'audio', 'file:full' or 'url'.",
        )),
    }
}

/// What a caller says of a file, of a kind and type that the flow takes.
struct Claim {
    name: String,
    row: &'static MediaType,
}

impl Claim {
    /// `only` is the family that the entry's own type asks for.
    fn new(offer: &Offer, name: Option<String>, mime: Option<&str>, only: Option<Family>) -> Result<Self> {
        let mime = media::declared(mime);
        let extension = media::extension(name.as_deref().unwrap_or_default());
        let family = only.unwrap_or_else(|| media::family(mime.as_deref(), &extension));
        offer.admit(family)?;
        let row = media::row(mime.as_deref(), &extension).filter(|row| row.family == family);
        let Some(row) = row.filter(|row| offer.takes(row)) else {
            let shown = row.map(|row| row.mime).or(mime.as_deref());
            return Err(not_allowed(shown, &extension));
        };
        let Some(name) = name else {
            return Ok(Self { name: format!("upload.{}", row.extensions[0]), row });
        };
        let name = label(&name);
        // The recorders of chat pages call every recording .wav, whatever the browser made of it.
        let fits = row.ends(&extension) || (only == Some(Family::Audio) && is_audio(&extension));
        if fits {
            return Ok(Self { name, row });
        }
        Err(wrong(&name, &format!("its name does not end like a file of type {}", row.mime)))
    }

    fn file_of_uri(self, head: Option<&str>, base64: Option<&str>) -> Result<Admitted> {
        let (Some(head), Some(base64)) = (head, base64) else {
            return Err(wrong(&self.name, "'data' must be a data URI with base64"));
        };
        if media::declared(Some(head)).is_some_and(|head| !self.row.is_called(&head)) {
            return Err(wrong(&self.name, "'mime' differs from the type in 'data'"));
        }
        let bytes = bytes_of(&self.name, base64, self.bytes_max())?.ok_or_else(|| self.too_large())?;
        self.file(bytes.into())
    }

    fn file(self, content: Content) -> Result<Admitted> {
        if content.length() > self.bytes_max() as u64 {
            return Err(self.too_large());
        }
        let head = content.head(BEGIN_BYTES).map_err(Error::internal)?;
        if !(self.row.begins)(&head) {
            return Err(wrong(&self.name, &format!("its content is not of type {}", self.row.mime)));
        }
        let file = File { name: self.name, mime: self.row.mime, content };
        match self.row.family {
            Family::Image => Ok(Admitted::Image(file)),
            Family::Audio => Ok(Admitted::Audio(file)),
            Family::Document => match Kind::of(&file.name, &file.content) {
                Ok(kind) => Ok(Admitted::Document(file, kind)),
                Err(fault) => Err(unread(&file.name, fault)),
            },
        }
    }

    fn bytes_max(&self) -> usize {
        if self.row.family == Family::Image { IMAGE_BYTES_MAX } else { DOCUMENT_BYTES_MAX }
    }

    fn too_large(&self) -> Error {
        let what = match self.row.family {
            Family::Image => "an image",
            Family::Audio => "a recording",
            Family::Document => "a document",
        };
        wrong(&self.name, &format!("{what} may have at most {} MB", self.bytes_max() / MIB))
    }
}

fn is_audio(extension: &str) -> bool {
    media::row(None, extension).is_some_and(|row| row.family == Family::Audio)
}

fn of_uri(offer: &Offer, entry: SentEntry, only: Option<Family>) -> Result<Admitted> {
    let (head, base64) = data_uri(entry.data.as_deref());
    let mime = entry.mime.as_deref().filter(|mime| !mime.is_empty()).or(head);
    Claim::new(offer, entry.name, mime, only)?.file_of_uri(head, base64)
}

/// Media type and base64 of a data URI.
fn data_uri(data: Option<&str>) -> (Option<&str>, Option<&str>) {
    let parts = data.and_then(|data| data.strip_prefix("data:")?.split_once(','));
    let Some((head, base64)) = parts.and_then(|(head, rest)| Some((head.strip_suffix(";base64")?, rest)))
    else {
        return (None, None);
    };
    (Some(head), Some(base64))
}

/// The bytes of base64; `None` when there are more than `most`.
fn bytes_of(name: &str, base64: &str, most: usize) -> Result<Option<Vec<u8>>> {
    if base64.len() / 4 * 3 > most + 3 {
        return Ok(None);
    }
    STANDARD.decode(base64).map(Some).map_err(|_| wrong(name, "'data' is not valid base64"))
}

fn rag(offer: &Offer, entry: SentEntry) -> Result<Admitted> {
    let uploading = offer.admit_knowledge()?;
    let name = label(entry.name.as_deref().unwrap_or_default());
    let (_, base64) = data_uri(entry.data.as_deref());
    let base64 = base64.ok_or_else(|| wrong(&name, "'data' must be a data URI with base64"))?;
    let bytes = bytes_of(&name, base64, DOCUMENT_BYTES_MAX)?.ok_or_else(|| large_document(&name))?;
    let sent = SentFile { name, mime: entry.mime, content: bytes.into() };
    Ok(Admitted::Stored(for_store(uploading, sent)?))
}

/// A file for the vector store of a chat: of a type that its loaders read, and what its name says.
///
/// # Errors
/// 400.
pub(super) fn for_store(uploading: &Uploading, sent: SentFile) -> Result<File> {
    let (name, content) = (label(&sent.name), sent.content);
    let extension = media::extension(&name);
    if !uploading.takes(&name) {
        return Err(not_allowed(None, &extension));
    }
    if content.length() > DOCUMENT_BYTES_MAX as u64 {
        return Err(large_document(&name));
    }
    match Kind::of(&name, &content) {
        Ok(_) => {}
        // Sources of programs and the like, which loaders read as text.
        Err(DocumentError::UnknownKind)
            if Kind::Text.agrees(&content).map_err(|fault| unread(&name, fault))? => {}
        Err(DocumentError::UnknownKind) => return Err(not_allowed(None, &extension)),
        Err(fault) => return Err(unread(&name, fault)),
    }
    let mime = media::row(None, &extension).map_or(OTHER_MIME, |row| row.mime);
    Ok(File { name, mime, content })
}

fn large_document(name: &str) -> Error {
    wrong(name, &format!("a document may have at most {} MB", DOCUMENT_BYTES_MAX / MIB))
}

fn full(offer: &Offer, entry: SentEntry) -> Result<Admitted> {
    let Claim { name, row } = Claim::new(offer, entry.name, entry.mime.as_deref(), Some(Family::Document))?;
    let text = entry.data.unwrap_or_default();
    if text.len() > DOCUMENT_BYTES_MAX {
        let most = DOCUMENT_BYTES_MAX / MIB;
        return Err(wrong(&name, &format!("the text of a document may have at most {most} MB")));
    }
    Ok(Admitted::Text { name, mime: row.mime, text })
}

fn link(offer: &Offer, entry: SentEntry) -> Result<Admitted> {
    offer.admit(Family::Image)?;
    let name = label(entry.name.as_deref().unwrap_or("image"));
    let url = entry.data.unwrap_or_default();
    let fits = url::Url::parse(&url).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
    });
    if !fits {
        return Err(wrong(&name, "'data' must be an http or https address"));
    }
    Ok(Admitted::Link { name, mime: entry.mime.as_deref().map_or("image/png".to_owned(), printable), url })
}

/// A caller's file name is a label: no control characters, no path, and not long (manual 4.4).
pub(super) fn label(name: &str) -> String {
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

fn wrong(name: &str, what: &str) -> Error {
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
pub(super) fn unread(name: &str, fault: DocumentError) -> Error {
    use crate::domain::error::Unavailable;
    match fault {
        DocumentError::Busy => Error::Unavailable(Unavailable::Busy),
        DocumentError::Cancelled(_) => Error::Cancelled,
        DocumentError::Unavailable => Error::Failed(format!("'{name}' was not read: {fault}.")),
        _ => wrong(name, &fault.to_string()),
    }
}

/// The error of a question whose documents hold more text than a question may.
pub(super) fn too_much_text() -> Error {
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
            assert_eq!(label(name), expected);
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
            assert_eq!(data_uri(Some(data)), expected, "{data}");
        }
    }
}
