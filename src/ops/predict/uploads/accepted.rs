//! The types of files a chat can offer: media type, endings and first bytes, which have to agree (security rules 8).

use super::{DOCUMENT_BYTES_MAX, IMAGE_BYTES_MAX, wrong};
use crate::documents::Kind;
use crate::domain::error::{Error, Result};

/// A kind of image.
#[derive(Debug)]
pub(super) struct ImageType {
    mime: &'static str,
    endings: &'static [&'static str],
    begins: fn(&[u8]) -> bool,
}

/// A kind of document.
#[derive(Debug)]
pub(super) struct DocumentType {
    /// The first is how it is named from here on.
    mimes: &'static [&'static str],
    endings: &'static [&'static str],
}

/// What a file is.
#[derive(Debug, Clone, Copy)]
pub(super) enum FileType {
    Image(&'static ImageType),
    Document(&'static DocumentType),
}

const IMAGES: &[ImageType] = &[
    ImageType {
        mime: "image/png",
        endings: &["png"],
        begins: |bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
    },
    ImageType {
        mime: "image/jpeg",
        endings: &["jpg", "jpeg"],
        begins: |bytes| bytes.starts_with(b"\xff\xd8\xff"),
    },
    ImageType {
        mime: "image/gif",
        endings: &["gif"],
        begins: |bytes| bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a"),
    },
    ImageType {
        mime: "image/webp",
        endings: &["webp"],
        begins: |bytes| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
    },
];

/// What the documents room reads.
const DOCUMENTS: &[DocumentType] = &[
    DocumentType { mimes: &["text/plain"], endings: &["txt", "text", "log"] },
    DocumentType { mimes: &["text/markdown", "text/x-markdown"], endings: &["md", "markdown"] },
    DocumentType { mimes: &["text/css"], endings: &["css"] },
    DocumentType { mimes: &["text/csv", "application/csv", "application/vnd.ms-excel"], endings: &["csv"] },
    DocumentType { mimes: &["text/tab-separated-values"], endings: &["tsv"] },
    DocumentType { mimes: &["text/html", "application/xhtml+xml"], endings: &["html", "htm", "xhtml"] },
    DocumentType { mimes: &["application/json", "text/json"], endings: &["json"] },
    DocumentType {
        mimes: &["application/jsonl", "application/x-ndjson", "application/json"],
        endings: &["jsonl"],
    },
    DocumentType {
        mimes: &["application/x-yaml", "application/yaml", "text/yaml", "text/x-yaml"],
        endings: &["yaml", "yml"],
    },
    DocumentType { mimes: &["application/sql", "text/x-sql"], endings: &["sql"] },
    DocumentType { mimes: &["application/xml", "text/xml"], endings: &["xml"] },
    DocumentType { mimes: &["application/pdf"], endings: &["pdf"] },
    DocumentType {
        mimes: &["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
        endings: &["docx"],
    },
    DocumentType {
        mimes: &["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
        endings: &["xlsx"],
    },
    DocumentType { mimes: &["application/vnd.ms-excel"], endings: &["xls"] },
    DocumentType { mimes: &["application/vnd.oasis.opendocument.spreadsheet"], endings: &["ods"] },
    DocumentType {
        mimes: &["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
        endings: &["pptx"],
    },
    DocumentType { mimes: &["application/epub+zip"], endings: &["epub"] },
];

/// What senders say that do not know what a file is.
const ANY_TYPE: &str = "application/octet-stream";

/// The type that a file's name and its declared media type agree on; a sender who declares none leaves it to the name.
pub(super) fn of(name: &str, mime: Option<&str>) -> Result<FileType> {
    let mime = mime.map(|mime| mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    let mime = mime.filter(|mime| !mime.is_empty() && mime != ANY_TYPE);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let ends = |endings: &[&str]| ending.as_deref().is_some_and(|ending| endings.contains(&ending));
    let says = |mimes: &[&str]| mime.as_deref().is_none_or(|mime| mimes.contains(&mime));
    if let Some(image) = IMAGES
        .iter()
        .find(|image| mime.as_deref() == Some(image.mime) || (mime.is_none() && ends(image.endings)))
    {
        return if ending.is_none() || ends(image.endings) {
            Ok(FileType::Image(image))
        } else {
            Err(wrong(name, &format!("its name does not end like a file of type {}", image.mime)))
        };
    }
    let by_name = DOCUMENTS.iter().find(|document| ends(document.endings));
    match by_name {
        Some(document) if says(document.mimes) => Ok(FileType::Document(document)),
        Some(document) => Err(wrong(
            name,
            &format!("its name ends like a file of type {}, and another one is declared", document.mimes[0]),
        )),
        None => {
            let shown: String =
                mime.or(ending).unwrap_or_default().chars().filter(|c| !c.is_control()).take(80).collect();
            Err(Error::Invalid(format!("File type {shown} is not allowed for this flow.")))
        }
    }
}

/// The documents a flow's list of media types names; all of them when it names none.
pub(super) fn is_listed(listed: &[String], mime: &str) -> bool {
    let is_same = |document: &&DocumentType| document.mimes[0] == mime;
    let Some(document) = DOCUMENTS.iter().find(is_same) else { return false };
    listed.is_empty() || listed.iter().any(|listed| document.mimes.contains(&listed.as_str()))
}

/// The media types of all documents.
pub(super) fn document_mimes() -> Vec<&'static str> {
    DOCUMENTS.iter().map(|document| document.mimes[0]).collect()
}

/// The media types of all images.
pub(super) fn image_mimes() -> Vec<&'static str> {
    IMAGES.iter().map(|image| image.mime).collect()
}

/// The ending under which a file of this media type is kept.
pub(super) fn ending_of(mime: &str) -> &'static str {
    let image = IMAGES.iter().find(|image| image.mime == mime).map(|image| image.endings[0]);
    let document =
        || DOCUMENTS.iter().find(|document| document.mimes[0] == mime).map(|document| document.endings[0]);
    image.or_else(document).unwrap_or("bin")
}

impl FileType {
    /// How it is named from here on.
    pub(super) const fn mime(self) -> &'static str {
        match self {
            Self::Image(image) => image.mime,
            Self::Document(document) => document.mimes[0],
        }
    }

    pub(super) fn check_size(self, name: &str, bytes: usize) -> Result<()> {
        let (what, most) = match self {
            Self::Image(_) => ("an image", IMAGE_BYTES_MAX),
            Self::Document(_) => ("a document", DOCUMENT_BYTES_MAX),
        };
        // A length taken from base64 is off by its padding.
        if bytes <= most + 2 {
            return Ok(());
        }
        Err(wrong(name, &format!("{what} may have at most {} MB", most / (1024 * 1024))))
    }

    pub(super) fn check_bytes(self, name: &str, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Image(image) if (image.begins)(bytes) => Ok(()),
            Self::Image(image) => Err(wrong(name, &format!("its content is not of type {}", image.mime))),
            Self::Document(_) => {
                Kind::of(name, bytes).map(drop).map_err(|fault| wrong(name, &fault.to_string()))
            }
        }
    }
}
