//! The card list as Flowise's pages read it (manual 9.8).

use super::kit::{Card, Input, InputKind, Output, Picker};
use super::registry::CARDS;
use crate::domain::service::card_definition::{CardDefinition, CardOutput, CardParam};
use crate::domain::service::choice::Choice;
use serde_json::{Value, json};

#[must_use]
pub fn definitions() -> Vec<CardDefinition> {
    CARDS.iter().map(|card| definition(card)).collect()
}

#[must_use]
pub fn category_definitions(name: &str) -> Vec<CardDefinition> {
    CARDS.iter().filter(|card| card.category.as_str() == name).map(|card| definition(card)).collect()
}

#[must_use]
pub fn definition(card: &Card) -> CardDefinition {
    let is_credential = |input: &&Input| matches!(input.kind, InputKind::Credential(_));
    let output = |output: &Output| CardOutput {
        label: output.label,
        name: output.name,
        base_classes: output.base_classes,
    };
    CardDefinition {
        label: card.label,
        name: card.name,
        version: card.version,
        category: card.category.as_str(),
        description: card.description,
        base_classes: card.base_classes,
        inputs: card.inputs.iter().filter(|input| !is_credential(input)).map(param).collect(),
        credential: card.inputs.iter().find(is_credential).map(param),
        outputs: card.outputs.iter().map(output).collect(),
    }
}

fn param(input: &Input) -> CardParam {
    let plain = CardParam {
        label: input.label,
        name: input.name,
        kind: wire_type(input),
        description: Some(input.description).filter(|text| !text.is_empty()),
        default: input.default.or(input.start).map(|default| typed_default(input, default)),
        shown_when: shown_when(input),
        optional: input.optional,
        additional: input.additional,
        accepts_variables: input.accepts_variables,
        ..CardParam::default()
    };
    match input.kind {
        InputKind::Text { rows } if rows > 1 => CardParam { rows: Some(rows), ..plain },
        InputKind::Number { step, .. } => CardParam { step: Some(step), ..plain },
        InputKind::Choice(choices) | InputKind::Choices(choices) => {
            let options = choices.iter().map(|choice| option(choice.label, choice.name)).collect();
            CardParam { options: Some(options), ..plain }
        }
        InputKind::ModelName(names) => CardParam {
            load_method: Some("listModels"),
            accepts_others: true,
            options: Some(names.iter().map(|name| option(name, name)).collect()),
            ..plain
        },
        InputKind::Pick(what) => {
            let list = match what {
                Picker::Tool => "listTools",
                Picker::DocumentStore => "listStores",
                Picker::Flow => "listFlows",
                Picker::Actions => "listActions",
            };
            CardParam { load_method: Some(list), ..plain }
        }
        InputKind::Credential(types) => CardParam { credential_names: Some(types), ..plain },
        InputKind::File(endings) => {
            let endings = if endings.is_empty() { "*".to_owned() } else { endings.join(", ") };
            CardParam { file_type: Some(endings), ..plain }
        }
        InputKind::Wires(_) => CardParam { is_list: true, ..plain },
        _ => plain,
    }
}

fn option(label: &str, name: &str) -> Choice {
    Choice { label: label.to_owned(), name: name.to_owned(), description: None }
}

fn shown_when(input: &Input) -> Option<(&'static str, Value)> {
    if let Some((other, values)) = input.shown_for {
        return Some((other, json!(values)));
    }
    let (other, value) = input.shown_if?;
    Some((other, value.parse::<bool>().map_or_else(|_| json!(value), Value::from)))
}

fn wire_type(input: &Input) -> &'static str {
    match input.kind {
        InputKind::Text { .. } | InputKind::Address => "string",
        InputKind::Code => "code",
        InputKind::File(_) => "file",
        InputKind::Number { .. } => "number",
        InputKind::Switch => "boolean",
        InputKind::Choice(_) => "options",
        InputKind::Choices(_) => "multiOptions",
        InputKind::ModelName(_) | InputKind::Pick(_) => "asyncOptions",
        InputKind::Json | InputKind::Headers => "json",
        InputKind::Secret => "password",
        InputKind::Credential(_) => "credential",
        InputKind::Wire(from) | InputKind::Wires(from) => from.class(),
    }
}

fn typed_default(input: &Input, default: &str) -> Value {
    match input.kind {
        InputKind::Switch => Value::Bool(default == "true"),
        InputKind::Number { .. } => serde_json::from_str(default).unwrap_or_else(|_| Value::from(default)),
        _ => Value::from(default),
    }
}
