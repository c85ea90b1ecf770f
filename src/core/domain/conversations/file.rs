//! The files of conversations: what they are called, and what they are served as (manual 4.4).

use crate::domain::ids::{ChatId, FlowId};
use std::fmt;

/// Longest extension of a stored file's name (manual 14.9).
const FILE_EXTENSION_CHARS_MAX: usize = 10;
/// Hex digits of a stored name that are by chance.
const RANDOM_CHARS: usize = 32;
/// Hex digits of the checksum behind them; names from before there were checksums have none.
const SUM_CHARS: usize = 8;
/// What is stored without a usable extension.
const DEFAULT_EXTENSION: &str = "bin";
/// What a browser is never asked to show.
const OCTET_STREAM: &str = "application/octet-stream";

/// What files are served as, by extension. What is missing here is served as plain bytes, and so is all that a browser
/// would run: pages, SVG, XML, scripts and styles.
const CONTENT_TYPES: &[(&str, &str)] = &[
    ("csv", "text/csv; charset=utf-8"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("epub", "application/epub+zip"),
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("m4a", "audio/mp4"),
    ("md", "text/markdown; charset=utf-8"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("oga", "audio/ogg"),
    ("ogg", "audio/ogg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("txt", "text/plain; charset=utf-8"),
    ("wav", "audio/wav"),
    ("webm", "audio/webm"),
    ("webp", "image/webp"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", "application/zip"),
];

/// The name of a stored file: random, with the checksum of what is in it and an extension that says what it is. A file has
/// its name from the moment in which it is whole, and so it has its checksum.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChatFileName(String);

impl ChatFileName {
    /// A fresh name for a content of this checksum; of the extension, letters and digits are kept.
    #[must_use]
    pub fn generate(extension: &str, sum: u32) -> Self {
        let kept: String = extension
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .take(FILE_EXTENSION_CHARS_MAX)
            .collect();
        let extension = if kept.is_empty() { DEFAULT_EXTENSION } else { &kept };
        Self(format!("{}{sum:08x}.{extension}", uuid::Uuid::new_v4().simple()))
    }

    /// Reads a name; `None` for one that this server did not make, which so never becomes a path.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (stem, extension) = text.split_once('.')?;
        let made_here = [RANDOM_CHARS, RANDOM_CHARS + SUM_CHARS].contains(&stem.len())
            && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && (1..=FILE_EXTENSION_CHARS_MAX).contains(&extension.len())
            && extension.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z'));
        made_here.then(|| Self(text.to_owned()))
    }

    /// As messages and links hold it: small letters, digits and one dot.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the dot: small letters and digits.
    #[must_use]
    pub fn extension(&self) -> &str {
        self.0.split_once('.').map_or("", |(_, extension)| extension)
    }

    /// The checksum of what is in the file; `None` where the name is from before there were checksums.
    #[must_use]
    pub fn checksum(&self) -> Option<u32> {
        let (stem, _) = self.0.split_once('.')?;
        u32::from_str_radix(stem.get(RANDOM_CHARS..).filter(|sum| sum.len() == SUM_CHARS)?, 16).ok()
    }

    /// What the file is served as.
    #[must_use]
    pub fn content_type(&self) -> &'static str {
        let found = CONTENT_TYPES.binary_search_by_key(&self.extension(), |(extension, _)| extension);
        found.map_or(OCTET_STREAM, |at| CONTENT_TYPES[at].1)
    }
}

impl fmt::Display for ChatFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One file, of one conversation, of one flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatFile {
    pub flow: FlowId,
    pub chat: ChatId,
    pub name: ChatFileName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_server_are_names() {
        for (given, kept) in
            [("PDF", "pdf"), ("", "bin"), ("../../etc", "etc"), ("tar.gz", "targz"), ("é", "bin")]
        {
            let name = ChatFileName::generate(given, 0xab);
            assert_eq!(name.checksum(), Some(0xab));
            assert_eq!((ChatFileName::parse(name.as_str()).as_ref(), name.extension()), (Some(&name), kept));
        }
        let good = "0123456789abcdef0123456789abcdef";
        let before = ChatFileName::parse(&format!("{good}.png")).unwrap();
        assert_eq!((before.checksum(), before.extension()), (None, "png"));
        for bad in [
            String::new(),
            good.to_owned(),
            format!("{good}."),
            format!("{good}.PNG"),
            format!("{good}.a/b"),
            format!("{good}.."),
            format!("{good}.tar.gz"),
            format!("{good}.png\0"),
            format!("{good}.abcdefghijklmnop"),
            format!("../{good}.png"),
            format!("{}.png", &good[1..]),
            format!("{good}0.png"),
            format!("{}.png", good.to_uppercase()),
            ".hidden".to_owned(),
        ] {
            assert_eq!(ChatFileName::parse(&bad), None, "{bad}");
        }
    }

    #[test]
    fn what_a_browser_would_run_is_served_as_bytes() {
        assert!(CONTENT_TYPES.is_sorted_by_key(|(extension, _)| extension));
        assert!(CONTENT_TYPES.iter().all(|(extension, _)| extension.len() <= FILE_EXTENSION_CHARS_MAX));
        for (extension, kind) in CONTENT_TYPES {
            assert_eq!(ChatFileName::generate(extension, 0).content_type(), *kind);
        }
        for active in [
            "html", "htm", "xhtml", "shtml", "svg", "xml", "xsl", "js", "mjs", "css", "swf", "exe", "new", "",
        ] {
            assert_eq!(ChatFileName::generate(active, 0).content_type(), OCTET_STREAM, "{active}");
        }
    }
}
