//! The web page's files, embedded as they were built (`assets/dist`); a debug build reads them from the folder.

use crate::base::hex::to_hex;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

#[derive(rust_embed::Embed)]
#[folder = "assets/dist/"]
struct Dist;

/// A file of the page.
pub(in crate::http) struct Asset {
    pub(in crate::http) bytes: Bytes,
    pub(in crate::http) content_type: &'static str,
    /// SHA-256 of the content, in hex.
    pub(in crate::http) digest: String,
}

/// The types that are served. What has another ending is no file of the page.
const KINDS: &[(&str, &str)] = &[
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("woff2", "font/woff2"),
];

/// The file of this exact name, from `dist` with `/`.
pub(in crate::http) fn find(name: &str) -> Option<Asset> {
    let (_, ending) = name.rsplit_once('.')?;
    let (_, kind) = KINDS.iter().find(|(known, _)| *known == ending)?;
    let file = Dist::get(name)?;
    let digest = to_hex(&file.metadata.sha256_hash());
    let bytes = match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    Some(Asset { bytes, content_type: kind, digest })
}

impl Asset {
    /// True for what gets smaller.
    pub(in crate::http) fn is_text(&self) -> bool {
        !matches!(self.content_type, "image/png" | "font/woff2")
    }

    /// The content in gzip, made when it is first asked for and kept: there are as many as files.
    pub(in crate::http) fn gzip(&self) -> std::io::Result<Bytes> {
        static COMPRESSED: Mutex<Option<HashMap<String, Bytes>>> = Mutex::new(None);
        let kept = |made: &Option<HashMap<String, Bytes>>| {
            made.as_ref().and_then(|made| made.get(&self.digest).cloned())
        };
        if let Some(bytes) = kept(&COMPRESSED.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(bytes);
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&self.bytes)?;
        let bytes = Bytes::from(encoder.finish()?);
        let mut made = COMPRESSED.lock().unwrap_or_else(PoisonError::into_inner);
        made.get_or_insert_default().insert(self.digest.clone(), bytes.clone());
        Ok(bytes)
    }
}
