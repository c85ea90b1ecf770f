//! Our table of media types: what a file may be declared as, how its name ends, how its bytes begin (manual 4.2 r2).
//! What lies behind the name of a document is judged by [`crate::documents::DocumentKind`].

use std::fmt;

/// The kinds of upload that a flow's chat offers one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ops::predictions) enum MediaKind {
    Image,
    Audio,
    Document,
}

impl fmt::Display for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "Image",
            Self::Audio => "Audio",
            Self::Document => "File",
        })
    }
}

/// A row of the table.
#[derive(Debug)]
pub(in crate::ops::predictions) struct MediaType {
    pub mime: &'static str,
    aliases: &'static [&'static str],
    /// How names end; the first one names a file that came without a name.
    pub extensions: &'static [&'static str],
    pub kind: MediaKind,
    /// How its bytes begin, where that is not judged by the kind of document.
    pub matches_head: fn(&[u8]) -> bool,
}

impl MediaType {
    pub(in crate::ops::predictions) fn has_name(&self, mime: &str) -> bool {
        self.mime == mime || self.aliases.contains(&mime)
    }

    pub(in crate::ops::predictions) fn has_extension(&self, extension: &str) -> bool {
        self.extensions.contains(&extension)
    }
}

const fn image(
    mime: &'static str,
    also: &'static [&'static str],
    extensions: &'static [&'static str],
    begins: fn(&[u8]) -> bool,
) -> MediaType {
    MediaType { mime, aliases: also, extensions, kind: MediaKind::Image, matches_head: begins }
}

const fn audio(
    mime: &'static str,
    also: &'static [&'static str],
    extensions: &'static [&'static str],
    begins: fn(&[u8]) -> bool,
) -> MediaType {
    MediaType { mime, aliases: also, extensions, kind: MediaKind::Audio, matches_head: begins }
}

const fn document(
    mime: &'static str,
    also: &'static [&'static str],
    extensions: &'static [&'static str],
) -> MediaType {
    MediaType { mime, aliases: also, extensions, kind: MediaKind::Document, matches_head: |_| true }
}

/// What a client says of text whose own type it does not know.
const PLAIN: &str = "text/plain";

