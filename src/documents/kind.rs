//! What a file is, by its name and by its first bytes; both have to agree.

use super::DocumentError;
use crate::domain::content::Readable;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Read as _};

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Plain text, as it is: also Markdown, CSV, JSON, YAML, XML, SQL and CSS, whose marks a model reads as well.
    Text,
    /// A page of the web.
    Html,
    /// A PDF.
    Pdf,
    /// A text of a word processor (docx).
    Docx,
    /// A spreadsheet: xlsx, xlsm, xlsb, xls or ods.
    Sheet,
    /// A presentation (pptx).
    Pptx,
    /// A book (epub).
    Epub,
}

/// The ending of names, and what they promise.
const ENDINGS: &[(&str, Kind)] = &[
    ("txt", Kind::Text),
    ("text", Kind::Text),
    ("log", Kind::Text),
    ("md", Kind::Text),
    ("markdown", Kind::Text),
    ("csv", Kind::Text),
    ("tsv", Kind::Text),
    ("json", Kind::Text),
    ("jsonl", Kind::Text),
    ("yaml", Kind::Text),
    ("yml", Kind::Text),
    ("xml", Kind::Text),
    ("sql", Kind::Text),
    ("css", Kind::Text),
    ("html", Kind::Html),
    ("htm", Kind::Html),
    ("xhtml", Kind::Html),
    ("pdf", Kind::Pdf),
    ("docx", Kind::Docx),
    ("xlsx", Kind::Sheet),
    ("xlsm", Kind::Sheet),
    ("xlsb", Kind::Sheet),
    ("xls", Kind::Sheet),
    ("ods", Kind::Sheet),
    ("pptx", Kind::Pptx),
    ("epub", Kind::Epub),
];

const ZIP: &[u8] = b"PK\x03\x04";
/// The container of older office files, and of newer ones that are locked.
const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
const PDF: &[u8] = b"%PDF-";
/// How far into a file the mark of a PDF may stand.
const PDF_MARK_BYTES: usize = 1024;
/// How much of a file is looked at for what it is.
const HEAD_BYTES: u64 = 64 * 1024;
const PIECE_BYTES: usize = 64 * 1024;
/// First bytes of what is certainly no text.
const NOT_TEXT: &[&[u8]] =
    &[ZIP, COMPOUND, PDF, b"\x7FELF", b"MZ\x90", b"\x89PNG", b"\xFF\xD8\xFF", b"GIF8", b"\x1F\x8B"];

impl Kind {
    /// The kind that the name and the bytes of a file agree on. The name may hold folders; only its ending counts.
    ///
    /// # Errors
    /// [`DocumentError::UnknownKind`] and [`DocumentError::NotThisKind`].
    pub fn of(name: &str, content: &dyn Readable) -> Result<Self, DocumentError> {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let found = ENDINGS.iter().find(|(known, _)| *known == ending);
        let (_, kind) = found.ok_or(DocumentError::UnknownKind)?;
        if kind.agrees(content)? { Ok(*kind) } else { Err(DocumentError::NotThisKind(*kind)) }
    }

    /// Whether the first bytes can be those of this kind. What lies in an archive is looked at by the worker.
    ///
    /// # Errors
    /// [`DocumentError::Unavailable`] when the file cannot be read.
    pub fn agrees(self, content: &dyn Readable) -> Result<bool, DocumentError> {
        let head = content.head(HEAD_BYTES).map_err(|_| DocumentError::Unavailable)?;
        Ok(match self {
            Self::Text | Self::Html => {
                !NOT_TEXT.iter().any(|mark| head.starts_with(mark))
                    && (super::encoding::is_wide(&head)
                        || !holds_zero(content).map_err(|_| DocumentError::Unavailable)?)
            }
            Self::Pdf => {
                head[..head.len().min(PDF_MARK_BYTES)].windows(PDF.len()).any(|window| window == PDF)
            }
            Self::Sheet | Self::Docx | Self::Pptx => head.starts_with(ZIP) || head.starts_with(COMPOUND),
            Self::Epub => head.starts_with(ZIP),
        })
    }
}

/// No text in an encoding of single bytes holds a zero.
fn holds_zero(content: &dyn Readable) -> io::Result<bool> {
    let mut reader = content.open()?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match reader.read(&mut piece)? {
            0 => return Ok(false),
            length if memchr::memchr(0, &piece[..length]).is_some() => return Ok(true),
            _ => {}
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Html => "a web page",
            Self::Pdf => "a PDF",
            Self::Docx => "a Word document",
            Self::Sheet => "a spreadsheet",
            Self::Pptx => "a presentation",
            Self::Epub => "an EPUB book",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_bytes_have_to_agree() {
        for (name, bytes, expected) in [
            ("a.TXT", &b"hello"[..], Ok(Kind::Text)),
            ("a.md", b"", Ok(Kind::Text)),
            ("a.json", b"\xFF\xFE{\0}\0", Ok(Kind::Text)),
            ("a.pdf", b"\n%PDF-1.7", Ok(Kind::Pdf)),
            ("a.b.docx", b"PK\x03\x04..", Ok(Kind::Docx)),
            ("a.xls", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Ok(Kind::Sheet)),
            ("a.txt", b"PK\x03\x04", Err(DocumentError::NotThisKind(Kind::Text))),
            ("a.csv", b"a\0b", Err(DocumentError::NotThisKind(Kind::Text))),
            ("a.html", b"%PDF-1.7", Err(DocumentError::NotThisKind(Kind::Html))),
            ("a.pdf", b"PK\x03\x04", Err(DocumentError::NotThisKind(Kind::Pdf))),
            ("a.epub", b"hello", Err(DocumentError::NotThisKind(Kind::Epub))),
            ("a.exe", b"MZ", Err(DocumentError::UnknownKind)),
            ("txt", b"hello", Err(DocumentError::UnknownKind)),
        ] {
            assert_eq!(Kind::of(name, &bytes), expected, "{name}");
        }
    }
}
