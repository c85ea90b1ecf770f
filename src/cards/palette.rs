//! The card list as Flowise's pages read it (manual 9.8).

use super::kit::{Card, Input, InputKind, Output, Picker, WireType};
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
        inputs: card.inputs.iter().filter(|input| !is_credential(input)).flat_map(params).collect(),
        credential: card.inputs.iter().find(is_credential).map(param),
        outputs: card.outputs.iter().map(output).collect(),
    }
}

/// An input as the editor shows it; one that comes in variants is shown as the one of them that fits.
fn params(input: &Input) -> Vec<CardParam> {
    match input.kind {
        InputKind::Variants(variants) => variants.iter().map(param).collect(),
        _ => vec![param(input)],
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
                Picker::ToolServer => "listServers",
                Picker::DocumentStore => "listStores",
                Picker::Flow => "listFlows",
                Picker::Harness => "listHarnesses",
                Picker::Pipeline => "listPipelines",
                Picker::Actions => "listActions",
                Picker::Step => "listPreviousNodes",
                Picker::ToolArgument => "listToolInputArgs",
            };
            // Which steps and arguments there are depends on what is not saved yet.
            let accepts_others = matches!(what, Picker::Step | Picker::ToolArgument);
            CardParam { load_method: Some(list), accepts_others, ..plain }
        }
        InputKind::Credential(types) => CardParam { credential_names: Some(types), ..plain },
        InputKind::File(endings) => {
            let endings = if endings.is_empty() { "*".to_owned() } else { endings.join(", ") };
            CardParam { file_type: Some(endings), ..plain }
        }
        InputKind::Json | InputKind::Headers => CardParam { schema: input.json_shape().schema(), ..plain },
        InputKind::Wires(_) => CardParam { is_list: true, ..plain },
        InputKind::Rows(fields) => CardParam { fields: fields.iter().flat_map(params).collect(), ..plain },
        InputKind::StateUpdates => CardParam { fields: STATE_UPDATE.iter().map(param).collect(), ..plain },
        InputKind::CardPick(kind) => {
            CardParam { load_method: Some(card_list(kind)), has_config: true, ..plain }
        }
        _ => plain,
    }
}

/// A row of what a step writes into the state of its run.
const STATE_UPDATE: &[Input] = &[
    Input::text("key", "Key"),
    Input::text("value", "Value").variables().help("{{ output }} stands for what the step made."),
];

/// The list that the cards of a kind are picked from.
#[must_use]
pub const fn card_list(kind: WireType) -> &'static str {
    match kind {
        WireType::Tool => "listTools",
        WireType::Embeddings => "listEmbeddings",
        WireType::VectorStore => "listVectorStores",
        WireType::TextSplitter => "listSplitters",
        _ => "listModels",
    }
}

fn option(label: &str, name: &str) -> Choice {
    Choice { label: label.to_owned(), name: name.to_owned(), description: None }
}

fn shown_when(input: &Input) -> Vec<(&'static str, Value)> {
    let one = |(other, value): (&'static str, &'static str)| {
        (other, value.parse::<bool>().map_or_else(|_| json!(value), Value::from))
    };
    let any = input.shown_for.map(|(other, values)| (other, json!(values)));
    input.shown_if.map(one).into_iter().chain(any).collect()
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
        InputKind::ModelName(_) | InputKind::Pick(_) | InputKind::CardPick(_) => "asyncOptions",
        InputKind::Json | InputKind::Headers => "json",
        InputKind::Secret => "password",
        InputKind::Credential(_) => "credential",
        InputKind::Wire(from) | InputKind::Wires(from) => from.class(),
        InputKind::Rows(_) | InputKind::StateUpdates => "array",
        InputKind::Variants(variants) => variants.first().map_or("string", wire_type),
    }
}

fn typed_default(input: &Input, default: &str) -> Value {
    match input.kind {
        InputKind::Switch => Value::Bool(default == "true"),
        InputKind::Number { .. } | InputKind::Rows(_) => {
            serde_json::from_str(default).unwrap_or_else(|_| Value::from(default))
        }
        _ => Value::from(default),
    }
}
