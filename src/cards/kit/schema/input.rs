//! One input of a card: its kind decides how it is shown, read, overridden and kept out of history.

use super::json_shape::JsonShape;
use super::wire_type::WireType;
use serde_json::Value;

/// An input. Built in a `const` by its kind and refined by the methods below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// The key in `inputs`.
    pub name: &'static str,
    /// The label in the editor.
    pub label: &'static str,
    /// One sentence of help; may be empty.
    pub description: &'static str,
    pub kind: InputKind,
    /// What the editor fills in; also used when a run finds nothing.
    pub default: Option<&'static str>,
    /// What the editor fills in, though a run that finds nothing leaves the setting out.
    pub start: Option<&'static str>,
    /// May stay empty.
    pub optional: bool,
    pub additional: bool,
    /// Text may hold `{{…}}` references inside.
    pub accepts_variables: bool,
    /// Its text may be JSON, which no reference in it breaks.
    pub may_be_json: bool,
    /// A field of its JSON that is written empty counts as left out; one that becomes empty does not.
    pub drops_blanks: bool,
    /// Read only by an upsert: what is wired here is not built for a question.
    pub upsert_only: bool,
    /// May be a list; JSON that may not is an object.
    pub lists: bool,
    /// The form of its JSON, where more is known than whether it may be a list.
    pub shape: Option<JsonShape>,
    /// Shown only while another input has a value.
    pub shown_if: Option<(&'static str, &'static str)>,
    /// Shown only while another input has, or holds, one of these values.
    pub shown_for: Option<(&'static str, &'static [&'static str])>,
    /// Braces in its text name variables, so those of a value that comes from a request are doubled.
    pub braces: bool,
    /// The name under which editors note its choice, with the id of the node behind it; empty for most.
    pub tab: &'static str,
    /// May stay empty where each of these inputs is filled in; no inputs say nothing.
    pub unless: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InputKind {
    Text {
        /// Rows in the editor.
        rows: u8,
    },
    /// A number within a range, both ends included.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
        /// Step in the editor.
        step: f64,
    },
    Switch,
    Choice(&'static [Choice]),
    /// Some of a fixed list, as a list or as its JSON text: what the owner lets a model do (never overridden).
    Choices(&'static [Choice]),
    /// The name of a provider's model, with suggestions; any text is accepted.
    ModelName(&'static [&'static str]),
    /// JSON: an object or a list, as such or as text.
    Json,
    /// A provider's base address (never overridden, manual 12.5 r3).
    Address,
    /// Further HTTP headers of a provider, as a JSON object (never overridden).
    Headers,
    /// The id of a record of the workspace (never overridden).
    Pick(Picker),
    /// Files with one of these endings, or any for an empty list: stored with the flow (never overridden).
    File(&'static [&'static str]),
    /// JavaScript of the flow's owner: the body of an async function (never overridden).
    Code,
    /// A secret typed into the card itself (never overridden, never in history).
    Secret,
    /// The stored credential of one of these types (never overridden, id never in history).
    Credential(&'static [&'static str]),
    /// A wire from another card.
    Wire(WireType),
    /// Wires from several cards.
    Wires(WireType),
    /// A list of objects with these fields.
    Rows(&'static [Input]),
    /// One setting that is shown as one of several inputs, all of its name; what another input says decides which. At most one
    /// of them holds rows.
    Variants(&'static [Input]),
    /// Another card of this kind, by its name (never overridden). Its settings stand beside it, in the input of this name with
    /// `Config` behind it.
    CardPick(WireType),
    /// What a step writes into the state of its run: rows of a key and a value (never overridden).
    StateUpdates,
}

/// What a card picks from the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picker {
    DocumentStore,
    Tool,
    /// A server of tools that the workspace keeps.
    ToolServer,
    Flow,
    /// A harness, by its name.
    Harness,
    /// A flow that is a pipeline.
    Pipeline,
    /// What another server can do, by name.
    Actions,
    /// A step of the same flow that comes before this one.
    Step,
    /// What the tool that is picked beside takes, by name.
    ToolArgument,
}

/// One entry of a fixed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub name: &'static str,
    pub label: &'static str,
}

impl Choice {
    #[must_use]
    pub const fn new(name: &'static str, label: &'static str) -> Self {
        Self { name, label }
    }
}

