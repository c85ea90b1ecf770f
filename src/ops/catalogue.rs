//! The card catalogue for the doors: they show cards and never build them.

use crate::cards::{palette, registry};
use crate::domain::error::{Error, Result};
use serde_json::Value;

/// Every card's definition.
#[must_use]
pub fn all() -> Vec<Value> {
    palette::all()
}

/// Definitions of one category; none for a category without cards.
#[must_use]
pub fn of_category(name: &str) -> Vec<Value> {
    palette::of_category(name)
}

/// One card's definition.
///
/// # Errors
/// 404.
pub fn card(name: &str) -> Result<Value> {
    let card = registry::find(name);
    let card =
        card.ok_or_else(|| Error::NotFound("This server does not know a card of that name.".to_owned()))?;
    Ok(palette::definition(card))
}
