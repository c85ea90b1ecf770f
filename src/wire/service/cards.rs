//! Cards, and what their inputs are chosen from (manual 9.8).

use crate::choice::ChoiceView;
use crate::domain::service::card_definition::{CardDefinition, CardOutput, CardParam};
use crate::domain::service::choice::{Choice, ChoiceQuery, PlacedCard};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Which choices of a card to list.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LoadMethod"))]
pub struct LoadMethodRequest {
    load_method: String,
    /// What the card is set to so far.
    inputs: Map<String, Value>,
    credential: Option<String>,
    /// The nodes before it on the canvas, for lists of steps.
    previous_nodes: Vec<CanvasNode>,
    /// The node that it is, for lists that depend on its other inputs.
    current_node: Option<CanvasNode>,
}

/// A node of a canvas, or what stands in its `data`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(crate) struct CanvasNode {
    id: String,
    label: String,
    inputs: Map<String, Value>,
    data: Option<CanvasNodeData>,
}

/// What a node of a canvas holds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(crate) struct CanvasNodeData {
    id: String,
    label: String,
    inputs: Map<String, Value>,
}

impl From<LoadMethodRequest> for ChoiceQuery {
    fn from(request: LoadMethodRequest) -> Self {
        let LoadMethodRequest { load_method, inputs, credential, previous_nodes, current_node } = request;
        Self {
            method: load_method,
            inputs,
            credential,
            previous: previous_nodes.into_iter().map(PlacedCard::from).collect(),
            current: current_node.map(PlacedCard::from),
        }
    }
}

impl From<CanvasNode> for PlacedCard {
    fn from(CanvasNode { id, label, inputs, data }: CanvasNode) -> Self {
        match data {
            Some(data) => {
                let id = if id.is_empty() { data.id } else { id };
                Self { id, label: data.label, inputs: data.inputs }
            }
            None => Self { id, label, inputs },
        }
    }
}

/// A card's definition.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Card"))]
pub struct CardView {
    label: &'static str,
    name: &'static str,
    version: f64,
    r#type: &'static str,
    icon: String,
    category: &'static str,
    description: &'static str,
    base_classes: &'static [&'static str],
    inputs: Vec<CardParamView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "CardParamView"))]
    credential: Option<CardParamView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<CardOutputView>,
}

/// An input of a card.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CardParam"))]
struct CardParamView {
    label: &'static str,
    name: &'static str,
    /// What it holds, or the class of what is wired into it.
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    description: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    default: Option<Value>,
    /// Shown when these inputs have these values.
    #[serde(skip_serializing_if = "Map::is_empty")]
    show: Map<String, Value>,
    #[serde(skip_serializing_if = "is_false")]
    optional: bool,
    /// Shown among the additional ones.
    #[serde(skip_serializing_if = "is_false")]
    additional_params: bool,
    #[serde(skip_serializing_if = "is_false")]
    accept_variable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "u32"))]
    rows: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "f64"))]
    step: Option<f64>,
    /// What `POST /node-load-method` takes to list its choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    load_method: Option<&'static str>,
    /// What is not in the list may be typed.
    #[serde(skip_serializing_if = "is_false")]
    free_solo: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<ChoiceView>"))]
    options: Option<Vec<ChoiceView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<String>"))]
    credential_names: Option<&'static [&'static str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    file_type: Option<String>,
    /// The form of a value that is JSON, as a JSON Schema, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    schema: Option<Value>,
    /// Takes several wires.
    #[serde(skip_serializing_if = "is_false")]
    list: bool,
    /// The fields of each row of a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    array: Vec<CardParamView>,
    /// What is chosen is a card, whose settings stand beside it in the input of this name with `Config` behind it.
    #[serde(skip_serializing_if = "is_false")]
    load_config: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// An output of a card.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CardOutput"))]
struct CardOutputView {
    label: &'static str,
    name: &'static str,
    base_classes: &'static [&'static str],
}

impl From<CardDefinition> for CardView {
    fn from(card: CardDefinition) -> Self {
        let output = |CardOutput { label, name, base_classes }| CardOutputView { label, name, base_classes };
        Self {
            label: card.label,
            name: card.name,
            version: card.version,
            r#type: card.base_classes[0],
            icon: format!("{}.svg", card.name),
            category: card.category,
            description: card.description,
            base_classes: card.base_classes,
            inputs: card.inputs.into_iter().map(CardParamView::from).collect(),
            credential: card.credential.map(CardParamView::from),
            outputs: card.outputs.into_iter().map(output).collect(),
        }
    }
}

impl From<CardParam> for CardParamView {
    fn from(param: CardParam) -> Self {
        let views = |choices: Vec<Choice>| choices.into_iter().map(ChoiceView::from).collect();
        Self {
            label: param.label,
            name: param.name,
            r#type: param.kind,
            description: param.description,
            default: param.default,
            show: param.shown_when.into_iter().map(|(other, value)| (other.to_owned(), value)).collect(),
            optional: param.optional,
            additional_params: param.additional,
            accept_variable: param.accepts_variables,
            rows: param.rows,
            step: param.step,
            load_method: param.load_method,
            free_solo: param.accepts_others,
            options: param.options.map(views),
            credential_names: param.credential_names,
            file_type: param.file_type,
            schema: param.schema,
            list: param.is_list,
            array: param.fields.into_iter().map(Self::from).collect(),
            load_config: param.has_config,
        }
    }
}
