//! The API description. A test makes it from the route table and from the types that its routes take and give
//! (`describe.rs`) and keeps it in `assets/openapi.json`; the program carries that file, packed.

pub(in crate::http) mod body_type;
#[cfg(test)]
mod components;
#[cfg(test)]
mod describe;
pub mod spec;
#[cfg(test)]
mod statuses;
#[cfg(test)]
mod tests;

use crate::domain::error::{Error, Result};
use flate2::read::ZlibDecoder;
use serde_json::Value;
use std::io::Read as _;

/// `assets/openapi.json`, packed by `build.rs`.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.z"));

/// The OpenAPI 3.1 document of every route, as text for people.
///
/// # Errors
/// [`Error::Internal`] when the program's own copy is broken.
pub fn text() -> Result<String> {
    let mut text = String::new();
    ZlibDecoder::new(PACKED).read_to_string(&mut text).map_err(Error::internal)?;
    Ok(text)
}

/// The OpenAPI 3.1 document of every route.
///
/// # Errors
/// As [`text`].
pub fn document() -> Result<Value> {
    serde_json::from_str(&text()?).map_err(Error::internal)
}
