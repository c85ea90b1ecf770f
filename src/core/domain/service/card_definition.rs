//! A card as an editor shows it (manual 9.8).

use super::choice::Choice;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct CardDefinition {
    pub label: &'static str,
    pub name: &'static str,
    pub version: f64,
    pub category: &'static str,
    pub description: &'static str,
    /// What it can be wired into; the first is its type.
    pub base_classes: &'static [&'static str],
    pub inputs: Vec<CardParam>,
    pub credential: Option<CardParam>,
    /// None where the card itself is what comes out of it.
    pub outputs: Vec<CardOutput>,
}

/// An input of a card.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CardParam {
    pub label: &'static str,
    pub name: &'static str,
    /// What it holds, or the class of what is wired into it.
    pub kind: &'static str,
    pub description: Option<&'static str>,
    pub default: Option<Value>,
    /// Shown when each of these inputs has this value, or one of these.
    pub shown_when: Vec<(&'static str, Value)>,
    pub optional: bool,
    /// Shown among the additional ones.
    pub additional: bool,
    pub accepts_variables: bool,
    pub rows: Option<u8>,
    pub step: Option<f64>,
    /// How its choices are listed.
    pub load_method: Option<&'static str>,
    /// What is not in the list may be typed.
    pub accepts_others: bool,
    pub options: Option<Vec<Choice>>,
    pub credential_names: Option<&'static [&'static str]>,
    pub file_type: Option<String>,
    /// The form of a value that is JSON, as a JSON Schema.
    pub schema: Option<Value>,
    /// Takes several wires.
    pub is_list: bool,
    /// The fields of each row of a list.
    pub fields: Vec<CardParam>,
    /// What is chosen is a card, whose settings stand beside it.
    pub has_config: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CardOutput {
    pub label: &'static str,
    pub name: &'static str,
    pub base_classes: &'static [&'static str],
}