/// The names in a value that is a list, the JSON text of one, or names divided by commas, each once; `None` for what is
/// no such thing.
#[must_use]
pub fn parse_names(value: &Value) -> Option<Vec<String>> {
    let names = match value {
        Value::Array(_) => serde_json::from_value::<Vec<String>>(value.clone()).ok()?,
        Value::String(text) if text.trim_start().starts_with('[') => serde_json::from_str(text).ok()?,
        Value::String(text) => text.split(',').map(str::to_owned).collect(),
        _ => return None,
    };
    let mut once: Vec<String> = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if !once.iter().any(|known| known == name) {
            once.push(name.to_owned());
        }
    }
    Some(once)
}

impl Input {
    const fn new(name: &'static str, label: &'static str, kind: InputKind) -> Self {
        Self {
            name,
            label,
            description: "",
            kind,
            default: None,
            start: None,
            optional: false,
            additional: false,
            accepts_variables: false,
            may_be_json: false,
            drops_blanks: false,
            upsert_only: false,
            lists: false,
            shape: None,
            shown_if: None,
            shown_for: None,
            braces: false,
            tab: "",
            unless: &[],
        }
    }

    #[must_use]
    pub const fn text(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Text { rows: 1 })
    }

    #[must_use]
    pub const fn lines(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Text { rows: 4 })
    }

    /// A number from `min` to `max`.
    #[must_use]
    pub const fn number(name: &'static str, label: &'static str, min: f64, max: f64) -> Self {
        Self::new(name, label, InputKind::Number { min, max, step: 0.1 })
    }

    /// A whole number from `min` to `max`.
    #[must_use]
    pub const fn whole(name: &'static str, label: &'static str, min: f64, max: f64) -> Self {
        Self::new(name, label, InputKind::Number { min, max, step: 1.0 })
    }

    #[must_use]
    pub const fn switch(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Switch)
    }

    #[must_use]
    pub const fn choice(name: &'static str, label: &'static str, choices: &'static [Choice]) -> Self {
        Self::new(name, label, InputKind::Choice(choices))
    }

    /// Some of `choices`.
    #[must_use]
    pub const fn choices(name: &'static str, label: &'static str, choices: &'static [Choice]) -> Self {
        Self::new(name, label, InputKind::Choices(choices))
    }

    /// A model name, with suggestions.
    #[must_use]
    pub const fn model(suggestions: &'static [&'static str]) -> Self {
        Self::new("modelName", "Model Name", InputKind::ModelName(suggestions))
    }

    /// As [`Self::model`], on a card that calls it `name`.
    #[must_use]
    pub(crate) const fn model_in(name: &'static str, suggestions: &'static [&'static str]) -> Self {
        Self { name, ..Self::model(suggestions) }
    }

    #[must_use]
    pub const fn json(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Json)
    }

    #[must_use]
    pub const fn headers(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Headers)
    }

    /// A record of the workspace.
    #[must_use]
    pub const fn pick(name: &'static str, label: &'static str, of: Picker) -> Self {
        Self::new(name, label, InputKind::Pick(of))
    }

    /// Files with one of these endings.
    #[must_use]
    pub const fn file(name: &'static str, label: &'static str, endings: &'static [&'static str]) -> Self {
        Self::new(name, label, InputKind::File(endings))
    }

    #[must_use]
    pub const fn code(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Code)
    }

    #[must_use]
    pub const fn address(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Address)
    }

    /// A secret that is typed into the card.
    #[must_use]
    pub const fn secret(name: &'static str, label: &'static str) -> Self {
        Self::new(name, label, InputKind::Secret)
    }

    #[must_use]
    pub const fn credential(types: &'static [&'static str]) -> Self {
        Self::new("credential", "Connect Credential", InputKind::Credential(types))
    }

    #[must_use]
    pub const fn wire(name: &'static str, label: &'static str, from: WireType) -> Self {
        Self::new(name, label, InputKind::Wire(from))
    }

    #[must_use]
    pub const fn wires(name: &'static str, label: &'static str, from: WireType) -> Self {
        Self::new(name, label, InputKind::Wires(from))
    }

    #[must_use]
    pub const fn rows(name: &'static str, label: &'static str, fields: &'static [Input]) -> Self {
        Self::new(name, label, InputKind::Rows(fields))
    }

    /// One setting that is shown as one of these inputs.
    #[must_use]
    pub(crate) const fn variants(
        name: &'static str,
        label: &'static str,
        variants: &'static [Input],
    ) -> Self {
        Self::new(name, label, InputKind::Variants(variants))
    }

    /// A card of this kind that stands inside this one.
    #[must_use]
    pub const fn card(name: &'static str, label: &'static str, kind: WireType) -> Self {
        Self::new(name, label, InputKind::CardPick(kind))
    }

    #[must_use]
    pub const fn state_updates(name: &'static str) -> Self {
        Self::new(name, "Update Flow State", InputKind::StateUpdates).optional().variables()
    }

    #[must_use]
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// Filled in with this by the editor; emptied, the setting is left out.
    #[must_use]
    pub const fn starting(mut self, start: &'static str) -> Self {
        self.start = Some(start);
        self
    }

    /// May stay empty.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    #[must_use]
    pub const fn additional(mut self) -> Self {
        self.optional = true;
        self.additional = true;
        self
    }

    /// Takes `{{…}}` inside its text.
    #[must_use]
    pub const fn variables(mut self) -> Self {
        self.accepts_variables = true;
        self
    }

    /// Takes `{{…}}` inside its text, which stays JSON where it is.
    #[must_use]
    pub(crate) const fn json_with_variables(mut self) -> Self {
        self.may_be_json = true;
        self.variables()
    }

    #[must_use]
    pub const fn braces(mut self) -> Self {
        self.braces = true;
        self
    }

    #[must_use]
    pub const fn tab(mut self, name: &'static str) -> Self {
        self.tab = name;
        self
    }

    /// A field of its JSON that is written empty counts as left out.
    #[must_use]
    pub const fn without_blanks(mut self) -> Self {
        self.drops_blanks = true;
        self
    }

    /// Read only by an upsert.
    #[must_use]
    pub const fn upsert_only(mut self) -> Self {
        self.upsert_only = true;
        self
    }

    /// With the form of its JSON.
    #[must_use]
    pub const fn shape(mut self, shape: JsonShape) -> Self {
        self.shape = Some(shape);
        self
    }

    /// The form of its value, where that is JSON.
    #[must_use]
    pub const fn json_shape(&self) -> JsonShape {
        match (self.kind, self.shape) {
            (_, Some(shape)) => shape,
            (InputKind::Json, None) if !self.lists => JsonShape::Object,
            (InputKind::Headers, None) => JsonShape::Pairs,
            _ => JsonShape::Any,
        }
    }

    #[must_use]
    pub const fn lists(mut self) -> Self {
        self.lists = true;
        self
    }

    /// With a sentence of help.
    #[must_use]
    pub const fn help(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    /// Shown only while the switch or choice `input` has `value`.
    #[must_use]
    pub const fn when(mut self, input: &'static str, value: &'static str) -> Self {
        self.shown_if = Some((input, value));
        self
    }

    /// Shown only while the choice `input` is, or the choices `input` hold, one of `values`.
    #[must_use]
    pub(crate) const fn when_any(mut self, input: &'static str, values: &'static [&'static str]) -> Self {
        self.shown_for = Some((input, values));
        self
    }

    /// May stay empty where all of these inputs are filled in.
    #[must_use]
    pub const fn unless(mut self, inputs: &'static [&'static str]) -> Self {
        self.unless = inputs;
        self
    }

    /// The input that a value of this one belongs to: that for rows where it is a list, else the first for anything else.
    #[must_use]
    pub fn variant_for(&self, value: &Value) -> &Self {
        let InputKind::Variants(variants) = self.kind else { return self };
        let holds_rows = |variant: &&Self| matches!(variant.kind, InputKind::Rows(_));
        variants.iter().find(|variant| holds_rows(variant) == value.is_array()).unwrap_or(self)
    }

    /// The fields of its rows; none for an input that holds none.
    #[must_use]
    pub fn row_fields(&self) -> &'static [Self] {
        match self.kind {
            InputKind::Rows(fields) => fields,
            InputKind::Variants(variants) => variants
                .iter()
                .find_map(|variant| match variant.kind {
                    InputKind::Rows(fields) => Some(fields),
                    _ => None,
                })
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// True for a secret typed into the card itself.
    #[must_use]
    pub const fn is_secret(&self) -> bool {
        matches!(self.kind, InputKind::Secret)
    }

    /// True for wires, which are no settings.
    #[must_use]
    pub const fn is_wire(&self) -> bool {
        matches!(self.kind, InputKind::Wire(_) | InputKind::Wires(_))
    }
}
