//! What a file is, by its name and by its first bytes; both have to agree.

use super::DocumentError;
use crate::base::spooled_file::ByteSource;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, Read as _};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentKind {
    /// Plain text, as it is: also Markdown, CSV, JSON, YAML, XML, SQL and CSS, whose marks a model reads as well.
    Text,
    Html,
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
const EXTENSIONS: &[(&str, DocumentKind)] = &[
    ("txt", DocumentKind::Text),
    ("text", DocumentKind::Text),
    ("log", DocumentKind::Text),
    ("md", DocumentKind::Text),
    ("markdown", DocumentKind::Text),
    ("csv", DocumentKind::Text),
    ("tsv", DocumentKind::Text),
    ("json", DocumentKind::Text),
    ("jsonl", DocumentKind::Text),
    ("yaml", DocumentKind::Text),
    ("yml", DocumentKind::Text),
    ("xml", DocumentKind::Text),
    ("sql", DocumentKind::Text),
    ("css", DocumentKind::Text),
    ("html", DocumentKind::Html),
    ("htm", DocumentKind::Html),
    ("xhtml", DocumentKind::Html),
    ("pdf", DocumentKind::Pdf),
    ("docx", DocumentKind::Docx),
    ("xlsx", DocumentKind::Sheet),
    ("xlsm", DocumentKind::Sheet),
    ("xlsb", DocumentKind::Sheet),
    ("xls", DocumentKind::Sheet),
    ("ods", DocumentKind::Sheet),
    ("pptx", DocumentKind::Pptx),
    ("epub", DocumentKind::Epub),
];

const ZIP: &[u8] = b"PK\x03\x04";
/// The container of older office files, and of newer ones that are locked.
const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
const PDF: &[u8] = b"%PDF-";
/// How far into a file the mark of a PDF may stand.
const PDF_MAGIC_BYTES: usize = 1024;
/// How much of a file is looked at for what it is.
const HEAD_BYTES: u64 = 64 * 1024;
const PIECE_BYTES: usize = 64 * 1024;
/// First bytes of what is certainly no text.
const NOT_TEXT: &[&[u8]] =
    &[ZIP, COMPOUND, PDF, b"\x7FELF", b"MZ\x90", b"\x89PNG", b"\xFF\xD8\xFF", b"GIF8", b"\x1F\x8B"];

impl DocumentKind {
    /// The kind that the name and the bytes of a file agree on. The name may hold folders; only its ending counts.
    ///
    /// # Errors
    /// [`DocumentError::UnknownKind`] and [`DocumentError::NotThisKind`].
    pub fn detect(name: &str, content: &dyn ByteSource) -> Result<Self, DocumentError> {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let found = EXTENSIONS.iter().find(|(known, _)| *known == ending);
        let (_, kind) = found.ok_or(DocumentError::UnknownKind)?;
        if kind.matches_content(content)? { Ok(*kind) } else { Err(DocumentError::NotThisKind(*kind)) }
    }

    /// Whether the first bytes can be those of this kind. What lies in an archive is looked at by the worker.
    ///
    /// # Errors
    /// [`DocumentError::Unavailable`] when the file cannot be read.
    pub fn matches_content(self, content: &dyn ByteSource) -> Result<bool, DocumentError> {
        let head = content.read_head(HEAD_BYTES).map_err(|_| DocumentError::Unavailable)?;
        Ok(match self {
            Self::Text | Self::Html => {
                !NOT_TEXT.iter().any(|mark| head.starts_with(mark))
                    && (super::encoding::is_utf16(&head)
                        || !contains_zero_byte(content).map_err(|_| DocumentError::Unavailable)?)
            }
            Self::Pdf => {
                head[..head.len().min(PDF_MAGIC_BYTES)].windows(PDF.len()).any(|window| window == PDF)
            }
            Self::Sheet | Self::Docx | Self::Pptx => head.starts_with(ZIP) || head.starts_with(COMPOUND),
            Self::Epub => head.starts_with(ZIP),
        })
    }
}

/// No text in an encoding of single bytes holds a zero.
fn contains_zero_byte(content: &dyn ByteSource) -> io::Result<bool> {
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

impl fmt::Display for DocumentKind {
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
            ("a.TXT", &b"hello"[..], Ok(DocumentKind::Text)),
            ("a.md", b"", Ok(DocumentKind::Text)),
            ("a.json", b"\xFF\xFE{\0}\0", Ok(DocumentKind::Text)),
            ("a.pdf", b"\n%PDF-1.7", Ok(DocumentKind::Pdf)),
            ("a.b.docx", b"PK\x03\x04..", Ok(DocumentKind::Docx)),
            ("a.xls", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", Ok(DocumentKind::Sheet)),
            ("a.txt", b"PK\x03\x04", Err(DocumentError::NotThisKind(DocumentKind::Text))),
            ("a.csv", b"a\0b", Err(DocumentError::NotThisKind(DocumentKind::Text))),
            ("a.html", b"%PDF-1.7", Err(DocumentError::NotThisKind(DocumentKind::Html))),
            ("a.pdf", b"PK\x03\x04", Err(DocumentError::NotThisKind(DocumentKind::Pdf))),
            ("a.epub", b"hello", Err(DocumentError::NotThisKind(DocumentKind::Epub))),
            ("a.exe", b"MZ", Err(DocumentError::UnknownKind)),
            ("txt", b"hello", Err(DocumentError::UnknownKind)),
        ] {
            assert_eq!(DocumentKind::detect(name, &bytes), expected, "{name}");
        }
    }
}
