//! What the program prints of itself, for shells, readers and makers of clients.

pub(super) mod completions;
pub(super) mod man;
pub(super) mod openapi;

use super::{Cli, CliError, print};
