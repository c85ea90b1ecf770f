//! Texts that a run of a pipeline is started with: which ones its Start card declares, and where its cards read them.

use super::plan::{PipelineFault, PipelinePlan};
use crate::canvas::Canvas;
use crate::canvas::template::{Reference, TextTemplate};
use crate::cards::kit::knowledge::transform::{PARAM_NAME, PARAM_VALUE, PARAMS, START};
use crate::cards::kit::{Card, Category, Input, InputKind};
use crate::cards::registry;
use crate::domain::error::{Error, Result};
use crate::domain::secrets::names::fold_name;
use crate::engine::overrides::is_protected;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Characters of a value that a run is started with (manual 14.8).
const PARAM_MAX_CHARS: usize = 10_000;
/// Params that a pipeline declares (manual 14.8).
const PARAMS_MAX: usize = 50;
/// Characters of the name of a param (manual 14.8).
const PARAM_NAME_MAX_CHARS: usize = 64;
/// Ends of names of inputs that say where documents are kept.
const PLACE_ENDS: &[&str] =
    &["collection", "collectionname", "index", "indexname", "tablename", "namespace", "filename"];

/// What a canvas declares, each with the value that it has where a start gives none.
pub(super) fn declared(canvas: &Canvas) -> Result<BTreeMap<String, String>, PipelineFault> {
    let mut declared = BTreeMap::new();
    let Some(start) = canvas.nodes().iter().find(|node| node.name == START) else { return Ok(declared) };
    let fault = |why: String| PipelineFault::setting(start, &format!("Params: {why}"));
    for row in rows(start.inputs.get(PARAMS)) {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = text(PARAM_NAME).trim();
        if !is_name(name) {
            return Err(fault(format!(
                "'{}' is no name: letters, digits and _ make one, up to {PARAM_NAME_MAX_CHARS}, and no digit begins it.",
                name.escape_debug()
            )));
        }
        if declared.insert(name.to_owned(), text(PARAM_VALUE).to_owned()).is_some() {
            return Err(fault(format!("'{name}' is declared twice.")));
        }
    }
    if declared.len() > PARAMS_MAX {
        return Err(fault(format!("there can be no more than {PARAMS_MAX}.")));
    }
    Ok(declared)
}

/// A table may stand there as the text of its JSON.
fn rows(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(rows)) => rows.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    begins && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') && name.len() <= PARAM_NAME_MAX_CHARS
}

/// Judges where cards read params.
pub(super) fn check(canvas: &Canvas, declared: &BTreeMap<String, String>) -> Result<(), PipelineFault> {
    for node in canvas.nodes() {
        let Some(card) = registry::find(&node.name) else { continue };
        for input in card.inputs {
            let Some(value) = node.inputs.get(input.name) else { continue };
            let mut read = Vec::new();
            for_each_param(value, &mut |name| read.push(name.to_owned()));
            let Some(first) = read.first() else { continue };
            let fault = |why: String| Err(PipelineFault::setting(node, &format!("{}: {why}", input.label)));
            if !takes_params(card, input, value) {
                return fault(format!(
                    "what a run is started with cannot stand here: remove 'params.{first}'."
                ));
            }
            if let Some(unknown) = read.iter().find(|name| !declared.contains_key(*name)) {
                return fault(format!("'params.{unknown}' is not declared by a Pipeline Start."));
            }
        }
    }
    Ok(())
}

/// Where documents come from and go to, what code runs and which records are used is the owner's alone.
fn takes_params(card: &Card, input: &Input, value: &Value) -> bool {
    let is_text = matches!(input.kind, InputKind::Text { .. } | InputKind::Rows(_) | InputKind::Json);
    let keeps = matches!(card.category, Category::VectorStores | Category::RecordManager);
    let folded = fold_name(input.name);
    let is_place = PLACE_ENDS.iter().any(|end| folded.ends_with(end));
    is_text && !keeps && !is_place && !is_protected(card, input, value)
}

/// Calls `found` with the name of each param that a value reads, at any depth.
fn for_each_param(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => {
            for reference in TextTemplate::parse(text).iter().flat_map(TextTemplate::references) {
                if let Reference::Param(name) = reference {
                    found(name);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| for_each_param(item, found)),
        Value::Object(map) => map.values().for_each(|item| for_each_param(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl PipelinePlan {
    /// What a run of it is started with.
    pub(crate) const fn params(&self) -> &BTreeMap<String, String> {
        &self.params
    }

    /// Takes what a start gives; what it does not give stays as it is declared.
    ///
    /// # Errors
    /// 400 for one that is not declared, and for what is no text.
    pub(crate) fn set_params(&mut self, sent: &Map<String, Value>) -> Result<()> {
        for (name, value) in sent {
            let invalid = |why: &str| {
                let name: String =
                    name.chars().filter(|c| !c.is_control()).take(PARAM_NAME_MAX_CHARS).collect();
                Error::Invalid(format!("Invalid params: {}", why.replace("{}", &name)))
            };
            let Some(known) = self.params.get_mut(name) else {
                return Err(invalid("the pipeline declares no '{}'."));
            };
            *known = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(switch) => switch.to_string(),
                _ => return Err(invalid("'{}' must be a text.")),
            };
            if known.chars().count() > PARAM_MAX_CHARS {
                return Err(invalid(&format!("'{{}}' is longer than {PARAM_MAX_CHARS} characters.")));
            }
        }
        Ok(())
    }

    /// Goes on with what a run was started with; what the canvas declares no more counts no more.
    pub(crate) fn restore_params(&mut self, kept: &BTreeMap<String, String>) {
        for (name, value) in &mut self.params {
            if let Some(kept) = kept.get(name) {
                value.clone_from(kept);
            }
        }
    }
}
