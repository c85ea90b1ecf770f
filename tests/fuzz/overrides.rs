//! Values of a request that take the place of a card's own.

use crate::canvas::starters;
use crate::{fuzz, seeds};
use flowkeep::canvas::Canvas;
use flowkeep::domain::flows::settings::FlowSettings;
use flowkeep::engine::overrides::list_overridable;
use flowkeep::engine::{Overrides, Plan};
use serde_json::{Map, Value, json};

const WORDS: &[&str] = &[
    "\"temperature\":",
    "\"systemMessage\":",
    "\"vars\":{",
    "\"sessionId\":",
    "\"credential\":",
    "\"headers\":",
    "\"topK\":",
    "\"promptValues\":",
    "null",
    "true",
    "\"true\"",
    "{\"a\":{\"b\":",
    "\"{\\\"url\\\":1}\"",
    "1e400",
    "[]",
];

#[test]
fn values_of_overrides() {
    // A plan with everything switched on that can be.
    let text = starters().pop().unwrap();
    let canvas = Canvas::parse(std::str::from_utf8(&text).unwrap()).unwrap();
    let plan = Plan::compile(&canvas).unwrap();
    let mut nodes = Map::new();
    for node in list_overridable(&canvas) {
        let label = node.label;
        let rows: Vec<Value> = [
            "temperature",
            "systemMessage",
            "topK",
            "promptValues",
            "modelName",
            "template",
            "fallback",
            "rules",
            "k",
            "memoryKey",
        ]
        .iter()
        .map(|name| json!({"name": name, "enabled": true}))
        .collect();
        nodes.insert(label, rows.into());
    }
    let config = json!({"overrideConfig": {"status": true, "nodes": nodes, "variables": [{"name": "a", "enabled": true}]}});
    let settings = FlowSettings { api_config: config.as_object().cloned().into(), ..FlowSettings::default() };
    let allowed = &settings.api_config.overrides;
    fuzz("overrides", seeds("overrides"), WORDS, |input| {
        let Ok(Value::Object(sent)) = serde_json::from_slice(input) else { return (0, 0) };
        match Overrides::evaluate(&plan.places(), allowed, &sent, &|name| name == "a") {
            Ok(decided) => (1 + decided.ignored_names().len(), decided.variables().len()),
            Err(error) => (1_000 + error.to_string().len(), 0),
        }
    });
}
