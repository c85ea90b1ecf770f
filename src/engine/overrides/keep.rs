//! What a run took from its request, kept for when it goes on or runs again. It was judged when it came; a canvas that
//! changed meanwhile is asked whether it still has the setting.

use super::{CardPlace, Overrides, protected, type_check};
use crate::cards::kit::Input;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

/// See [`Overrides::keep`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct KeptOverrides {
    settings: Vec<KeptSetting>,
    variables: HashMap<String, String>,
}

/// A setting of a card, by the node that the card stands in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptSetting {
    node: String,
    /// The input that the card is picked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<String>,
    input: String,
    value: Value,
}

impl Overrides {
    /// All of it in a form that can be stored; null when there is nothing. `cards` are those it was decided for.
    #[must_use]
    pub fn keep(&self, cards: &[CardPlace<'_>]) -> Value {
        let mut kept = KeptOverrides { settings: Vec::new(), variables: self.variables.clone() };
        for place in cards {
            let mut keep = |input: &str, value: &Value| {
                kept.settings.push(KeptSetting {
                    node: place.node.to_owned(),
                    within: place.within.map(str::to_owned),
                    input: input.to_owned(),
                    value: value.clone(),
                });
            };
            match place.within {
                None => self.for_step(place.step).for_each(|(input, value)| keep(input, value)),
                Some(pick) => self.for_picked(place.step, pick).for_each(|(input, value)| {
                    if place.card.input(input).is_some() {
                        keep(input, value);
                    }
                }),
            }
        }
        if kept == KeptOverrides::default() {
            return Value::Null;
        }
        serde_json::to_value(kept).unwrap_or_default()
    }

    /// What was kept, as far as these cards still have it.
    #[must_use]
    pub fn restore(kept: &Value, cards: &[CardPlace<'_>]) -> Self {
        let KeptOverrides { settings, variables } = KeptOverrides::deserialize(kept).unwrap_or_default();
        let mut overrides = Self { variables, ..Self::default() };
        for KeptSetting { node, within, input, value } in settings {
            let is_meant =
                |place: &&CardPlace<'_>| place.node == node && place.within.map(str::to_owned) == within;
            let Some(place) = cards.iter().find(is_meant) else { continue };
            let Some(input) = place.card.input(&input) else { continue };
            if !may_hold(place, input, &value) {
                continue;
            }
            match place.within {
                None => drop(overrides.values.insert((place.step, input.name), value)),
                Some(pick) => {
                    overrides.picked.entry((place.step, pick)).or_default().push((input.name, value));
                }
            }
        }
        overrides
    }

    /// With the variables of another request over its own.
    #[must_use]
    pub fn with_variables_of(mut self, other: Self) -> Self {
        self.variables.extend(other.variables);
        self
    }
}

/// The card of a node may have become another one.
fn may_hold(place: &CardPlace<'_>, input: &Input, value: &Value) -> bool {
    protected::group_of_input(place.card, input).is_none() && type_check::type_error(input, value).is_none()
}
