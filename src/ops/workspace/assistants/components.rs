//! What an assistant can be made of.

use super::drawing::{is_model, is_tool};
use crate::app::App;
use crate::cards::kit::Card;
use crate::cards::palette;
use crate::cards::registry::CARDS;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::knowledge::store_overview::StoreStatus;
use crate::domain::service::card_definition::CardDefinition;
use crate::domain::service::choice::Choice;
use crate::ops::knowledge::stores;

/// Cards that can be its model.
#[must_use]
pub(crate) fn chat_models() -> Vec<CardDefinition> {
    definitions(is_model)
}

/// Cards that can be its tools.
#[must_use]
pub(crate) fn tools() -> Vec<CardDefinition> {
    definitions(is_tool)
}

fn definitions(fits: fn(&Card) -> bool) -> Vec<CardDefinition> {
    CARDS.iter().filter(|card| fits(card)).map(|card| palette::definition(card)).collect()
}

/// Document stores that can be searched.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn document_stores(app: &App, caller: &Caller) -> Result<Vec<Choice>> {
    let found = stores::list(app, caller)?.into_iter();
    let filled = found.filter(|store| store.status == StoreStatus::Upserted);
    let choice = |name: String, label: String, description: String| Choice {
        name,
        label,
        description: Some(description),
    };
    Ok(filled.map(|store| choice(store.id.to_string(), store.name, store.description)).collect())
}
