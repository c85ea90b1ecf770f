//! The manual (`assets/manual/`), which the program carries as pages: made by `build.rs`, packed, and the
//! same for everybody.

use super::assets::Asset;
use crate::base::hex::to_hex;
use crate::domain::error::{Error, Result};
use crate::http::routing::prefix;
use bytes::Bytes;
use flate2::read::ZlibDecoder;
use sha2::{Digest as _, Sha256};
use std::io::Read as _;

/// Name below `/docs`, content type, and the packed content.
const FILES: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/manual.rs"));
/// What is at `/docs` itself.
pub(in crate::http) const INDEX: &str = "README";

/// True for what is below `/docs`.
pub(in crate::http) fn has_page(name: &str) -> bool {
    FILES.iter().any(|(known, ..)| *known == name)
}

/// A file of the manual, for a service at this prefix.
///
/// # Errors
/// 404 for what is none of its files.
pub(in crate::http) fn find(name: &str, base_path: &str) -> Result<Asset> {
    let file = FILES.iter().find(|(known, ..)| *known == name);
    let (_, kind, packed) =
        file.ok_or_else(|| Error::NotFound("There is no such page of the manual.".to_owned()))?;
    let mut text = String::new();
    ZlibDecoder::new(*packed).read_to_string(&mut text).map_err(Error::internal)?;
    let placed = prefix::insert_prefix(&text, base_path);
    // The prefix is part of the content, so it is part of what a browser compares.
    let digest = to_hex(&Sha256::digest(&placed));
    Ok(Asset { bytes: Bytes::from(placed), content_type: kind, digest })
}
