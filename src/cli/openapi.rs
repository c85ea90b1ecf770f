//! `flowkeep openapi`: the description of the API, made from the route table.

use super::{CliError, print};
use crate::http::openapi;

pub(super) fn run() -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(&openapi::document()).map_err(CliError::other)?;
    print(&format!("{text}\n"))
}
