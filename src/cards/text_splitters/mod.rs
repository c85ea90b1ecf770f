//! Cards that cut texts into chunks (manual 10.3).

pub(super) mod character;
pub(super) mod code;
pub(super) mod html_to_markdown;
mod languages;
pub(super) mod markdown;
pub(super) mod recursive_character;
pub(super) mod token;
mod tokens;

use super::kit::knowledge::splitting::SplitRule;
use super::kit::{ChunkSpan, Host, Splitter};
use crate::domain::error::Result;

impl Splitter for SplitRule {
    fn split(&self, text: &str, _: &dyn Host) -> Result<Vec<ChunkSpan>> {
        self.cut(text)
    }
}
