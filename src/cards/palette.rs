//! The card list as Flowise's pages read it (manual 9.8).

use super::kit::{Card, Input, InputKind, Picker};
use super::registry::CARDS;
use serde_json::{Map, Value, json};

#[must_use]
pub fn definitions() -> Vec<Value> {
    CARDS.iter().map(|card| definition(card)).collect()
}

#[must_use]
pub fn category_definitions(name: &str) -> Vec<Value> {
    CARDS.iter().filter(|card| card.category.as_str() == name).map(|card| definition(card)).collect()
}

#[must_use]
pub fn definition(card: &Card) -> Value {
    let settings = card.inputs.iter().filter(|input| !matches!(input.kind, InputKind::Credential(_)));
    let mut node = json!({
        "label": card.label,
        "name": card.name,
        "version": card.version,
        "type": card.base_classes[0],
        "icon": format!("{}.svg", card.name),
        "category": card.category.as_str(),
        "description": card.description,
        "baseClasses": card.base_classes,
        "inputs": settings.map(param).collect::<Vec<_>>(),
    });
    let credential = card.inputs.iter().find(|input| matches!(input.kind, InputKind::Credential(_)));
    if let Some(credential) = credential {
        node["credential"] = param(credential);
    }
    if !card.outputs.is_empty() {
        let outputs = card.outputs.iter();
        node["outputs"] = outputs
            .map(|output| json!({"label": output.label, "name": output.name, "baseClasses": output.base_classes}))
            .collect();
    }
    node
}

fn param(input: &Input) -> Value {
    let mut param = Map::new();
    param.insert("label".into(), input.label.into());
    param.insert("name".into(), input.name.into());
    param.insert("type".into(), wire_type(input).into());
    if !input.description.is_empty() {
        param.insert("description".into(), input.description.into());
    }
    if let Some(default) = input.default.or(input.start) {
        param.insert("default".into(), typed_default(input, default));
    }
    if let Some((other, value)) = input.shown_if {
        param.insert(
            "show".into(),
            json!({ other: value.parse::<bool>().map_or_else(|_| json!(value), Value::from) }),
        );
    }
    if let Some((other, values)) = input.shown_for {
        param.insert("show".into(), json!({ other: values }));
    }
    let flags = [
        ("optional", input.optional),
        ("additionalParams", input.additional),
        ("acceptVariable", input.accepts_variables),
    ];
    for (name, _) in flags.into_iter().filter(|(_, on)| *on) {
        param.insert(name.into(), true.into());
    }
    match input.kind {
        InputKind::Text { rows } if rows > 1 => drop(param.insert("rows".into(), rows.into())),
        InputKind::Number { step, .. } => drop(param.insert("step".into(), step.into())),
        InputKind::Choice(choices) | InputKind::Choices(choices) => {
            let options = choices.iter().map(|choice| json!({"label": choice.label, "name": choice.name}));
            param.insert("options".into(), options.collect());
        }
        InputKind::ModelName(names) => {
            param.insert("loadMethod".into(), "listModels".into());
            param.insert("freeSolo".into(), true.into());
            param.insert(
                "options".into(),
                names.iter().map(|name| json!({"label": name, "name": name})).collect(),
            );
        }
        InputKind::Pick(what) => {
            let list = match what {
                Picker::Tool => "listTools",
                Picker::DocumentStore => "listStores",
                Picker::Flow => "listFlows",
                Picker::Actions => "listActions",
            };
            param.insert("loadMethod".into(), list.into());
        }
        InputKind::Credential(types) => drop(param.insert("credentialNames".into(), json!(types))),
        InputKind::File(endings) => {
            let endings = if endings.is_empty() { "*".to_owned() } else { endings.join(", ") };
            param.insert("fileType".into(), endings.into());
        }
        InputKind::Wires(_) => drop(param.insert("list".into(), true.into())),
        _ => {}
    }
    Value::Object(param)
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
