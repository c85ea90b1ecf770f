//! Which values of a request a run uses (manual 7.1, 7.2). [`Overrides::evaluate`] is the only way from a
//! request into the settings of a card or the variables of code, and `files` the one for files of a form.

mod apply;
mod candidates;
mod files;
mod keep;
#[cfg(test)]
mod picked_tests;
mod protected;
#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod tests;
mod type_check;

pub use self::candidates::list_overridable;
pub(super) use self::protected::is_protected;
pub use self::protected::{ProtectedGroup, is_place};
use crate::canvas::{current_input_name, former_input_names};
use crate::cards::kit::{Card, Input, InputKind};
use crate::domain::error::{Error, Result};
use crate::domain::flows::settings::OverridePolicy;
use crate::engine::placed::CONFIG;
pub use files::{FilesTooLarge, takes_file};
pub(super) use files::{ends, file_input};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The key of the variables among the overrides.
const VARIABLES: &str = "vars";

/// Why a value of a request is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverrideRefusal {
    /// The owner listed no such setting of this card, or overrides are off.
    NotListed,
    /// The setting never changes.
    Never(ProtectedGroup),
    /// Something in the value never changes, or it is nested too deep to tell.
    Inside,
}

/// Decides whether a request may give `input` of the card at `place` this value. A card that is picked in another has no
/// label of its own: its settings are listed each by itself, or in the row of all that stands beside the pick.
///
/// # Errors
/// Why not.
pub fn check_override(
    allowed: &OverridePolicy,
    place: &CardPlace<'_>,
    input: &Input,
    value: &Value,
) -> Result<(), OverrideRefusal> {
    let CardPlace { label, card, within, .. } = *place;
    let settings = within.map(|pick| format!("{pick}{CONFIG}"));
    // The owner's list may be as old as the canvas.
    let mut names = std::iter::once(input.name).chain(former_input_names(card.name, input.name));
    let is_listed = names.any(|name| {
        let in_row = |settings: &String| allowed.allows_field(label, settings, name);
        allowed.allows(label, name) || settings.as_ref().is_some_and(in_row)
    });
    if !is_listed {
        return Err(OverrideRefusal::NotListed);
    }
    if let Some(group) = protected::group_of_input(card, input) {
        return Err(OverrideRefusal::Never(group));
    }
    if protected::holds_protected(card, input, value) { Err(OverrideRefusal::Inside) } else { Ok(()) }
}

/// A card of a plan whose settings a request may mean.
#[derive(Debug, Clone, Copy)]
pub struct CardPlace<'p> {
    pub(super) step: usize,
    pub(super) node: &'p str,
    /// What its owner calls it, as lists of settings do.
    pub(super) label: &'p str,
    pub(super) card: &'static Card,
    /// The input that it is picked in, where it stands inside of the node's own card.
    pub(super) within: Option<&'static str>,
}

impl<'p> CardPlace<'p> {
    /// A card of the canvas, at this place of its plan.
    pub(super) const fn new(step: usize, node: &'p str, label: &'p str, card: &'static Card) -> Self {
        Self { step, node, label, card, within: None }
    }

    /// The input that the card is picked in, where it is a model of a step.
    pub(crate) fn picked_model(&self) -> Option<&'static str> {
        self.within.filter(|input| input.ends_with("Model"))
    }

    /// A card that is picked in an input of this one.
    pub(super) const fn picked(self, input: &'static str, card: &'static Card) -> Self {
        Self { card, within: Some(input), ..self }
    }
}

/// What one run takes from its request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// By step of the plan and input name.
    values: HashMap<(usize, &'static str), Value>,
    /// Settings of cards that are picked in an input of a step.
    picked: HashMap<(usize, &'static str), Vec<(&'static str, Value)>>,
    /// For code that reads variables (manual 7.4 r2).
    variables: HashMap<String, String>,
    /// Names that were sent and not used.
    ignored_names: Vec<String>,
}

impl Overrides {
    /// Decides every entry of a request's `overrideConfig`. `is_saved` tells whether a variable of this name is saved:
    /// what the store does not know cannot have been switched on for it.
    ///
    /// # Errors
    /// 400 for a value that the request may give and the setting cannot hold.
    pub fn evaluate(
        cards: &[CardPlace<'_>],
        allowed: &OverridePolicy,
        sent: &Map<String, Value>,
        is_saved: &dyn Fn(&str) -> bool,
    ) -> Result<Self> {
        let mut overrides = Self::default();
        // Clients write null for what they do not send.
        for (name, value) in sent.iter().filter(|(_, value)| !value.is_null()) {
            if name == VARIABLES {
                overrides.take_variables(allowed, value, is_saved);
            } else if !overrides.take_setting(cards, allowed, sent, name, value)?
                && !overrides.take_picked(cards, allowed, name, value)?
            {
                overrides.ignored_names.push(name.clone());
            }
        }
        Ok(overrides)
    }

    /// Names that were sent and are not used, in the order they came.
    #[must_use]
    pub fn ignored_names(&self) -> &[String] {
        &self.ignored_names
    }

    /// Values of variables, for code only.
    #[must_use]
    pub const fn variables(&self) -> &HashMap<String, String> {
        &self.variables
    }

    /// The values for the card of one step.
    pub(super) fn for_step(&self, step: usize) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().filter(move |((of, _), _)| *of == step).map(|((_, name), value)| (*name, value))
    }

