//! Files sent with a question (spec 4.1, reference 4.2): what they are, whether the flow's chat offers them, what a
//! model reads of them, and where they are kept.

mod accepted;
mod kept;
mod offer;
mod texts;

pub use kept::KeptFiles;
pub use offer::Offer;
pub(super) use texts::attached;
pub use texts::{Extracted, extract};

use crate::domain::error::{Error, Result};
use crate::domain::prediction::{Upload, UploadContent};
use crate::limits::{DOCUMENT_BYTES_MAX, IMAGE_BYTES_MAX};
use accepted::FileType;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// An entry of `uploads` as it is sent.
#[derive(Debug, Deserialize)]
pub struct SentUpload {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    mime: Option<String>,
    #[serde(default)]
    data: Option<String>,
}

const NAME_CHARS_MAX: usize = 255;

/// Reads one entry; its type, extension and first bytes must agree.
///
/// # Errors
/// 400 saying what does not fit, 403 for a kind that no chat of this server offers.
pub fn read(sent: SentUpload) -> Result<Upload> {
    let name = label(sent.name.as_deref().unwrap_or("image"));
    let data = sent.data.unwrap_or_default();
    match sent.kind.as_str() {
        "file" => inline(name, sent.mime.as_deref(), &data),
        "file:full" => Ok(Upload {
            name,
            mime: sent.mime.unwrap_or_else(|| "text/plain".to_owned()),
            content: UploadContent::Text(data),
        }),
        "url" => link(name, sent.mime, data),
        "file:rag" => {
            Err(Error::Forbidden("File uploads to a vector store are switched off for this flow.".to_owned()))
        }
        "audio" => Err(Error::Forbidden("Speech to Text is switched off for this flow.".to_owned())),
        _ => Err(Error::invalid("Invalid uploads: 'type' must be 'file', 'file:full' or 'url'.")),
    }
}

/// Reads a file that came as it is, in a form.
///
/// # Errors
/// 400 saying what does not fit.
pub fn read_file(name: Option<&str>, mime: Option<&str>, bytes: Vec<u8>) -> Result<Upload> {
    upload(label(name.unwrap_or_default()), mime, bytes)
}

/// A caller's file name is a label: no control characters, no path.
fn label(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    if clean.trim().is_empty() { "file".to_owned() } else { clean }
}

fn wrong(name: &str, what: &str) -> Error {
    Error::Invalid(format!("Invalid upload '{name}': {what}."))
}

fn inline(name: String, mime: Option<&str>, data: &str) -> Result<Upload> {
    let (head, base64) = data
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"))
        .ok_or_else(|| wrong(&name, "'data' must be a data URI with base64"))?;
    let mime = mime.filter(|mime| !mime.is_empty()).unwrap_or(head);
    if !head.eq_ignore_ascii_case(mime) {
        return Err(wrong(&name, "'mime' differs from the type in 'data'"));
    }
    // Judged by its length before it is decoded.
    accepted::of(&name, Some(mime))?.check_size(&name, base64.len() / 4 * 3)?;
    let bytes = STANDARD.decode(base64).map_err(|_| wrong(&name, "'data' is not valid base64"))?;
    upload(name, Some(mime), bytes)
}

fn upload(name: String, mime: Option<&str>, bytes: Vec<u8>) -> Result<Upload> {
    let kind = accepted::of(&name, mime)?;
    kind.check_size(&name, bytes.len())?;
    kind.check_bytes(&name, &bytes)?;
    let content = match kind {
        FileType::Image(_) => UploadContent::Image { base64: STANDARD.encode(bytes) },
        FileType::Document(_) => UploadContent::Document(bytes),
    };
    Ok(Upload { name, mime: kind.mime().to_owned(), content })
}

fn link(name: String, mime: Option<String>, url: String) -> Result<Upload> {
    let fits = url::Url::parse(&url).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
    });
    if !fits {
        return Err(wrong(&name, "'data' must be an http or https address"));
    }
    Ok(Upload {
        name,
        mime: mime.unwrap_or_else(|| "image/png".to_owned()),
        content: UploadContent::Url(url),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(name: &str, mime: &str, bytes: &[u8]) -> SentUpload {
        let data = format!("data:{mime};base64,{}", STANDARD.encode(bytes));
        SentUpload { kind: "file".into(), name: Some(name.into()), mime: Some(mime.into()), data: Some(data) }
    }

    #[test]
    fn type_name_and_bytes_must_agree() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";
        assert!(read(sent("a.png", "image/png", PNG)).is_ok());
        assert!(
            read(sent("a.pdf", "application/pdf", b"%PDF-1.7"))
                .is_ok_and(|upload| upload.mime == "application/pdf")
        );
        assert!(
            read(sent("a.md", "application/octet-stream", b"# A"))
                .is_ok_and(|upload| upload.mime == "text/markdown")
        );
        assert!(read(sent("../../a.png", "image/png", PNG)).is_ok_and(|upload| upload.name == "a.png"));
        for (name, mime, bytes) in [
            ("a.png", "image/png", b"GIF89a".as_slice()),
            ("a.exe", "image/png", PNG),
            ("a.svg", "image/svg+xml", b"<svg/>"),
            ("a.pdf", "application/pdf", b"<html>"),
            ("a.pdf", "text/plain", b"%PDF-1.7"),
            ("a", "application/pdf", b"%PDF-1.7"),
            ("a.doc", "application/msword", b"x"),
        ] {
            assert!(matches!(read(sent(name, mime, bytes)), Err(Error::Invalid(_))), "{name} {mime}");
        }
    }

    #[test]
    fn a_link_must_be_a_plain_web_address() {
        let link = |url: &str| {
            read(SentUpload { kind: "url".into(), name: None, mime: None, data: Some(url.into()) })
        };
        assert!(link("https://example.com/a.png").is_ok());
        for bad in
            ["file:///etc/passwd", "https://user:pass@example.com/", "javascript:alert(1)", "", "nonsense"]
        {
            assert!(link(bad).is_err(), "{bad}");
        }
    }
}