#[rustfmt::skip]
const TABLE: &[MediaType] = &[
    image("image/png", &[], &["png"], |bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n")),
    image("image/jpeg", &["image/jpg"], &["jpg", "jpeg"], |bytes| bytes.starts_with(b"\xff\xd8\xff")),
    image("image/gif", &[], &["gif"], |bytes| bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")),
    image("image/webp", &[], &["webp"], |bytes| is_riff(bytes, b"WEBP")),
    audio("audio/webm", &["video/webm"], &["webm"], |bytes| bytes.starts_with(b"\x1a\x45\xdf\xa3")),
    audio("audio/mp4", &["audio/m4a", "audio/x-m4a"], &["m4a", "mp4"], |bytes| bytes.get(4..8) == Some(b"ftyp")),
    audio("audio/ogg", &["application/ogg"], &["ogg", "oga"], |bytes| bytes.starts_with(b"OggS")),
    audio("audio/mpeg", &["audio/mp3"], &["mp3"], is_mpeg),
    audio("audio/wav", &["audio/x-wav", "audio/wave"], &["wav"], |bytes| is_riff(bytes, b"WAVE")),
    document(PLAIN, &[], &["txt", "text", "log"]),
    document("text/markdown", &["text/x-markdown", PLAIN], &["md", "markdown"]),
    document("text/html", &["application/xhtml+xml"], &["html", "htm", "xhtml"]),
    document("text/css", &[PLAIN], &["css"]),
    document("text/csv", &["application/csv", PLAIN], &["csv"]),
    document("text/tab-separated-values", &[PLAIN], &["tsv"]),
    document("application/json", &["text/json", PLAIN], &["json"]),
    document("application/x-ndjson", &["application/jsonl", "application/jsonlines", PLAIN], &["jsonl"]),
    document("application/x-yaml", &["application/yaml", "text/yaml", "text/x-yaml", PLAIN], &["yaml", "yml"]),
    document("application/xml", &["text/xml", PLAIN], &["xml"]),
    document("application/sql", &["application/x-sql", "text/x-sql", PLAIN], &["sql"]),
    document("application/pdf", &["application/x-pdf"], &["pdf"]),
    document("application/vnd.openxmlformats-officedocument.wordprocessingml.document", &[], &["docx"]),
    document("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &[], &["xlsx"]),
    document("application/vnd.openxmlformats-officedocument.presentationml.presentation", &[], &["pptx"]),
    document("application/vnd.ms-excel", &[], &["xls"]),
    document("application/vnd.ms-excel.sheet.macroenabled.12", &[], &["xlsm"]),
    document("application/vnd.ms-excel.sheet.binary.macroenabled.12", &[], &["xlsb"]),
    document("application/vnd.oasis.opendocument.spreadsheet", &[], &["ods"]),
    document("application/epub+zip", &[], &["epub"]),
];

fn is_riff(bytes: &[u8], form: &[u8; 4]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(form)
}

/// An ID3 tag, or the sync bits of a frame of layer III.
fn is_mpeg(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ID3") || matches!(bytes, [0xff, second, ..] if second & 0xe6 == 0xe2)
}

/// The declared type without its parameters; `None` when it says nothing.
pub(in crate::ops::predictions) fn declared_type(mime: Option<&str>) -> Option<String> {
    let bare = mime?.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (!bare.is_empty() && bare != "application/octet-stream").then_some(bare)
}

/// The ending of a name, in small letters.
pub(in crate::ops::predictions) fn extension(name: &str) -> String {
    name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase()
}

/// The kind of upload that is meant, also where the type is none that is taken.
pub(in crate::ops::predictions) fn kind_of(mime: Option<&str>, extension: &str) -> MediaKind {
    if let Some(row) = find(mime, extension) {
        return row.kind;
    }
    match mime {
        Some(mime) if mime.starts_with("image/") => MediaKind::Image,
        Some(mime) if mime.starts_with("audio/") => MediaKind::Audio,
        _ => MediaKind::Document,
    }
}

/// The row that is meant: by type and ending together where one fits both, else by type, and by ending where no type is
/// declared. Whether the ending fits is for the caller to check.
pub(in crate::ops::predictions) fn find(mime: Option<&str>, extension: &str) -> Option<&'static MediaType> {
    let Some(mime) = mime else { return TABLE.iter().find(|row| row.has_extension(extension)) };
    let called = || TABLE.iter().filter(|row| row.has_name(mime));
    called().find(|row| row.has_extension(extension)).or_else(|| called().next())
}

/// All types of a kind of upload, as an offer lists them.
pub(in crate::ops::predictions) fn types_of(family: MediaKind) -> Vec<&'static str> {
    TABLE.iter().filter(|row| row.kind == family).map(|row| row.mime).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::DocumentKind;

    #[test]
    fn every_ending_of_a_document_can_be_read() {
        for row in TABLE.iter().filter(|row| row.kind == MediaKind::Document) {
            for extension in row.extensions {
                let known = DocumentKind::detect(&format!("a.{extension}"), &&b""[..]);
                assert_ne!(known, Err(crate::documents::DocumentError::UnknownKind), "{extension}");
            }
        }
    }

    #[test]
    fn an_ending_stands_in_one_row() {
        let mut endings: Vec<_> = TABLE.iter().flat_map(|row| row.extensions).collect();
        let count = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), count);
    }

    #[test]
    fn a_type_is_found_by_what_is_declared_and_by_the_name() {
        for (mime, extension, expected) in [
            (Some("image/jpg"), "jpeg", Some("image/jpeg")),
            (Some("text/plain"), "md", Some("text/markdown")),
            (Some("text/plain"), "exe", Some("text/plain")),
            (Some("application/pdf"), "txt", Some("application/pdf")),
            (None, "csv", Some("text/csv")),
            (None, "exe", None),
            (Some("image/svg+xml"), "svg", None),
        ] {
            assert_eq!(find(mime, extension).map(|row| row.mime), expected, "{mime:?} {extension}");
        }
        assert_eq!(kind_of(Some("image/svg+xml"), "svg"), MediaKind::Image);
        assert_eq!(kind_of(Some("audio/midi"), "mid"), MediaKind::Audio);
        assert_eq!(kind_of(None, "exe"), MediaKind::Document);
        assert_eq!(declared_type(Some("audio/webm;codecs=opus")).as_deref(), Some("audio/webm"));
        assert_eq!(declared_type(Some("application/octet-stream")), None);
    }
}
