//! The card catalogue for the API, which shows cards and never builds them.

use crate::canvas::Canvas;
use crate::cards::kit::steps::structured_output;
use crate::cards::{icons, palette, registry};
use crate::domain::error::{Error, Result};
use crate::domain::flows::card_problems::OverridableSetting;
use crate::domain::service::answer_schema::AnswerSchema;
use crate::domain::service::card_definition::CardDefinition;
use crate::engine::overrides;
use serde_json::{Value, json};

#[must_use]
pub(crate) fn all() -> Vec<CardDefinition> {
    palette::definitions()
}

/// Definitions of one category; none for a category without cards.
#[must_use]
pub(crate) fn cards_of_category(name: &str) -> Vec<CardDefinition> {
    palette::category_definitions(name)
}

/// One card's definition.
///
/// # Errors
/// 404.
pub(crate) fn card(name: &str) -> Result<CardDefinition> {
    let card = registry::find(name);
    let card =
        card.ok_or_else(|| Error::NotFound("This server does not know a card of that name.".to_owned()))?;
    Ok(palette::definition(card))
}

/// What a model is sent for the keys that its answer must have.
#[must_use]
pub(crate) fn answer_schema(rows: &[Value]) -> AnswerSchema {
    structured_output::describe_rows(rows)
}

/// The picture of a card, an SVG.
///
/// # Errors
/// 404.
pub(crate) fn icon(name: &str) -> Result<String> {
    icons::card_icon(name).ok_or_else(|| Error::NotFound("There is no card of that name.".to_owned()))
}

/// The picture of a credential type, an SVG.
///
/// # Errors
/// 404.
pub(crate) fn credential_icon(name: &str) -> Result<String> {
    icons::credential_icon(name)
        .ok_or_else(|| Error::NotFound("There is no credential type of that name.".to_owned()))
}

/// What an override list may name of one card, from the `data` of its node (manual 7.1 r2).
///
/// # Errors
/// 400 when it is no card.
pub(crate) fn node_config(data: &Value) -> Result<Vec<OverridableSetting>> {
    let canvas = json!({"nodes": [{"id": data["id"].as_str().unwrap_or("card"), "data": data}], "edges": []});
    let canvas = Canvas::parse(&canvas.to_string())
        .map_err(|_| Error::invalid("Send the 'data' of one card, as the canvas holds it."))?;
    Ok(overrides::list_overridable(&canvas))
}
