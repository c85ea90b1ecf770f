//! One box on a canvas and one connection between two.

use super::former_names;
use serde_json::{Map, Value};

/// A box: what a run needs of it. Everything else stays in the canvas's raw form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    pub id: String,
    /// The card's name of today, which the registry is asked for; empty when the box holds none.
    pub name: String,
    /// The name it was drawn with, where its card bears another one today.
    pub saved_name: Option<String>,
    /// The id of the box it is drawn inside of.
    pub parent: Option<String>,
    /// The card label the owner sees and may have changed.
    pub label: String,
    /// The group the saving editor put the card in. Never trusted for rules; only for boxes the registry does not know.
    pub category: String,
    /// The values, by the names that the inputs bear today.
    pub inputs: Map<String, Value>,
    /// The input definitions the flow was saved with, which keep their flags.
    pub input_params: Vec<InputParam>,
    /// The chosen output, when the card declares several.
    pub output: Option<String>,
    /// The id of the stored credential the owner selected.
    pub credential: Option<String>,
}

/// What a saved input definition says that matters when the flow runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputParam {
    pub name: String,
    /// Text may hold `{{…}}` references that are replaced inside the text.
    pub accepts_variables: bool,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edge {
    /// What the editor calls it; empty where it has no name.
    pub id: String,
    pub source: String,
    /// The handle it starts from, as the editor names it.
    pub source_handle: String,
    pub target: String,
}

impl Node {
    pub(super) fn from_json(value: &Value) -> Self {
        let data = value.get("data");
        let field = |name: &str| data.and_then(|data| data.get(name));
        let text = |name: &str| field(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let inputs = field("inputs").and_then(Value::as_object).cloned().unwrap_or_default();
        let own_id = value.get("id").and_then(Value::as_str).map(str::to_owned);
        let chosen = field("outputs").and_then(|outputs| outputs.get("output")).and_then(Value::as_str);
        let mut node = Self {
            id: own_id.unwrap_or_else(|| text("id")),
            name: text("name"),
            saved_name: None,
            parent: value
                .get("parentNode")
                .and_then(Value::as_str)
                .filter(|id| !id.is_empty())
                .map(str::to_owned),
            label: text("label"),
            category: text("category"),
            input_params: field("inputParams")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(InputParam::from_json)
                .collect(),
            output: chosen.filter(|name| !name.is_empty()).map(str::to_owned),
            credential: credential(field("credential"), &inputs),
            inputs,
        };
        former_names::modernize(&mut node);
        node
    }

    /// A card that is picked inside of this one, with the settings that stand beside its name: as if it stood on the canvas.
    #[must_use]
    pub fn picked(&self, name: &str, settings: Option<&Map<String, Value>>) -> Self {
        let inputs = settings.cloned().unwrap_or_default();
        let mut node = Self {
            id: self.id.clone(),
            name: name.to_owned(),
            label: self.label.clone(),
            credential: credential(None, &inputs),
            inputs,
            ..Self::default()
        };
        former_names::modernize(&mut node);
        node
    }

    /// The name shown in messages: the label, else the card name, else the id.
    #[must_use]
    pub fn label(&self) -> &str {
        [&self.label, &self.name, &self.id]
            .into_iter()
            .find(|text| !text.is_empty())
            .map_or("a card", String::as_str)
    }

    /// True for notes, which never run.
    #[must_use]
    pub fn is_note(&self) -> bool {
        matches!(self.name.as_str(), "stickyNote" | "stickyNoteAgentflow" | "")
    }

    /// True when the saved definition of this input takes `{{…}}` inside its text.
    #[must_use]
    pub fn accepts_variables(&self, input: &str) -> bool {
        self.input_params.iter().any(|param| param.name == input && param.accepts_variables)
    }
}

/// The three places an editor may leave the chosen credential in (manual 9.2 r2).
fn credential(selected: Option<&Value>, inputs: &Map<String, Value>) -> Option<String> {
    let places =
        [selected, inputs.get("FLOWISE_CREDENTIAL_ID"), inputs.get("credential"), inputs.get("credentialId")];
    places.into_iter().flatten().filter_map(Value::as_str).find(|id| !id.is_empty()).map(str::to_owned)
}

impl InputParam {
    fn from_json(value: &Value) -> Option<Self> {
        let name = value.get("name")?.as_str()?.to_owned();
        let accepts_variables = value.get("acceptVariable").and_then(Value::as_bool).unwrap_or(false);
        Some(Self { name, accepts_variables })
    }
}

impl Edge {
    /// The name of the output it starts from: `<node>-output-<name>-<types>`.
    #[must_use]
    pub fn output(&self) -> Option<&str> {
        let named = self.source_handle.strip_prefix(self.source.as_str())?.strip_prefix("-output-")?;
        named.split('-').next()
    }

    pub(super) fn from_json(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            id: text("id"),
            source: text("source"),
            source_handle: text("sourceHandle"),
            target: text("target"),
        }
    }
}
