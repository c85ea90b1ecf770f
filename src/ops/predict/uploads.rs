//! Files sent with a question (spec 4.1, reference 4.2): images now, every other kind is refused.

use crate::domain::error::{Error, Result};
use crate::domain::prediction::{Upload, UploadContent};
use crate::engine::Plan;
use crate::limits::{IMAGE_BYTES_MAX, UPLOADS_MAX};
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

/// A kind of image a chat can offer.
struct ImageKind {
    mime: &'static str,
    extensions: &'static [&'static str],
    /// How its bytes begin.
    begins: fn(&[u8]) -> bool,
}

const IMAGES: &[ImageKind] = &[
    ImageKind {
        mime: "image/png",
        extensions: &["png"],
        begins: |bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
    },
    ImageKind {
        mime: "image/jpeg",
        extensions: &["jpg", "jpeg"],
        begins: |bytes| bytes.starts_with(b"\xff\xd8\xff"),
    },
    ImageKind {
        mime: "image/gif",
        extensions: &["gif"],
        begins: |bytes| bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a"),
    },
    ImageKind {
        mime: "image/webp",
        extensions: &["webp"],
        begins: |bytes| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
    },
];

const NAME_CHARS_MAX: usize = 255;

/// Reads one entry; its type, extension and first bytes must agree.
///
/// # Errors
/// 400 saying what does not fit.
pub fn read(sent: SentUpload) -> Result<Upload> {
    let name = label(sent.name.as_deref().unwrap_or("image"));
    let data = sent.data.unwrap_or_default();
    match sent.kind.as_str() {
        "file" => image(name, sent.mime.as_deref(), &data),
        "url" => link(name, sent.mime, data),
        "audio" | "file:rag" | "file:full" | "stored-file" | "stored-file:full" => {
            Err(Error::Invalid(format!(
                "Uploads of type '{}' are not taken by this server: send images as type 'file' or 'url'.",
                sent.kind
            )))
        }
        _ => Err(Error::invalid("Invalid uploads: 'type' must be 'file' or 'url'.")),
    }
}

/// A caller's file name is a label: no control characters, no path.
fn label(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    if clean.trim().is_empty() { "image".to_owned() } else { clean }
}

fn image(name: String, mime: Option<&str>, data: &str) -> Result<Upload> {
    let wrong = |what: &str| Error::Invalid(format!("Invalid upload '{name}': {what}."));
    let (head, base64) = data
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"))
        .ok_or_else(|| wrong("'data' must be a data URI with base64"))?;
    let mime = mime.filter(|mime| !mime.is_empty()).unwrap_or(head).to_ascii_lowercase();
    if !head.eq_ignore_ascii_case(&mime) {
        return Err(wrong("'mime' differs from the type in 'data'"));
    }
    let Some(kind) = IMAGES.iter().find(|kind| kind.mime == mime) else {
        let shown: String = mime.chars().filter(|c| !c.is_control()).take(80).collect();
        return Err(Error::Invalid(format!("File type {shown} is not allowed for this flow.")));
    };
    if base64.len() / 4 * 3 > IMAGE_BYTES_MAX + 3 {
        return Err(wrong(&format!("an image may have at most {} MB", IMAGE_BYTES_MAX / (1024 * 1024))));
    }
    let bytes = STANDARD.decode(base64).map_err(|_| wrong("'data' is not valid base64"))?;
    if !(kind.begins)(&bytes) {
        return Err(wrong(&format!("its content is not of type {mime}")));
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    if extension.is_some_and(|extension| !kind.extensions.contains(&extension.as_str())) {
        return Err(wrong(&format!("its name does not end like a file of type {mime}")));
    }
    Ok(Upload {
        name,
        mime: kind.mime.to_owned(),
        content: UploadContent::Image { base64: STANDARD.encode(bytes) },
    })
}

fn link(name: String, mime: Option<String>, url: String) -> Result<Upload> {
    let fits = url::Url::parse(&url).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
    });
    if !fits {
        return Err(Error::Invalid(format!(
            "Invalid upload '{name}': 'data' must be an http or https address."
        )));
    }
    Ok(Upload {
        name,
        mime: mime.unwrap_or_else(|| "image/png".to_owned()),
        content: UploadContent::Url(url),
    })
}

/// Admits the uploads of a question, before anything is stored or run.
///
/// # Errors
/// 403 when the flow's chat offers no images; 400 when there are too many.
pub(super) fn admit(plan: &Plan, uploads: &[Upload]) -> Result<()> {
    if uploads.is_empty() {
        return Ok(());
    }
    if !plan.takes_images {
        return Err(Error::Forbidden("Image uploads are switched off for this flow.".to_owned()));
    }
    if uploads.len() > UPLOADS_MAX {
        return Err(Error::Invalid(format!("A question can carry at most {UPLOADS_MAX} files.")));
    }
    Ok(())
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
        assert!(read(sent("../../a.png", "image/png", PNG)).is_ok_and(|upload| upload.name == "a.png"));
        for (name, mime, bytes) in [
            ("a.png", "image/png", b"GIF89a".as_slice()),
            ("a.exe", "image/png", PNG),
            ("a.svg", "image/svg+xml", b"<svg/>"),
            ("a.pdf", "application/pdf", b"%PDF"),
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