    /// The values for the card that is picked in an input of one step.
    pub(super) fn for_picked(
        &self,
        step: usize,
        input: &str,
    ) -> impl Iterator<Item = (&'static str, &Value)> {
        let of = self.picked.iter().filter(move |((at, name), _)| *at == step && *name == input);
        of.flat_map(|(_, values)| values).map(|(name, value)| (*name, value))
    }

    /// True when cards that are picked in the input `<input>Config` belongs to use some of it.
    fn take_picked(
        &mut self,
        cards: &[CardPlace<'_>],
        allowed: &OverridePolicy,
        name: &str,
        value: &Value,
    ) -> Result<bool> {
        let (Some(pick), Some(sent)) = (name.strip_suffix(CONFIG), value.as_object()) else {
            return Ok(false);
        };
        let mut used = false;
        for place in cards.iter().filter(|place| place.within == Some(pick)) {
            // By node where more than one card is meant.
            let sent = sent.get(place.node).and_then(Value::as_object).unwrap_or(sent);
            for (name, value) in sent.iter().filter(|(_, value)| !value.is_null()) {
                let Some(input) = place.card.input(name) else { continue };
                if check_override(allowed, place, input, value).is_err() {
                    continue;
                }
                refuse_misfit(input, value)?;
                let of = (place.step, place.within.unwrap_or_default());
                self.picked.entry(of).or_default().push((input.name, value.clone()));
                used = true;
            }
        }
        Ok(used)
    }

    /// True when a card uses it.
    fn take_setting(
        &mut self,
        cards: &[CardPlace<'_>],
        allowed: &OverridePolicy,
        sent: &Map<String, Value>,
        name: &str,
        value: &Value,
    ) -> Result<bool> {
        let by_node = by_node(cards, value);
        let mut used = false;
        for place in cards.iter().filter(|place| place.within.is_none()) {
            let CardPlace { step, node, card, .. } = *place;
            let Some(input) = card.input(name).or_else(|| card.input(current_input_name(card.name, name)))
            else {
                continue;
            };
            // What is sent under the name of today was meant later.
            let is_former = input.name != name;
            if is_former && sent.get(input.name).is_some_and(|value| !value.is_null()) {
                continue;
            }
            let given = match by_node {
                Some(values) => match values.get(node) {
                    None | Some(Value::Null) => continue,
                    Some(value) => value,
                },
                None => value,
            };
            let rows = entry_rows(input, given);
            let value = rows.as_ref().unwrap_or(given);
            // An object of something else than nodes of this canvas, for a setting that takes none, is a key like any that
            // is not listed.
            if by_node.is_none() && value.is_object() && !matches!(input.kind, InputKind::Json) {
                continue;
            }
            // An object is judged as it was sent: what it names counts.
            if check_override(allowed, place, input, given).is_ok() {
                refuse_misfit(input, value)?;
                self.values.insert((step, input.name), value.clone());
                used = true;
            }
        }
        Ok(used)
    }

    fn take_variables(&mut self, allowed: &OverridePolicy, sent: &Value, is_saved: &dyn Fn(&str) -> bool) {
        // A form sends the object as text.
        let read = sent.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let Value::Object(sent) = read.as_ref().unwrap_or(sent) else {
            self.ignored_names.push(VARIABLES.to_owned());
            return;
        };
        for (name, value) in sent {
            let used =
                allowed.allows_variable(name) && protected::group_of_name(name).is_none() && is_saved(name);
            if used {
                self.variables.insert(name.clone(), text_of(value));
            } else {
                self.ignored_names.push(format!("{VARIABLES}.{name}"));
            }
        }
    }
}

/// The values by node id, when that is what the value is (manual 7.3 r2).
fn by_node<'v>(cards: &[CardPlace<'_>], value: &'v Value) -> Option<&'v Map<String, Value>> {
    value.as_object().filter(|map| map.keys().any(|key| cards.iter().any(|place| place.node == key)))
}

/// The rows that an object stands for, where the setting is rows of keys and values.
fn entry_rows(input: &Input, value: &Value) -> Option<Value> {
    let InputKind::Rows(columns) = input.kind else { return None };
    let entries = value.as_object().filter(|_| protected::are_entries(columns))?;
    Some(entries.iter().map(|(key, value)| json!({"key": key, "value": value})).collect())
}

/// Refuses a value that the setting cannot hold.
fn refuse_misfit(input: &Input, value: &Value) -> Result<()> {
    match type_check::type_error(input, value) {
        Some(must) => Err(Error::Invalid(format!("'overrideConfig': '{}' must be {must}.", input.name))),
        None => Ok(()),
    }
}

/// Request values arrive as text (manual 7.4 r3).
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
