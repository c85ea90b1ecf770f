//! Cards that cut texts into passages (manual 10.3).

pub(super) mod character;
pub(super) mod code;
pub(super) mod html_to_markdown;
mod languages;
pub(super) mod markdown;
pub(super) mod recursive_character;
pub(super) mod token;
mod tokens;

use super::kit::splitting::Rule;
use super::kit::{Cut, Host, Splitter};
use crate::domain::error::Result;

impl Splitter for Rule {
    fn split(&self, text: &str, _: &dyn Host) -> Result<Vec<Cut>> {
        self.cut(text)
    }
}
