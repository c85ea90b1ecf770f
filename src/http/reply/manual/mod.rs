//! The manual (`assets/manual/`), which the program carries as pages: made by `build.rs`, packed, and the
//! same for everybody. Two kinds of page are made when they are asked for: what a search found, and the cards of the registry.

mod cards;
mod search;

pub(in crate::http) use self::cards::{card_page, cards_page};
pub(in crate::http) use self::search::search_page;
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
    Ok(asset(&unpack(packed)?, kind, base_path))
}

fn unpack(packed: &[u8]) -> Result<String> {
    let mut text = String::new();
    ZlibDecoder::new(packed).read_to_string(&mut text).map_err(Error::internal)?;
    Ok(text)
}

fn asset(text: &str, content_type: &'static str, base_path: &str) -> Asset {
    let placed = prefix::insert_prefix(text, base_path);
    // The prefix is part of the content, so it is part of what a browser compares.
    let digest = to_hex(&Sha256::digest(&placed));
    Asset { bytes: Bytes::from(placed), content_type, digest }
}

/// A page with this title and text, which are HTML, beside the list of chapters.
fn page(title: &str, body: &str, base_path: &str) -> Result<Asset> {
    let frame = unpack(include_bytes!(concat!(env!("OUT_DIR"), "/manual-frame.html.z")))?;
    let (before, rest) = frame.split_once("{{title}}").unwrap_or_default();
    let (between, after) = rest.split_once("{{body}}").unwrap_or_default();
    let text = [before, title, between, body, after].concat();
    Ok(asset(&text, "text/html; charset=utf-8", base_path))
}

/// A text as HTML shows it, also inside of an attribute in double quotation marks.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
