//! `flowkeep openapi`: the description of the API, made from the route table.

use super::{Failure, say};
use crate::http::openapi;

pub(super) fn run() -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&openapi::document()).map_err(Failure::failed)?;
    say(&format!("{text}\n"))
}
