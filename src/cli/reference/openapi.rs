//! `flowkeep openapi`: the description of the API, made from the route table.

use super::{CliError, print};
use crate::http::openapi;

pub(in crate::cli) fn run() -> Result<(), CliError> {
    print(&openapi::text().map_err(CliError::other)?)
}
